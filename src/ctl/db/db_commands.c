#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "store/schema/id_counters.h"
#include "store/schema/schema.h"

/* For another migration that is running, or for a lock. One try waits for seconds, or for a minute. */
#define LONGEST_WAIT (10 * MINUTE)

/* Splits a script in which each statement is one line. */
static void list_statements(struct record_list *list, struct text script) {
    const char *end;
    while (script.size > 0 && (end = memchr(script.at, '\n', script.size)) != NULL) {
        size_t size = (size_t)(end - script.at);
        record_text(record_list_add(list), "statement", (struct text){script.at, size});
        script = (struct text){end + 1, script.size - size - 1};
    }
}

static const char IT_BEGAN[] =
    "it began, and programs refuse the schema: mend that and run recaudoctl db migrate again, "
    "which goes on";
static const char IT_IS_APPLIED[] =
    "the schema is migrated: mend that and run recaudoctl db migrate again, which writes them";

static enum outcome db_refuse(struct context *context, enum status status, const struct schema_report *report) {
    if (report->applied > 0) {
        return fail_after(context, status, "write cancel_window and the grants", IT_IS_APPLIED);
    }
    if (report->begun) {
        return fail_after(context, status, "migrate the schema", IT_BEGAN);
    }
    return status == STATUS_AGAIN
               ? refuse(context, "cannot migrate the schema: others kept it waiting for ten minutes; the lines above "
                                 "say who: run recaudoctl db migrate again when they have ended")
               : fail(context, status, "migrate the schema");
}

static enum outcome db_apply(struct context *context, struct connection *connection) {
    struct schema_report report = {.applied = 0};
    enum status status;
    duration until = clock_monotonic() + LONGEST_WAIT;
    do {
        status = schema_migrate(connection, &context->config, context->arena, &report);
    } while (status == STATUS_AGAIN && clock_monotonic() < until);
    if (status != STATUS_OK) {
        return db_refuse(context, status, &report);
    }
    struct record *record = record_create(context->arena);
    record_number(record, "applied", report.applied);
    record_number(record, "version", schema_known_version());
    list_statements(record_list(record, "revoked"), report.revoked);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static struct connection_options as_owner(const struct context *context) {
    return (struct connection_options){.config = &context->config, .account = &context->config.database.owner};
}

static const char AS_OWNER[] = "connect as the schema's owner ([database] owner_user)";

static enum outcome migrate(struct context *context) {
    struct connection_options options = as_owner(context);
    struct connection *connection = NULL;
    context->config.database.read_timeout = DAY; /* rebuilding a large table, or waiting for a reader, can take long */
    enum status status = connection_open(&options, &connection);
    enum outcome outcome = status == STATUS_OK ? db_apply(context, connection) : fail(context, status, AS_OWNER);
    connection_close(connection);
    return outcome;
}

/*
 * 16 million payments write this many rows of event_log, the table that grows fastest. At 100 payments a second, that
 * is more than a day. pv_po_id stays below 2^31 even after 20 restores.
 */
#define DEFAULT_MARGIN "100000000"

static enum outcome take_margin(const struct context *context, uint64_t *out) {
    struct text given = arguments_get(&context->arguments, "margin");
    if (!text_to_number(given.at == NULL ? TEXT(DEFAULT_MARGIN) : given, out) || *out == 0) {
        return misuse(context, "--margin is how many ids may have been given meanwhile: a number from 1 on");
    }
    return OUTCOME_DONE;
}

static void print_counters(struct context *context, uint64_t margin, const struct id_counter *before,
                           const struct id_counter *after, size_t count) {
    struct record *record = record_create(context->arena);
    record_number(record, "margin", margin);
    struct record_list *list = record_list(record, "tables");
    for (size_t i = 0; i < count; i++) {
        struct record *line = record_list_add(list);
        record_text(line, "table", after[i].table);
        record_number(line, "next_before", before[i].next);
        record_number(line, "next", after[i].next);
    }
    output_record(record, context->json);
}

static enum outcome move_counters(struct context *context, struct connection *connection, uint64_t margin) {
    struct id_counter *before, *after;
    size_t count_before, count;
    enum status status = id_counters_list(connection, context->arena, &before, &count_before);
    if (status == STATUS_OK) {
        status = id_counters_skip(connection, margin, context->arena);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "move the numbers of new rows on");
    }
    status = id_counters_list(connection, context->arena, &after, &count);
    if (status != STATUS_OK) {
        return fail_after(context, status, "read the new numbers", "they were moved on");
    }
    if (count != count_before) {
        return refuse(context, "the numbers of new rows were moved on, but the list of tables changed meanwhile");
    }
    print_counters(context, margin, before, after, count);
    return OUTCOME_DONE;
}

static enum outcome skip_ids(struct context *context) {
    struct connection_options options = as_owner(context);
    struct connection *connection = NULL;
    uint64_t margin;
    enum outcome outcome = take_margin(context, &margin);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    context->config.database.read_timeout = HOUR; /* ALTER waits for transactions that use the table */
    enum status status = schema_connect(&options, &connection);
    outcome = status == STATUS_OK ? move_counters(context, connection, margin) : fail(context, status, AS_OWNER);
    connection_close(connection);
    return outcome;
}

/* Compares the database's schema version with this program's, and says what to do. */
static const char *judge_version(unsigned version) {
    if (version == schema_known_version()) {
        return "current";
    }
    remark("the database has schema version %u, this program knows %u: %s", version, schema_known_version(),
           version < schema_known_version() ? "run recaudoctl db migrate" : "install the newer program");
    return version < schema_known_version() ? "older" : "newer";
}

static enum outcome status(struct context *context) {
    struct connection_options options = {.config = &context->config, .account = &context->config.database.operator};
    struct connection *connection = NULL;
    unsigned version = 0;
    enum status status = connection_open(&options, &connection);
    if (status == STATUS_OK) {
        status = schema_version(connection, &version);
    }
    connection_close(connection);
    if (status != STATUS_OK) {
        return fail(context, status,
                    status == STATUS_FAULT ? "read the schema's version (recaudoctl db migrate makes the schema)"
                                           : "read the schema's version");
    }
    struct record *record = record_create(context->arena);
    record_flag(record, "reachable", true);
    record_number(record, "version", version);
    record_number(record, "known_version", schema_known_version());
    record_text(record, "state", text_of(judge_version(version)));
    output_record(record, context->json);
    return version == schema_known_version() ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static const struct option_spec SKIP_OPTIONS[] = {
    {.name = "margin",
     .value = "N",
     .help = "at least how many rows any table may have got since the backup (" DEFAULT_MARGIN ")"},
    {.name = NULL},
};

const struct command db_commands[] = {
    {"migrate", "", "bring the schema to the version of this program",
     "Connects as [database] owner_user, which must own the database. Applies the migrations that are missing,\n"
     "in order, writes [worker] cancel_window into the database, and makes the grants of the other accounts, which\n"
     "must exist (sql/accounts.sql), exactly those of sql/grants.sql: what more they have is revoked and told.\n"
     "Safe to run again, and from two places at once: when it was killed, failed or lost the database, it goes on.\n"
     "Make a backup first.",
     no_options, 0, NEEDS_CONFIG, migrate},
    {"skip-ids", "", "advance the ids of new rows beyond any that may have been assigned",
     "After a backup was restored, or a server took over that lagged behind: it does not know the last ids that were\n"
     "given (pv_po_id, IDSERVICE and others), and must not give them again. Before the programs start. Run again, it\n"
     "moves them once more, which is safe. Connects as [database] owner_user. `recaudo-backup restore` does it itself.",
     SKIP_OPTIONS, 0, NEEDS_CONFIG, skip_ids},
    {"status", "", "the schema's version; exit status 1 if it is not this program's", NULL, no_options, 0, NEEDS_CONFIG,
     status},
    {.verb = NULL},
};
