#include "api/monitoring/metrics_database.h"

#include "api/monitoring/key_check.h"
#include "api/monitoring/writes_check.h"
#include "base/log.h"
#include "store/operation/measures.h"
#include "store/operation/replication.h"
#include "store/schema/schema.h"

/* The measured values, and what they are compared with. */
struct measuring {
    const struct measures *measures;
    const struct config *config;
    instant host_clock; /* read at the same time */
};

/* Adds the number of overdue rows and the age of the oldest; 0 if there is none. */
static void add_overdue(struct exposition *out, const char *name, const char *help, const char *age_name,
                        const char *age_help, const struct overdue *overdue) {
    exposition_gauge(out, name, help, overdue->count);
    exposition_family(out, age_name, "gauge", age_help);
    exposition_duration(out, EXPOSITION_NO_LABELS, overdue->oldest > 0 ? overdue->oldest : 0);
}

static void add_due(struct exposition *out, const struct measuring *of) {
    add_overdue(out, "recaudo_notifications_due", "Notifications that are due now; counted up to 10000.",
                "recaudo_notifications_oldest_due_age_seconds",
                "How long the oldest due notification has been due; 0: none is.", &of->measures->due);
    add_overdue(out, "recaudo_notifications_held",
                "Notifications that are due but held, because the merchant's endpoint rests or has no URL; counted up "
                "to 10000.",
                "recaudo_notifications_oldest_held_age_seconds", "How long the oldest held notification has been due.",
                &of->measures->held);
}

static void add_exhausted(struct exposition *out, const struct measuring *of) {
    exposition_gauge(out, "recaudo_notifications_exhausted",
                     "Notifications whose attempts have all failed and that wait for an operator, without those of "
                     "disabled merchants; counted up to 10000.",
                     of->measures->exhausted);
}

static void add_stuck(struct exposition *out, const struct measuring *of) {
    add_overdue(out, "recaudo_notifications_stuck",
                "Notifications that are stuck behind an earlier one already finished, until the delivering dispatcher "
                "releases them; counted up to 20000.",
                "recaudo_notifications_oldest_stuck_age_seconds", "How long the oldest stuck notification has waited.",
                &of->measures->stuck);
}

static void add_windows(struct exposition *out, const struct measuring *of) {
    add_overdue(out, "recaudo_windows_overdue",
                "Cancellation windows that have closed but are not written as final; counted up to 10000.",
                "recaudo_windows_oldest_overdue_age_seconds", "How long ago the oldest overdue window closed.",
                &of->measures->windows);
}

static void add_expiries(struct exposition *out, const struct measuring *of) {
    add_overdue(out, "recaudo_orders_overdue",
                "Orders that are overdue but not written as expired; counted up to 10000.",
                "recaudo_orders_oldest_overdue_age_seconds", "How long the oldest overdue order has been overdue.",
                &of->measures->expiries);
}

static void add_settlement(struct exposition *out, const struct measuring *of) {
    const struct settlement_delay *delay = &of->measures->settlement;
    exposition_family(out, "recaudo_settlement_closing_overdue_seconds", "gauge",
                      "How long the closing of the open settlement has been overdue; 0: not due, or close_at is off.");
    exposition_duration(out, EXPOSITION_NO_LABELS, delay->closing);
    add_overdue(out, "recaudo_settlements_without_digest", "Closed settlements whose digest is not computed yet.",
                "recaudo_settlements_oldest_without_digest_age_seconds",
                "How long ago the oldest settlement without a digest was closed.", &delay->unsummed);
    add_overdue(
        out, "recaudo_operations_uncollected",
        "Payments, cancellations and refunds that are in no settlement yet; counted up to 500.",
        "recaudo_operations_oldest_uncollected_age_seconds",
        "How long ago the oldest of them was due: the end of its window, its cancellation or its refund; 0: none.",
        &delay->uncollected);
}

static void add_retention(struct exposition *out, const struct measuring *of) {
    exposition_family(out, "recaudo_retention_age_seconds", "gauge",
                      "How long ago the night is of which the last removal of these old records is, whether it has "
                      "ended or not; absent: [retention] keeps them.");
    for (enum purge_kind kind = 0; kind < PURGE_KINDS; kind++) {
        const struct exposition_label label = {"what", retention_name(kind)};
        if (retention_age(of->config, kind) != CONFIG_KEPT) {
            exposition_duration(out, (struct exposition_labels){&label, 1}, of->measures->retention[kind]);
        }
    }
}

static void add_deliveries(struct exposition *out, const struct measuring *of) {
    const struct dispatcher_counts *totals = &of->measures->totals;
    const struct {
        struct text outcome;
        uint64_t count;
    } rows[] = {{TEXT("delivered"), totals->delivered},
                {TEXT("to_be_tried_again"), totals->to_be_tried_again},
                {TEXT("exhausted"), totals->exhausted}};
    exposition_family(out, "recaudo_deliveries_total", "counter",
                      "Delivery attempts of notifications on all hosts, by outcome.");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct exposition_label label = {"outcome", rows[i].outcome};
        exposition_number(out, (struct exposition_labels){&label, 1}, rows[i].count);
    }
    exposition_counter(out, "recaudo_payments_finalised_total", "Payments written as final, on all hosts.",
                       totals->finalised);
    exposition_counter(out, "recaudo_orders_expired_total", "Orders written as expired, on all hosts.",
                       totals->expired);
}

/* Adds the value 1 for each merchant. */
static void add_merchants(struct exposition *out, const char *name, const char *help,
                          const struct merchant_trouble *merchants, size_t count) {
    exposition_family(out, name, "gauge", help);
    for (size_t i = 0; i < count; i++) {
        const struct exposition_label label = {"merchant", merchants[i].name};
        exposition_number(out, (struct exposition_labels){&label, 1}, 1);
    }
}

static void add_merchant_ages(struct exposition *out, const char *name, const char *help,
                              const struct merchant_trouble *merchants, size_t count) {
    exposition_family(out, name, "gauge", help);
    for (size_t i = 0; i < count; i++) {
        const struct exposition_label label = {"merchant", merchants[i].name};
        exposition_duration(out, (struct exposition_labels){&label, 1}, merchants[i].age);
    }
}

static void add_endpoints(struct exposition *out, const struct measuring *of) {
    const struct measures *measures = of->measures;
    exposition_gauge(out, "recaudo_endpoints_resting",
                     "Merchants whose notification endpoint rests after repeated failures.", measures->resting);
    add_merchants(out, "recaudo_endpoint_resting",
                  "1 for each merchant whose endpoint rests; the first 100 in alphabetical order.",
                  measures->resting_merchants, measures->resting_count);
    add_merchant_ages(out, "recaudo_endpoint_failing_seconds",
                      "How long ago the endpoint of a merchant of recaudo_endpoint_resting began to fail.",
                      measures->resting_merchants, measures->resting_count);
}

static void add_refusing_merchants(struct exposition *out, const struct measuring *of) {
    const struct measures *measures = of->measures;
    add_merchants(out, "recaudo_endpoint_refusing",
                  "1 for each merchant whose endpoint answers and has acknowledged no notification for 15 minutes, "
                  "while some failed; the first 100 in alphabetical order.",
                  measures->refusing_merchants, measures->refusing_count);
    add_merchant_ages(out, "recaudo_endpoint_refusing_seconds",
                      "Age of the oldest failed notification of a merchant of recaudo_endpoint_refusing.",
                      measures->refusing_merchants, measures->refusing_count);
}

static void add_refused_networks(struct exposition *out, const struct measuring *of) {
    const struct measures *measures = of->measures;
    exposition_family(out, "recaudo_network_refused_seconds", "gauge",
                      "How long a network's requests have been refused with this CODE, 0019 or 0025; the first 100.");
    for (size_t i = 0; i < measures->refused_count; i++) {
        const struct refused_network *network = &measures->refused_networks[i];
        const struct exposition_label labels[] = {{"network", network->name}, {"code", network->code}};
        exposition_duration(out, (struct exposition_labels){labels, COUNT_OF(labels)}, network->age);
    }
}

static void add_limit(struct exposition *out, const struct money_limit *limit, const struct money_bound *bound,
                      struct text kind) {
    const struct exposition_label labels[] = {
        {"network", limit->network}, {"currency", limit->currency}, {"limit", kind}};
    if (bound->is_set) {
        exposition_number(out, (struct exposition_labels){labels, COUNT_OF(labels)},
                          money_percent(bound->used, bound->most));
    }
}

static void add_network_limits(struct exposition *out, const struct measuring *of) {
    const struct measures *measures = of->measures;
    exposition_family(out, "recaudo_network_limit_used_percent", "gauge",
                      "Percentage of its daily or outstanding limit that a network has used; the first 200.");
    for (size_t i = 0; i < measures->limit_count; i++) {
        const struct money_limit *limit = &measures->limits[i];
        add_limit(out, limit, &limit->day, TEXT("day"));
        add_limit(out, limit, &limit->outstanding, TEXT("outstanding"));
    }
}

static void add_heartbeats(struct exposition *out, const struct measuring *of) {
    const struct measures *measures = of->measures;
    exposition_family(
        out, "recaudo_dispatcher_heartbeat_age_seconds", "gauge",
        "How long ago any dispatcher with this task, settle or deliver, was last alive, by the database's "
        "clock; +Inf: none within a week.");
    for (enum dispatch_task task = 0; task < TASK_COUNT; task++) {
        const struct exposition_label label = {"task", task_name(task)};
        const struct exposition_labels labels = {&label, 1};
        if (measures->heartbeats[task].seen) {
            exposition_duration(out, labels, measures->heartbeats[task].ago);
        } else {
            exposition_infinity(out, labels);
        }
    }
}

static void add_backup(struct exposition *out, const struct measuring *of) {
    const struct backup_age *backup = &of->measures->backup;
    exposition_family(
        out, "recaudo_backup_age_seconds", "gauge",
        "How long ago recaudo-backup last saved the database, on any machine; never: how long ago the first "
        "payment was registered; absent: there is none either.");
    if (backup->is_known) {
        exposition_duration(out, EXPOSITION_NO_LABELS, backup->ago);
    }
}

static void add_clock(struct exposition *out, const struct measuring *of) {
    duration offset = of->measures->database_clock - of->host_clock;
    exposition_family(out, "recaudo_database_clock_offset_seconds", "gauge", "The database's clock minus this host's.");
    exposition_duration(out, EXPOSITION_NO_LABELS, offset);
    if (offset > CLOCKS_APART || offset < -CLOCKS_APART) {
        log_line(LOG_ERROR, "the clocks of this host and of the database differ: run timedatectl on both machines");
    }
}

/* An event must be sealed within two intervals after it was written. */
static void add_seals(struct exposition *out, const struct measuring *of) {
    duration every = of->config->audit.seal_every, overdue = of->measures->unsealed - 2 * every;
    if (every == CONFIG_KEPT) {
        return;
    }
    exposition_family(out, "recaudo_seal_overdue_seconds", "gauge",
                      "How long ago the oldest event of the log that has no seal should have got one; 0: none is "
                      "overdue; absent: [audit] seal_every is off.");
    exposition_duration(out, EXPOSITION_NO_LABELS, overdue > 0 ? overdue : 0);
}

static void add_trouble(struct exposition *out, const struct measuring *of, enum trouble trouble, const char *name,
                        const char *help) {
    exposition_gauge(out, name, help,
                     trouble_is_on(&of->measures->troubles[trouble], trouble, of->config->audit.seal_every));
}

static void add_troubles(struct exposition *out, const struct measuring *of) {
    add_trouble(out, of, TROUBLE_UNRECORDED, "recaudo_deliveries_unrecorded",
                "1: a dispatcher sends no notifications, because it cannot record what becomes of them; 0: none says "
                "so.");
    add_trouble(out, of, TROUBLE_RIGHTS, "recaudo_rights_missing",
                "1: workers lack a right, or a function, that requests need; 0: none says so.");
    if (of->config->audit.seal_every != CONFIG_KEPT) {
        add_trouble(out, of, TROUBLE_HELD, "recaudo_seals_held",
                    "1: a dispatcher does not seal the event log, because the database's seals are not those of its "
                    "seal_file; 0: none says so; absent: [audit] seal_every is off.");
        add_trouble(out, of, TROUBLE_SEAL_FILE, "recaudo_seal_file_fails",
                    "1: a dispatcher cannot read its seal_file, or write seals to it; 0: none says so; absent: [audit] "
                    "seal_every is off.");
    }
}

/* Skips families whose measure could not be read. */
static void add_measures(struct exposition *out, const struct measuring *of) {
    static const struct {
        enum measure measure;
        void (*add)(struct exposition *out, const struct measuring *of);
    } FAMILIES[] = {{MEASURE_ENDPOINTS, add_clock},
                    {MEASURE_HEARTBEATS, add_heartbeats},
                    {MEASURE_BACKUP, add_backup},
                    {MEASURE_SEALS, add_seals},
                    {MEASURE_TROUBLES, add_troubles},
                    {MEASURE_DUE, add_due},
                    {MEASURE_EXHAUSTED, add_exhausted},
                    {MEASURE_STUCK, add_stuck},
                    {MEASURE_WINDOWS, add_windows},
                    {MEASURE_EXPIRIES, add_expiries},
                    {MEASURE_SETTLEMENT, add_settlement},
                    {MEASURE_RETENTION, add_retention},
                    {MEASURE_TOTALS, add_deliveries},
                    {MEASURE_ENDPOINTS, add_endpoints},
                    {MEASURE_REFUSING, add_refusing_merchants},
                    {MEASURE_REFUSED, add_refused_networks},
                    {MEASURE_LIMITS, add_network_limits}};
    exposition_gauge(out, "recaudo_schema_version", "Version of the database's schema.", of->measures->schema_version);
    exposition_gauge(out, "recaudo_measures_missing",
                     "Measures that are absent because the database refuses to read them; the log says why.",
                     measures_count_refused(of->measures));
    for (size_t i = 0; i < COUNT_OF(FAMILIES); i++) {
        if (!of->measures->refused[FAMILIES[i].measure]) {
            FAMILIES[i].add(out, of);
        }
    }
}

/* Absent if the account may not try a write. */
static void add_writable(struct exposition *out, enum database_writes writes) {
    if (writes != WRITES_UNTRIED) {
        exposition_gauge(
            out, "recaudo_database_writable",
            "1: the database accepts writes; 0: its disk is full, it is read only, somebody holds a read lock, or it "
            "waits for a replica's acknowledgement; absent: whether it does cannot be tried.",
            writes == WRITES_ACCEPTED);
    }
}

static void add_replicated(struct exposition *out, enum replication replication) {
    exposition_family(
        out, "recaudo_database_replicated", "gauge",
        "1: a replica has each payment before it is acknowledged; 0: the primary acknowledges alone, or no "
        "replica is there; absent: [database] host names one server, or they are a Galera cluster.");
    if (replication != REPLICATION_NONE) {
        exposition_number(out, EXPOSITION_NO_LABELS, replication == REPLICATION_WAITS);
    }
}

void metrics_database_add(struct call *call, struct exposition *out) {
    struct connection *connection;
    struct measures measures;
    bool key_fits = false;
    enum database_writes writes = WRITES_UNTRIED;
    enum replication replication = REPLICATION_NONE;
    const struct config *config = call->service->config;
    const struct settlement_schedule schedule = {config->settlement.zone, config->settlement.close_at};
    enum status status = call_take_connection(call, &connection);
    instant host_clock = 0;
    if (status == STATUS_OK) {
        status = measures_take(connection, &schedule, MEASURES_COUNT_MAX, call->arena, &measures);
        host_clock = clock_host();
        key_fits = status == STATUS_OK && key_check_file(connection, config->security.key_file, call->arena);
        if (status == STATUS_OK && replication_look(connection, config, &replication) != STATUS_OK) {
            replication = REPLICATION_NONE;
        }
        writes = status == STATUS_OK ? writes_check(connection) : WRITES_UNTRIED;
        pool_give(call->service->pool, connection);
    }
    exposition_gauge(out, "recaudo_schema_known_version", "Version of the schema that this program knows.",
                     schema_known_version());
    exposition_gauge(out, "recaudo_database_up",
                     "1: the database answered; 0: it did not, and metrics that come from it are absent.",
                     status == STATUS_OK);
    if (status == STATUS_OK) {
        exposition_gauge(out, "recaudo_key_fits",
                         "1: the key file decrypts the stored secrets; 0: it is missing or the wrong one.", key_fits);
        add_writable(out, writes);
        add_replicated(out, replication);
        add_measures(out, &(struct measuring){&measures, config, host_clock});
    }
}
