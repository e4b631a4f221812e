#include "ctl/audit/audit_key.h"
#include "ctl/audit/audit_resume.h"
#include "ctl/audit/audit_verify.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "store/operation/seals.h"

static void add_seal_to_list(void *context, const struct seal_row *row) {
    struct record *record = record_list_add(context);
    record_number(record, "seal", row->number);
    record_text(record, "sealed_at", row->sealed_at);
    record_number(record, "first_id", row->first_id);
    record_number(record, "last_id", row->last_id);
    record_number(record, "count", row->count);
    record_text_or_nothing(record, "late", row->late);
    record_text(record, "events", row->events);
    record_text(record, "digest", row->digest);
    record_text_or_nothing(record, "key_id", row->key_id);
    record_text_or_nothing(record, "signature", row->signature);
}

static enum outcome audit_seals(struct context *context) {
    uint64_t limit;
    enum outcome outcome = list_options_limit(context, &limit);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *seals = record_list_create(context->arena);
    enum status status = seals_list(context->connection, limit, context->arena, add_seal_to_list, seals);
    if (status != STATUS_OK) {
        return fail(context, status, "list the seals");
    }
    list_options_print(context, seals, limit);
    return OUTCOME_DONE;
}

static const struct option_spec SEALS_OPTIONS[] = {
    LIMIT_OPTION,
    {.name = NULL},
};

const struct command audit_commands[] = {
    {"verify", "", "check the event log against its seals",
     "Computes each seal anew from the events as they are now, and names what was removed, added or changed; exit\n"
     "status 1 if anything was. late_events were committed after their range was sealed and are in a later seal;\n"
     "waiting_events will be. Whoever owns the schema can make all seals anew: what shows that is their signature\n"
     "(--public-key) or a copy of them on another machine (--against). See doc/audit.md.",
     audit_verify_options, 0, NEEDS_DATABASE, audit_verify},
    {"seals", "", "the newest seals of the event log", NULL, SEALS_OPTIONS, 0, NEEDS_DATABASE, audit_seals},
    {"resume", "", "let sealing go on after the seals of the database and of the seal file differed",
     "Where the last seal of [audit] seal_file is not in the database, the dispatcher of that host seals nothing: the\n"
     "newest seals were removed or made anew, or the database was restored. Find out which first (audit verify\n"
     "--against). Then run this on that host, as root: a line with your name and reason goes into the file.",
     audit_resume_options, 0, NEEDS_DATABASE | RUN_BY_ROOT, audit_resume},
    {"key", "", "print the public key of the key that signs seals",
     "The private key is the file that [audit] signing_key names, which the settling dispatcher must be able to read:\n"
     "chown root:recaudo_dispatcher, chmod 640. Give the public key to whoever checks seals.",
     audit_key_options, 0, NEEDS_CONFIG, audit_key},
    {.verb = NULL},
};
