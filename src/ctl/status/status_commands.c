#include "base/zone/zone_day.h"
#include "ctl/common/stored_secrets.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/problem.h"
#include "ctl/network/money_limits.h"
#include "ctl/status/ahead_status.h"
#include "ctl/status/certificate_status.h"
#include "ctl/status/endpoint_status.h"
#include "ctl/status/noted_status.h"
#include "ctl/status/query_status.h"
#include "ctl/status/replication_status.h"
#include "ctl/status/reply_status.h"
#include "ctl/status/retention_status.h"
#include "ctl/status/seal_status.h"
#include "ctl/status/settlement_status.h"
#include "ctl/status/worker_status.h"
#include "ctl/status/writes_status.h"
#include "store/operation/health.h"
#include "store/operation/settlement_delay.h"
#include "store/payment/settlements.h"
#include "store/schema/database_settings.h"
#include "store/schema/schema.h"

enum { LATE_SECONDS_STANDARD = 60, LATE_SECONDS_MOST = 86400 };

/* The report, and the problems in it. */
struct looking {
    struct context *context;
    struct record *record;
    struct record_list *list; /* being filled */
    struct record_list *problems;
    uint64_t late_seconds;
    bool writes_are_refused; /* by a setting of the database, which is named */
};

static uint64_t seconds(duration time) {
    return time < 0 ? 0 : (uint64_t)(time / SECOND);
}

/* `look`: the command that shows the overdue rows. */
static void judge_overdue(struct looking *looking, const struct overdue *overdue, const char *what, const char *look) {
    if (overdue->count > 0 && seconds(overdue->oldest) > looking->late_seconds) {
        problem_add(looking->problems, "%s (%llu, the oldest for %llu s): %s", what, (unsigned long long)overdue->count,
                    (unsigned long long)seconds(overdue->oldest), look);
    }
}

/* Exhausted notifications are not retried automatically. Those of a disabled merchant are not counted: whoever disabled
 * it has decided about them. */
static void judge_exhausted(struct looking *looking, uint64_t count) {
    if (count > 0) {
        problem_add(looking->problems,
                    "notifications are exhausted and wait for an operator (%llu): recaudoctl "
                    "notification list --state exhausted; when the merchant's receiver is well, "
                    "recaudoctl notification retry --merchant NAME --since TIME, which names the "
                    "command for those that it leaves",
                    (unsigned long long)count);
    }
}

static void record_queue(struct looking *looking, const struct health *health) {
    struct record *queue = record_record(looking->record, "queue");
    record_number(queue, "due", health->due.count);
    record_number(queue, "oldest_due_seconds", seconds(health->due.oldest));
    record_number(queue, "in_flight", health->in_flight);
    record_number(queue, "held", health->held.count);
    record_number(queue, "oldest_held_seconds", seconds(health->held.oldest));
    record_number(queue, "stuck", health->stuck.count);
    record_number(queue, "oldest_stuck_seconds", seconds(health->stuck.oldest));
    record_number(queue, "exhausted", health->exhausted);
    record_number(queue, "unaddressed", health->unaddressed);
    judge_overdue(looking, &health->due, "notifications are due and nobody sends them",
                  "journalctl -u recaudo-deliver; recaudoctl notification list --state pending");
    judge_exhausted(looking, health->exhausted_open);
    judge_overdue(looking, &health->stuck, "notifications are stuck and no dispatcher releases them",
                  "journalctl -u recaudo-deliver; SELECT * FROM notifications_stuck");
}

static void record_overdue(struct looking *looking, const struct health *health) {
    struct record *overdue = record_record(looking->record, "overdue");
    record_number(overdue, "windows", health->windows.count);
    record_number(overdue, "oldest_window_seconds", seconds(health->windows.oldest));
    record_number(overdue, "expiries", health->expiries.count);
    record_number(overdue, "oldest_expiry_seconds", seconds(health->expiries.oldest));
    judge_overdue(looking, &health->windows, "cancellation windows have closed and are not written as final",
                  health->oldest_order == 0
                      ? "journalctl -u recaudo-settle"
                      : arena_print(looking->context->arena,
                                    "recaudoctl order show id:%llu, which waits longest; journalctl -u recaudo-settle",
                                    (unsigned long long)health->oldest_order)
                            .at);
    ahead_judge(health, looking->problems);
    judge_overdue(looking, &health->expiries, "orders are overdue and not written as expired",
                  "journalctl -u recaudo-settle");
}

static void judge_closing(struct looking *looking, duration late) {
    char time[8];
    const struct config *config = &looking->context->config;
    if (seconds(late) > looking->late_seconds) {
        problem_add(looking->problems,
                    "the settlement was to be closed at %s (%s), %llu s ago, and is still open: "
                    "journalctl -u recaudo-settle",
                    zone_print_time(config->settlement.close_at, time, sizeof time), config->settlement.zone,
                    (unsigned long long)seconds(late));
    }
}

static enum status look_at_settlements(struct looking *looking, struct connection *connection) {
    struct settlement_delay delay;
    const struct config *config = &looking->context->config;
    const struct settlement_schedule schedule = {config->settlement.zone, config->settlement.close_at};
    enum status status = settlement_delay_look(connection, &schedule, &delay);
    if (status != STATUS_OK) {
        return status;
    }
    struct record *record = record_record(looking->record, "settlements");
    record_number(record, "closing_overdue_seconds", seconds(delay.closing));
    record_number(record, "without_digest", delay.unsummed.count);
    record_number(record, "oldest_without_digest_seconds", seconds(delay.unsummed.oldest));
    record_number(record, "uncollected", delay.uncollected.count);
    record_number(record, "oldest_uncollected_seconds", seconds(delay.uncollected.oldest));
    judge_overdue(looking, &delay.uncollected, "payments, cancellations or refunds are in no settlement",
                  "journalctl -u recaudo-settle; if it has `waiting for a row`, a session has locked the open "
                  "settlement: database.md (Locks and slow statements) says how to find it");
    judge_closing(looking, delay.closing);
    settlement_day_judge(looking->context, &delay, looking->problems);
    judge_overdue(looking, &delay.unsummed, "settlements were closed and have no digest", "recaudoctl settlement list");
    return settlement_zones_judge(looking->context, connection, looking->problems);
}

static void add_host(void *context, const struct dispatcher_host *host) {
    struct looking *looking = context;
    struct record *record = record_list_add(looking->list);
    record_text(record, "host", host->host);
    record_instant(record, "last_heartbeat", host->seen_at);
    record_number(record, "seconds_ago", seconds(host->seen_ago));
    record_number(record, "settling", host->settling);
    record_number(record, "delivering", host->delivering);
    record_number(record, "in_flight", host->in_flight);
}

static void judge_heartbeats(struct looking *looking, const struct heartbeat heartbeats[TASK_COUNT]) {
    static const char *const NAMES[] = {[TASK_SETTLE] = "settling", [TASK_DELIVER] = "delivering"};
    for (enum dispatch_task task = 0; task < TASK_COUNT; task++) {
        const struct heartbeat *heartbeat = &heartbeats[task];
        if (!heartbeat->seen || heartbeat->ago > DAY) {
            problem_add(looking->problems,
                        "no %s dispatcher was seen within a day: is its timer active, or "
                        "cron/recaudo installed?",
                        NAMES[task]);
        } else if (seconds(heartbeat->ago) > looking->late_seconds) {
            problem_add(looking->problems,
                        "no %s dispatcher was seen for %llu s: is its timer active, or "
                        "cron/recaudo installed? Its log says why it ended",
                        NAMES[task], (unsigned long long)seconds(heartbeat->ago));
        }
    }
}

static enum status look_at_dispatchers(struct looking *looking, struct connection *connection) {
    struct heartbeat heartbeats[TASK_COUNT];
    looking->list = record_list(looking->record, "dispatchers");
    enum status status = health_dispatchers(connection, looking->context->arena, add_host, looking);
    if (status == STATUS_OK) {
        status = health_heartbeats(connection, heartbeats);
    }
    if (status == STATUS_OK) {
        judge_heartbeats(looking, heartbeats);
    }
    return status;
}

/* A network or merchant whose secret cannot be decrypted gets 0009 for each request. */
static enum status look_at_secrets(struct looking *looking, struct connection *connection) {
    struct stored_secrets secrets;
    char error[VAULT_ERROR_SIZE];
    struct arena *arena = looking->context->arena;
    const char *key_file = looking->context->config.security.key_file;
    struct vault *vault = vault_open(key_file, error);
    enum status status = stored_secrets_try(connection, vault, arena, &secrets);
    if (status == STATUS_OK) {
        struct record *record = record_record(looking->record, "secrets");
        record_number(record, "stored", secrets.stored);
        record_number(record, "unopened", secrets.closed);
        struct text problem = stored_secrets_problem(&secrets, key_file, arena);
        if (vault == NULL) {
            problem_add(looking->problems,
                        "the key file cannot be used: %s; as root, recaudoctl config check says what mends it; then "
                        "systemctl reload-or-restart recaudo-fcgi",
                        error);
        } else if (problem.size > 0) {
            problem_add(looking->problems, "%.*s", TEXT_ARGS(problem));
        }
    }
    vault_close(vault);
    return status;
}

static enum status look_at_work(struct looking *looking, struct connection *connection) {
    struct health health;
    enum status status = health_look(connection, &health);
    if (status == STATUS_OK) {
        record_queue(looking, &health);
        record_overdue(looking, &health);
    }
    return status;
}

static enum status look_at_seals(struct looking *looking, struct connection *connection) {
    return seals_look(looking->context, connection, looking->record, looking->problems, looking->late_seconds);
}

static enum status look_at_endpoints(struct looking *looking, struct connection *connection) {
    return endpoints_look(looking->context, connection, looking->record, looking->problems);
}

static enum status look_at_replies(struct looking *looking, struct connection *connection) {
    return replies_look(connection, looking->context->arena, looking->problems);
}

static enum status look_at_money_limits(struct looking *looking, struct connection *connection) {
    return money_limits_judge(connection, looking->context->arena, looking->problems);
}

static enum status look_at_database_settings(struct looking *looking, struct connection *connection) {
    struct database_settings settings;
    struct arena *arena = looking->context->arena;
    enum status status = database_settings_read(connection, arena, &settings);
    if (status != STATUS_OK) {
        return status;
    }
    struct record *record = record_record(looking->record, "database");
    record_number(record, "cancel_window_seconds", seconds(settings.cancel_window));
    record_text(record, "secure_timestamp", settings.secure_timestamp);
    const struct text refused = database_settings_refused_writes(&settings);
    looking->writes_are_refused = refused.size > 0;
    const struct text wrong[] = {
        database_settings_other_window(&settings, looking->context->config.worker.cancel_window, arena), refused,
        database_settings_lost_commits(&settings, arena)};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        if (wrong[i].size > 0) {
            problem_add(looking->problems, "%.*s", TEXT_ARGS(wrong[i]));
        }
    }
    return STATUS_OK;
}

static enum status look_at_replicas(struct looking *looking, struct connection *connection) {
    return replicas_look(&looking->context->config, connection, looking->problems);
}

/* This host's clock decides nothing about money. It sets the times in the log, and workers judge signed requests by it.
 */
static enum status look_at_clock(struct looking *looking, struct connection *connection) {
    instant now = 0;
    enum status status = settlements_now(connection, &now);
    duration apart = now > clock_host() ? now - clock_host() : clock_host() - now;
    if (status == STATUS_OK && apart > CLOCKS_APART) {
        problem_add(looking->problems,
                    "the clocks of this host and of the database differ by %llu s: run "
                    "timedatectl on both machines; correct the database's clock slowly",
                    (unsigned long long)seconds(apart));
    }
    return status;
}

static enum status look_at_retention(struct looking *looking, struct connection *connection) {
    return retention_look(looking->context, connection, looking->problems);
}

static enum status look_at_notes(struct looking *looking, struct connection *connection) {
    return noted_look(looking->context, connection, looking->record, looking->problems);
}

static enum status look_at_workers(struct looking *looking, struct connection *connection) {
    return workers_look(looking->context, connection, looking->record, looking->problems);
}

/* The other checks need the schema that this program knows. */
static enum status look_at_schema(struct looking *looking, struct connection *connection, bool *current) {
    unsigned version = 0, known = schema_known_version();
    enum status status = schema_version(connection, &version);
    struct record *schema = record_record(looking->record, "schema");
    record_number(schema, "version", version);
    record_number(schema, "known_version", known);
    *current = version == known;
    if (status == STATUS_OK && !*current) {
        problem_add(looking->problems, "the schema has version %u, this program knows %u: %s", version, known,
                    version < known ? "run recaudoctl db migrate" : "install the newer program");
    }
    return status;
}

static enum outcome report(struct looking *looking) {
    bool well = looking->problems->count == 0;
    struct record *record = looking->record;
    for (const struct record *problem = looking->problems->first; problem != NULL; problem = problem->next) {
        remark("%s", problem->first->value.text.at);
    }
    record_text(record, "state", well ? TEXT("well") : TEXT("attention"));
    record_add_list(record, "problems", looking->problems);
    output_record(record, looking->context->json);
    return well ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome take_late_seconds(const struct context *context, uint64_t *out) {
    struct text given = arguments_get(&context->arguments, "late");
    *out = LATE_SECONDS_STANDARD;
    if (given.at != NULL && (!text_to_number(given, out) || *out < 1 || *out > LATE_SECONDS_MOST)) {
        return misuse(context, "--late is a number of seconds from 1 to %d", LATE_SECONDS_MOST);
    }
    return OUTCOME_DONE;
}

static enum outcome show_status(struct context *context) {
    /* A cause is listed before its consequences. */
    static enum status (*const LOOKS[])(struct looking *, struct connection *) = {
        look_at_replicas,  look_at_clock,        look_at_secrets,  look_at_replies,     look_at_notes,
        look_at_workers,   look_at_dispatchers,  look_at_work,     look_at_settlements, look_at_seals,
        look_at_endpoints, look_at_money_limits, look_at_retention};
    struct connection_options options = {.config = &context->config, .account = &context->config.database.operator};
    struct connection *connection = NULL;
    bool current = false;
    struct looking looking = {.context = context, .record = record_create(context->arena)};
    looking.problems = record_list_create(context->arena);
    enum outcome outcome = take_late_seconds(context, &looking.late_seconds);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    certificate_look(context, looking.record, looking.problems);
    query_process_look(context, looking.record, looking.problems);
    enum status status = connection_open(&options, &connection);
    if (status == STATUS_OK) {
        status = look_at_schema(&looking, connection, &current);
    }
    if (status == STATUS_OK && current) {
        status = look_at_database_settings(&looking, connection);
    }
    if (status == STATUS_OK && current && !looking.writes_are_refused) {
        writes_look(&options, looking.problems); /* early, because refused writes cause most of the other problems */
    }
    for (size_t i = 0; i < COUNT_OF(LOOKS) && current && status == STATUS_OK; i++) {
        status = LOOKS[i](&looking, connection);
    }
    if (status == STATUS_AWAY && connection != NULL) {
        status = STATUS_UNSURE; /* behind an ALTER that waits, a statement ends before it was sent */
    }
    connection_close(connection);
    return status == STATUS_OK ? report(&looking) : fail(context, status, "read the health of the service");
}

static const struct option_spec STATUS_OPTIONS[] = {
    {.name = "late", .value = "SECONDS", .help = "report what has waited longer than this (60)"},
    {.name = NULL},
};

const struct command status_commands[] = {
    {"", "", "health of the service: queue of notifications, overdue work, failing endpoints, dispatchers, schema",
     "Exit status: 0 healthy; 1 something needs attention; 2 wrong usage; 3 the database cannot be reached.\n"
     "Needs attention: the schema's version is not the program's; the database's cancel_window is not the configured\n"
     "one; the key file does not decrypt a stored secret; requests were answered 0028 in the last minute, or 0009,\n"
     "or confirmations 0113, in the last five; no settling or no delivering dispatcher was seen, or no workers\n"
     "where some ran within a day; due notifications, closed windows, overdue orders, operations that are in no\n"
     "settlement, or the closing or the digest of one wait longer than --late; the last settlements were closed for\n"
     "days of different zones; the event log is not sealed, or does not fit its newest seals; notifications of an\n"
     "enabled merchant are exhausted; an endpoint has failed, or a merchant has acknowledged nothing, for 15 minutes;\n"
     "the last two queries of an integration got no valid answer within a day; the clocks of host and database\n"
     "differ; a network has used 80 % of a limit; the database accepts no writes, or no replica acknowledges them;\n"
     "no backup was noted for 26 hours; the web server's certificate or an issuer in its file expires within 14 days\n"
     "or is not valid yet; recaudo-query of this host does not answer; it or the workers of a host have refused a\n"
     "reload; a dispatcher cannot record deliveries, or write its seal_file; the workers lack a right that requests\n"
     "need; [retention] removed nothing for two days.\n"
     "Each is a line on standard error and an entry of `problems`, with the command that shows it.\n"
     "Notifications that are held for an endpoint which rests, and unaddressed ones of merchants without an address,\n"
     "are no problem of the service.",
     STATUS_OPTIONS, 0, NEEDS_CONFIG | TELLS_STATE, show_status},
    {.verb = NULL},
};
