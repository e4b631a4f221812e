#include "ctl/output.h"
#include "ctl/report.h"
#include "store/schema.h"

/* Somebody else who is migrating is waited for: a try waits about 4 s. */
enum { TRIES_MAX = 150 };

static enum outcome apply(struct context *context, struct connection *connection, struct connection *lock) {
    const struct schema_terms terms = {text_of(context->config.database.account_host),
                                       context->config.worker.cancel_window};
    struct schema_report report;
    enum status status;
    int tries = 0;
    do {
        status = schema_migrate(connection, lock, &terms, context->arena, &report);
    } while (status == STATUS_AGAIN && ++tries < TRIES_MAX);
    if (status != STATUS_OK) {
        return fail(context, status, "migrate the schema");
    }
    struct record *record = record_create(context->arena);
    record_number(record, "applied", report.applied);
    record_number(record, "version", schema_known_version());
    record_text(record, "revoked", report.revoked);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static enum outcome migrate(struct context *context) {
    struct connection_options options = {
        .any_schema = true, .config = &context->config, .account = &context->config.database.owner};
    struct connection *connection = NULL, *lock = NULL;
    enum outcome outcome;
    context->config.database.read_timeout = HOUR; /* rebuilding a large table takes its time */
    enum status status = connection_open(&options, &connection);
    if (status == STATUS_OK) {
        status = connection_open(&options, &lock);
    }
    if (status == STATUS_OK) {
        outcome = apply(context, connection, lock);
    } else {
        outcome = fail(context, status, "connect as the schema's owner ([database] owner_user)");
    }
    connection_close(lock);
    connection_close(connection);
    return outcome;
}

/* How the database's version stands to this program's; says what to do about it. */
static const char *judge(unsigned version) {
    if (version == schema_known_version()) {
        return "current";
    }
    remark("the database has schema version %u, this program knows %u: %s", version, schema_known_version(),
           version < schema_known_version() ? "run recaudoctl db migrate" : "install the newer program");
    return version < schema_known_version() ? "older" : "newer";
}

static enum outcome status(struct context *context) {
    struct connection_options options = {
        .any_schema = true, .config = &context->config, .account = &context->config.database.operator};
    struct connection *connection = NULL;
    unsigned version = 0;
    enum status status = connection_open(&options, &connection);
    if (status == STATUS_OK) {
        status = schema_version(connection, &version);
    }
    connection_close(connection);
    if (status != STATUS_OK) {
        return fail(context, status, "read the schema's version (recaudoctl db migrate makes the schema)");
    }
    struct record *record = record_create(context->arena);
    record_flag(record, "reachable", true);
    record_number(record, "version", version);
    record_number(record, "known_version", schema_known_version());
    record_text(record, "state", text_of(judge(version)));
    output_record(record, context->json);
    return version == schema_known_version() ? OUTCOME_DONE : OUTCOME_REFUSED;
}

const struct command db_commands[] = {
    {"migrate", "", "bring the schema to the version of this program",
     "Connects as [database] owner_user, which must own the database. Applies the migrations that are missing,\n"
     "in order, writes [worker] cancel_window into the database, and makes the grants of the other accounts, which\n"
     "must exist (sql/accounts.sql), exactly those of sql/grants.sql: what more they have is revoked and told.\n"
     "Safe to run again, and from two places at once. Make a backup first.",
     no_options, 0, NEEDS_CONFIG, migrate},
    {"status", "", "the schema's version; exit status 1 when it is not this program's", NULL, no_options, 0,
     NEEDS_CONFIG, status},
    {.verb = NULL},
};
