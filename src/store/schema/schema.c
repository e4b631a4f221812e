#include "store/schema/schema.h"

#include "store/db/sql.h"
#include "store/schema/embedded.h"
#include "store/schema/grants.h"

const char sql_text_of_schema_version[] =
    "SELECT COALESCE(MAX(version), 0), COUNT(*) - COUNT(applied_at) FROM schema_version";

const char sql_text_of_migration_lock[] = "SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE";

const char sql_text_of_migration_list[] = "SELECT version, name, checksum FROM schema_version ORDER BY version";

const char sql_text_of_migration_begin[] = "INSERT INTO schema_version (version, name, checksum) VALUES (?, ?, ?)";

const char sql_text_of_migration_end[] = "UPDATE schema_version SET applied_at = UTC_TIMESTAMP(6) WHERE version = ?";

const char sql_text_of_settings_write[] = "UPDATE settings SET cancel_window = ? WHERE id = 1";

unsigned schema_known_version(void) {
    return (unsigned)embedded_migration_count;
}

enum status schema_version(struct connection *connection, unsigned *out) {
    struct sql *sql = sql_begin(connection, SQL_schema_version);
    uint64_t unfinished = 0;
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *out = (unsigned)sql_get_number(sql);
        unfinished = sql_get_number(sql);
    }
    sql_end(sql);
    if (unfinished > 0) {
        log_line(LOG_ERROR,
                 "schema: a migration began and did not end; restore the backup made before it, or finish it by hand "
                 "and set applied_at in schema_version");
        return STATUS_FAULT;
    }
    return status;
}

enum status schema_check(struct connection *connection) {
    unsigned version;
    enum status status = schema_version(connection, &version);
    if (status == STATUS_OK && version != schema_known_version()) {
        log_line(LOG_ERROR, "schema: the database has version %u, this program knows %u: %s", version,
                 schema_known_version(),
                 version < schema_known_version() ? "run `recaudoctl db migrate`" : "install the newer program");
        return STATUS_FAULT;
    }
    return status;
}

enum status schema_connect_at(const struct connection_options *options, size_t server, struct connection **out) {
    enum status status = connection_open_at(options, server, out);
    if (status != STATUS_OK) {
        return status;
    }
    status = schema_check(*out);
    if (status != STATUS_OK) {
        connection_close(*out);
        *out = NULL;
    }
    /* The check only reads: whatever breaks meanwhile leaves nothing open. */
    return status == STATUS_UNSURE || status == STATUS_AGAIN ? STATUS_AWAY : status;
}

enum status schema_connect(const struct connection_options *options, struct connection **out) {
    enum status status = STATUS_AWAY;
    size_t servers = connection_servers(options->config);
    for (size_t server = 0; server < servers && status != STATUS_OK; server++) {
        status = schema_connect_at(options, server, out);
    }
    return status;
}

/* The migrations already there must be the ones this program has. *count: how many there are. */
static enum status compare_applied(struct connection *connection, struct arena *arena, unsigned *count) {
    struct sql *sql = sql_begin(connection, SQL_migration_list);
    enum status status = sql_first(sql);
    for (*count = 0; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t version = sql_get_number(sql);
        struct text name = sql_get_text(sql, arena);
        struct text checksum = sql_get_text(sql, arena);
        bool known = *count < embedded_migration_count && version == *count + 1U;
        if (!known || !text_equal(checksum, text_of(embedded_migrations[*count].checksum))) {
            log_line(LOG_ERROR, "schema: migration %.*s in the database is not the one of this program",
                     TEXT_ARGS(name));
            sql_end(sql);
            return STATUS_FAULT;
        }
        (*count)++;
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}

static enum status note(struct connection *connection, enum statement statement, unsigned version,
                        const struct migration *migration) {
    struct sql *sql = sql_begin(connection, statement);
    sql_number(sql, version);
    if (statement == SQL_migration_begin) {
        sql_text(sql, text_of(migration->name));
        sql_text(sql, text_of(migration->checksum));
    }
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    return status;
}

static enum status apply(struct connection *connection, unsigned version) {
    const struct migration *migration = &embedded_migrations[version - 1];
    enum status status = note(connection, SQL_migration_begin, version, migration);
    if (status == STATUS_OK) {
        status = sql_script(connection, migration->name, migration->sql);
    }
    return status == STATUS_OK ? note(connection, SQL_migration_end, version, migration) : status;
}

static enum status take_lock(struct connection *lock) {
    enum status status = sql_script(lock, "lock", TEXT("START TRANSACTION"));
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(lock, SQL_migration_lock);
    status = sql_first(sql);
    sql_end(sql);
    if (status == STATUS_AGAIN) {
        log_line(LOG_ERROR, "schema: somebody else is migrating");
    }
    return status;
}

/* What the database itself goes by of the configuration. */
static enum status write_settings(struct connection *connection, const struct schema_terms *terms) {
    struct sql *sql = sql_begin(connection, SQL_settings_write);
    sql_number(sql, (uint64_t)terms->cancel_window);
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    return status;
}

enum status schema_migrate(struct connection *connection, struct connection *lock, const struct schema_terms *terms,
                           struct arena *arena, struct schema_report *report) {
    unsigned version = 0;
    *report = (struct schema_report){0, {"", 0}};
    enum status status = sql_script(connection, "versions.sql", embedded_versions);
    if (status == STATUS_OK) {
        status = take_lock(lock);
    }
    if (status == STATUS_OK) {
        status = schema_version(connection, &version);
    }
    if (status == STATUS_OK) {
        status = compare_applied(connection, arena, &version);
    }
    while (status == STATUS_OK && version < embedded_migration_count) {
        status = apply(connection, ++version);
        report->applied += status == STATUS_OK;
    }
    if (status == STATUS_OK) {
        status = write_settings(connection, terms);
    }
    return status == STATUS_OK ? grants_apply(connection, terms->account_host, arena, &report->revoked) : status;
}
