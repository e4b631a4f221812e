#include "store/operation/retention.h"

#include "base/zone/zone_day.h"
#include "store/db/guarded.h"

const char sql_text_of_retention_find[] =
    "SELECT begun_for, last_id, removed, ended_at IS NOT NULL FROM retention WHERE what = ?";

/* In the order of enum purge_kind. */
const char sql_text_of_retention_nights[] = "SELECT " SQL_AGE(begun_for) " FROM retention ORDER BY what + 0";

/* Guarded by the walk that was read, so that only one of two dispatchers begins the next. */
const char sql_text_of_retention_begin[] =
    "UPDATE retention SET begun_for = ?, last_id = 0, removed = 0, ended_at = NULL WHERE what = ? AND begun_for = ?";

const char sql_text_of_retention_advance[] =
    "UPDATE retention SET last_id = ?, removed = removed + ?, ended_at = IF(? = 1, UTC_TIMESTAMP(6), NULL)"
    " WHERE what = ? AND begun_for = ? AND last_id = ? AND ended_at IS NULL";

duration retention_age(const struct config *config, enum purge_kind kind) {
    const duration ages[PURGE_KINDS] = {[PURGE_ATTEMPTS] = config->retention.attempts,
                                        [PURGE_QUERIES] = config->retention.queries,
                                        [PURGE_TRANSACTIONS] = config->retention.personal,
                                        [PURGE_ORDERS] = config->retention.personal};
    return config->retention.begin_at == ZONE_TIME_OFF ? CONFIG_KEPT : ages[kind];
}

struct text retention_name(enum purge_kind kind) {
    static const char *const NAMES[PURGE_KINDS] = {[PURGE_ATTEMPTS] = "attempts",
                                                   [PURGE_QUERIES] = "queries",
                                                   [PURGE_TRANSACTIONS] = "transactions",
                                                   [PURGE_ORDERS] = "orders"};
    return text_of(NAMES[kind]);
}

const char *retention_words(enum purge_kind kind) {
    static const char *const WORDS[PURGE_KINDS] = {[PURGE_ATTEMPTS] = "delivery attempts",
                                                   [PURGE_QUERIES] = "records of external queries",
                                                   [PURGE_TRANSACTIONS] = "transactions' personal data",
                                                   [PURGE_ORDERS] = "orders' personal data"};
    return WORDS[kind];
}

enum status retention_nights(struct connection *connection, duration ago[PURGE_KINDS]) {
    struct sql *sql = sql_begin(connection, SQL_retention_nights);
    enum status status = sql_first(sql);
    for (enum purge_kind kind = 0; status == STATUS_OK && kind < PURGE_KINDS; kind++, status = sql_next(sql)) {
        ago[kind] = (duration)sql_get_number(sql);
    }
    return sql_end_list(sql, status);
}

enum status retention_find(struct connection *connection, enum purge_kind kind, struct retention_walk *out) {
    struct sql *sql = sql_begin(connection, SQL_retention_find);
    sql_text(sql, retention_name(kind));
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->begun_for = sql_get_instant(sql);
        out->last_id = sql_get_number(sql);
        out->removed = sql_get_number(sql);
        out->has_ended = sql_get_number(sql) != 0;
    }
    sql_end(sql);
    return status;
}

enum status retention_begin(struct connection *connection, enum purge_kind kind, instant begun_for,
                            struct retention_walk *walk) {
    struct sql *sql = sql_begin(connection, SQL_retention_begin);
    sql_instant(sql, begun_for);
    sql_text(sql, retention_name(kind));
    sql_instant(sql, walk->begun_for);
    enum status status = guarded_run(sql);
    if (status == STATUS_OK) {
        *walk = (struct retention_walk){.begun_for = begun_for};
    }
    return status;
}

struct step {
    const struct purge *purge;
    const struct retention_walk *walk;
    struct purge_batch batch;
    uint64_t written;
};

static enum status advance(struct connection *connection, const struct step *step) {
    struct sql *sql = sql_begin(connection, SQL_retention_advance);
    sql_number(sql, step->batch.last_id);
    sql_number(sql, step->written);
    sql_number(sql, step->batch.is_last);
    sql_text(sql, retention_name(step->purge->kind));
    sql_instant(sql, step->walk->begun_for);
    sql_number(sql, step->walk->last_id);
    return guarded_run(sql);
}

static enum status write_retention(struct connection *connection, void *context) {
    struct step *step = context;
    step->written = 0;
    enum status status =
        step->batch.count == 0 ? STATUS_OK : purges_write(connection, step->purge, &step->batch, &step->written);
    return status == STATUS_OK ? advance(connection, step) : status;
}

enum status retention_step(struct connection *connection, struct arena *scratch, const struct purge *purge,
                           duration until, struct retention_walk *walk) {
    struct step step = {.purge = purge, .walk = walk, .batch = {.last_id = walk->last_id}};
    enum status status = STATUS_OK;
    do {
        arena_reset(scratch);
        status = purges_find(connection, scratch, purge, &step.batch);
    } while (status == STATUS_OK && step.batch.count == 0 && !step.batch.is_last && clock_monotonic() < until);
    if (status == STATUS_OK) {
        status = sql_transact(connection, write_retention, &step);
    }
    if (status == STATUS_OK) {
        walk->last_id = step.batch.last_id;
        walk->removed += step.written;
        walk->has_ended = step.batch.is_last;
    }
    return status;
}
