#include "store/operation/replication.h"

#include "base/config/hosts.h"
#include "store/db/rows.h"

const char sql_text_of_replication_look[] =
    "SELECT (SELECT COUNT(*) FROM information_schema.GLOBAL_VARIABLES"
    "         WHERE VARIABLE_NAME = 'wsrep_on' AND VARIABLE_VALUE = 'ON'),"
    "       (SELECT COUNT(*) FROM information_schema.GLOBAL_STATUS"
    "         WHERE VARIABLE_NAME = 'Rpl_semi_sync_master_status' AND VARIABLE_VALUE = 'ON'),"
    "       (SELECT COUNT(*) FROM information_schema.GLOBAL_STATUS"
    "         WHERE VARIABLE_NAME = 'Rpl_semi_sync_master_clients' AND VARIABLE_VALUE > 0)";

/* A period such as PT30S, PT1M30S or P1D; Galera takes a bare number for seconds. The variable is asked itself, because
 * information_schema cuts its text off. */
#define PART(unit, seconds) "(REGEXP_SUBSTR(period, '[0-9.]+(?=" unit ")') * " seconds ")"

const char sql_text_of_replication_causal_wait[] =
    "SELECT CAST(1000000 * (" PART("S|$", "1") "+" PART("M", "60") "+" PART("H", "3600") "+" PART(
        "D", "86400") ")"
                      " AS UNSIGNED) FROM (SELECT"
                      " REGEXP_SUBSTR(@@wsrep_provider_options, '(?<=repl.causal_read_timeout = )[^;]*') AS period) p";

static bool names_several_servers(const struct config *config) {
    struct hosts hosts;
    return config->database.host != NULL && hosts_parse(text_of(config->database.host), &hosts) && hosts.count > 1;
}

enum status replication_look(struct connection *connection, const struct config *config, enum replication *out) {
    *out = REPLICATION_NONE;
    if (!names_several_servers(config)) {
        return STATUS_OK;
    }
    struct sql *sql = sql_begin(connection, SQL_replication_look);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        bool is_galera = sql_get_number(sql) != 0, waits = sql_get_number(sql) != 0,
             has_replica = sql_get_number(sql) != 0;
        *out = is_galera     ? REPLICATION_NONE
               : !waits      ? REPLICATION_OFF
               : has_replica ? REPLICATION_WAITS
                             : REPLICATION_ALONE;
    }
    sql_end(sql);
    return status;
}

struct text replication_problem(enum replication replication) {
    switch (replication) {
    case REPLICATION_OFF:
        return TEXT(
            "the database acknowledges payments that no replica has (Rpl_semi_sync_master_status is not ON), and "
            "they are lost with its machine: mend the replicas (SHOW SLAVE STATUS on each), then on the primary "
            "SET GLOBAL rpl_semi_sync_master_enabled = ON (cluster.md, Primary and replica)");
    case REPLICATION_ALONE:
        return TEXT(
            "no replica acknowledges to the primary (Rpl_semi_sync_master_clients is 0): payments wait, and after "
            "rpl_semi_sync_master_timeout they are on one server alone: SHOW SLAVE STATUS on each replica, then "
            "START SLAVE there (cluster.md, Primary and replica)");
    case REPLICATION_NONE:
    case REPLICATION_WAITS:
        break;
    }
    return TEXT("");
}

enum status replication_causal_wait(struct connection *connection, const struct config *config, duration *out) {
    uint64_t wait = 0;
    enum status status = names_several_servers(config)
                             ? rows_one_number(sql_begin(connection, SQL_replication_causal_wait), &wait)
                             : STATUS_OK;
    *out = (duration)wait;
    return status;
}

struct text replication_short_wait(duration causal_wait, const struct config *config, struct arena *arena) {
    if (causal_wait == 0 || causal_wait > config->database.read_timeout) {
        return TEXT("");
    }
    return arena_print(arena,
                       "%g s, and [database] read_timeout is %g s: a program would stay with a server that does not "
                       "catch up (0028) instead of using the next one; in wsrep_provider_options set it far above, to "
                       "PT30S (cluster.md, Galera)",
                       (double)causal_wait / SECOND, (double)config->database.read_timeout / SECOND);
}
