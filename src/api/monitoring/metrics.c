#include "api/external/query_resources.h"
#include "api/monitoring/metrics_database.h"
#include "api/worker/route.h"
#include "api/worker/usecases.h"
#include "auth/certificate.h"
#include "wire/reply_code.h"

/* Time in which recaudo-query must report its queries in flight. */
#define TIME_FOR_QUERY_USE SECOND

/* Codes exported from the start, so that the first reply shows as an increase. Others appear with their first reply. */
static const enum refusal ALWAYS_SHOWN[] = {GRANTED, REFUSED_PROCESSING_ERROR, REFUSED_TRY_AGAIN};

static bool is_always_shown(enum refusal refusal) {
    for (size_t i = 0; i < COUNT_OF(ALWAYS_SHOWN); i++) {
        if (ALWAYS_SHOWN[i] == refusal) {
            return true;
        }
    }
    return false;
}

/* Labels a route with method and path. The last row counts requests that matched no route. */
static void label_route(size_t row, struct exposition_label labels[2]) {
    bool is_route = row < route_count();
    labels[0] = (struct exposition_label){"method", text_of(is_route ? route_method(row) : "-")};
    labels[1] = (struct exposition_label){"route", text_of(is_route ? route_path(row) : "-")};
}

static struct counted_route *counted_route(struct counters *counters, size_t row) {
    return &counters->routes[row < route_count() ? row : COUNTERS_ROUTES_MAX];
}

static void add_times(struct exposition *out, struct exposition_labels labels, struct counted_times *times) {
    uint64_t buckets[COUNTERS_BOUNDS + 1];
    for (size_t i = 0; i < COUNT_OF(buckets); i++) {
        buckets[i] = times->buckets[i];
    }
    const struct exposition_histogram histogram = {COUNTERS_BOUND, COUNTERS_BOUNDS, buckets, (duration)times->sum};
    exposition_histogram(out, labels, &histogram);
}

static void add_requests(struct exposition *out, struct counters *counters) {
    struct exposition_label labels[3];
    exposition_family(out, "recaudo_requests_total", "counter", "Requests by route and CODE of the reply.");
    for (size_t row = 0; row <= route_count(); row++) {
        label_route(row, labels);
        for (unsigned refusal = 0; refusal < REFUSAL_COUNT; refusal++) {
            uint64_t count = counted_route(counters, row)->replies[refusal];
            if (count > 0 || is_always_shown((enum refusal)refusal)) {
                labels[2] = (struct exposition_label){"code", text_of(reply_code_of((enum refusal)refusal)->code)};
                exposition_number(out, (struct exposition_labels){labels, 3}, count);
            }
        }
    }
    exposition_family(out, "recaudo_request_duration_seconds", "histogram",
                      "From the request's first byte to the reply's last, in the worker.");
    for (size_t row = 0; row <= route_count(); row++) {
        label_route(row, labels);
        add_times(out, (struct exposition_labels){labels, 2}, &counted_route(counters, row)->took);
    }
}

static void add_queries(struct exposition *out, struct counters *counters) {
    static const char *const REASONS[WITHHELD_COUNT] = {[WITHHELD_SHARED] = "shared",
                                                        [WITHHELD_FULL] = "full",
                                                        [WITHHELD_RESTING] = "resting",
                                                        [WITHHELD_AWAY] = "away"};
    exposition_family(out, "recaudo_external_queries_total", "counter",
                      "External queries by outcome; silent: no complete answer in time, or HTTP 429 or 5xx.");
    for (unsigned outcome = 0; outcome < COUNT_OF(counters->queries); outcome++) {
        const struct exposition_label label = {"outcome", text_of(query_outcome_name((enum query_outcome)outcome))};
        exposition_number(out, (struct exposition_labels){&label, 1}, counters->queries[outcome]);
    }
    exposition_family(out, "recaudo_external_query_duration_seconds", "histogram",
                      "From resolving the merchant's host name to the last byte of its answer.");
    add_times(out, EXPOSITION_NO_LABELS, &counters->queries_took);
    exposition_family(out, "recaudo_external_queries_withheld_total", "counter",
                      "Lookups for which the merchant was not asked: the same query was in flight, too many were, "
                      "its endpoint rests, or recaudo-query did not answer (away).");
    for (size_t why = 0; why < WITHHELD_COUNT; why++) {
        const struct exposition_label label = {"reason", text_of(REASONS[why])};
        exposition_number(out, (struct exposition_labels){&label, 1}, counters->withheld[why]);
    }
    exposition_family(out, "recaudo_external_wait_seconds_total", "counter",
                      "Time that requests spent waiting for merchants.");
    exposition_duration(out, EXPOSITION_NO_LABELS, (duration)counters->waited);
}

/* recaudo-query reports these numbers itself. If it does not answer, they are absent. */
static void add_query_use(struct exposition *out, struct call *call) {
    static const struct query_message QUESTION = {.kind = QUERY_USE};
    struct query_exchange exchange;
    duration until = clock_monotonic() + TIME_FOR_QUERY_USE;
    bool up = query_links_ask(call->service->query_resources->links, &QUESTION, until, call->arena, &exchange) ==
                  LINKS_ANSWERED &&
              exchange.reply.kind == QUERY_IN_USE;
    exposition_gauge(out, "recaudo_query_process_up", "1 if recaudo-query answers, the process that asks merchants.",
                     up);
    exposition_gauge(out, "recaudo_external_queries_in_flight_limit",
                     "Limit of external queries in flight ([external_query] in_flight).",
                     call->service->config->external_query.in_flight);
    if (up) {
        exposition_gauge(out, "recaudo_query_last_reload_successful",
                         "1 if recaudo-query uses the configuration of its last reload; 0: it was refused.",
                         !exchange.reply.reload_refused);
        exposition_gauge(out, "recaudo_external_queries_in_flight", "External queries in flight from this host.",
                         exchange.reply.use.in_flight);
        exposition_gauge(out, "recaudo_external_queries_shared",
                         "Lookups that wait for the answer to another lookup's external query.",
                         exchange.reply.use.sharing);
        exposition_gauge(out, "recaudo_external_endpoints_resting",
                         "Endpoints of external queries that rest, or are being probed, after repeated failures.",
                         exchange.reply.use.resting);
    }
}

/* Totals over the processes of this host. */
struct sums {
    uint64_t processes, connections, connections_in_use, waits, waited, refusals;
};

static struct sums add_up(struct counters *counters) {
    struct sums sums = {0};
    for (size_t i = 0; i < COUNTERS_PROCESSES_MAX; i++) {
        struct counted_process *process = &counters->processes[i];
        sums.processes += process->runs;
        sums.connections += process->pool.size;
        sums.connections_in_use += process->pool.in_use;
        sums.waits += process->pool.waits;
        sums.waited += process->pool.waited;
        sums.refusals += process->pool.refusals;
    }
    return sums;
}

static void add_processes(struct exposition *out, struct counters *counters) {
    const struct sums sums = add_up(counters);
    exposition_gauge(out, "recaudo_worker_processes", "Running worker processes.", sums.processes);
    exposition_counter(out, "recaudo_worker_process_starts_total", "Worker processes started.",
                       counters->process_starts);
    exposition_counter(out, "recaudo_worker_process_deaths_total",
                       "Worker processes that ended without a restart or reload.", counters->process_deaths);
    exposition_counter(out, "recaudo_worker_process_hangs_total",
                       "Worker processes killed because they made no progress.", counters->process_hangs);
    exposition_gauge(out, "recaudo_last_reload_successful",
                     "1 if the workers use the configuration of the last reload; 0: it was refused.",
                     !counters->reload_refused);
    exposition_counter(out, "recaudo_log_lines_dropped_total",
                       "Log lines dropped because nobody read them or they could not be written.",
                       counters->log_lines_dropped);
    exposition_family(
        out, "recaudo_worker_busy_seconds_total", "counter",
        "Time that worker processes spent working rather than waiting; at most 1 s per second and process.");
    exposition_duration(out, EXPOSITION_NO_LABELS, (duration)counters->worked);
    exposition_gauge(out, "recaudo_database_pool_connections",
                     "Limit of database connections, of all worker processes together.", sums.connections);
    exposition_gauge(out, "recaudo_database_pool_in_use", "Database connections in use by requests.",
                     sums.connections_in_use);
    exposition_counter(out, "recaudo_database_pool_waits_total", "Requests that had to wait for a database connection.",
                       sums.waits);
    exposition_family(out, "recaudo_database_pool_wait_seconds_total", "counter",
                      "Time that requests waited for a database connection.");
    exposition_duration(out, EXPOSITION_NO_LABELS, (duration)sums.waited);
    exposition_counter(
        out, "recaudo_database_pool_refusals_total",
        "Requests that got no database connection: the database was unreachable, or the wait was too long.",
        sums.refusals);
    exposition_family(out, "recaudo_worker_start_time_seconds", "gauge",
                      "When the first worker process started, in seconds since 1970.");
    exposition_duration(out, EXPOSITION_NO_LABELS, counters->began_at);
}

/* The value is negative once the certificate has expired. One that cannot be read, or is not valid yet, counts as 0, so
 * that the alert fires. */
static duration certificate_left(const char *path) {
    char problem[CERTIFICATE_ERROR_SIZE];
    struct validity validity;
    if (!certificate_read(path, &validity, problem)) {
        log_line(LOG_ERROR, "[security] web_certificate cannot be read: %s", problem);
        return 0;
    }
    instant now = clock_host();
    enum validity_state state = certificate_judge(path, &validity, now, problem);
    if (state == VALIDITY_PAST || state == VALIDITY_AHEAD) {
        log_line(LOG_ERROR, "%s", problem);
    }
    return state == VALIDITY_AHEAD ? 0 : validity.until - now;
}

static void add_certificate(struct exposition *out, const char *path) {
    exposition_family(out, "recaudo_web_certificate_left_seconds", "gauge",
                      "How long the web server's certificate, and its issuers in the same file, are still valid "
                      "([security] web_certificate); 0: not valid yet, or not to be read; absent: not configured.");
    if (path != NULL) {
        exposition_duration(out, EXPOSITION_NO_LABELS, certificate_left(path));
    }
}

void metrics_handle(struct call *call) {
    struct service *service = call->service;
    struct exposition out = exposition_begin(call->arena);
    add_requests(&out, service->counters);
    add_queries(&out, service->counters);
    add_query_use(&out, call);
    add_processes(&out, service->counters);
    add_certificate(&out, service->config->security.web_certificate);
    metrics_database_add(call, &out);
    call->reply = (struct reply){.http_status = 200,
                                 .code = reply_code_of(GRANTED)->code,
                                 .body = exposition_text(&out),
                                 .content_type = EXPOSITION_CONTENT_TYPE};
}
