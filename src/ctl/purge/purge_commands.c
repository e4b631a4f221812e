#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "store/operation/purges.h"
#include "store/payment/settlements.h"

enum { KINDS_OF_WORD = 2 };

/* The values of --what, and the store's kind of record for each. */
static const struct {
    const char *word;
    size_t count;
    enum purge_kind kinds[KINDS_OF_WORD];
} WORDS[] = {
    {"attempts", 1, {PURGE_ATTEMPTS}},
    {"queries", 1, {PURGE_QUERIES}},
    {"personal", 2, {PURGE_TRANSACTIONS, PURGE_ORDERS}},
};

static const char *const KEYS[PURGE_KINDS] = {[PURGE_ATTEMPTS] = "attempts",
                                              [PURGE_QUERIES] = "queries",
                                              [PURGE_TRANSACTIONS] = "transactions",
                                              [PURGE_ORDERS] = "orders"};

static bool choose_word(struct text word, bool chosen[PURGE_KINDS]) {
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (text_equal(word, text_of(WORDS[i].word))) {
            for (size_t kind = 0; kind < WORDS[i].count; kind++) {
                chosen[WORDS[i].kinds[kind]] = true;
            }
            return true;
        }
    }
    return false;
}

static enum outcome take_what(const struct context *context, bool chosen[PURGE_KINDS]) {
    struct text rest = arguments_get(&context->arguments, "what");
    for (enum purge_kind kind = 0; rest.at == NULL && kind < PURGE_KINDS; kind++) {
        chosen[kind] = true;
    }
    while (rest.at != NULL) {
        const char *comma = rest.size == 0 ? NULL : memchr(rest.at, ',', rest.size);
        struct text word = {rest.at, comma == NULL ? rest.size : (size_t)(comma - rest.at)};
        if (!choose_word(word, chosen)) {
            return misuse(context, "--what is attempts, queries or personal, or some of them with commas between");
        }
        rest = comma == NULL ? (struct text){NULL, 0} : (struct text){comma + 1, rest.size - word.size - 1};
    }
    return OUTCOME_DONE;
}

/* A unit is required: a bare 90 would mean seconds where somebody means days. */
static enum outcome take_before(const struct context *context, instant *out) {
    struct text given = arguments_get(&context->arguments, "older-than");
    uint64_t bare;
    duration age;
    instant now;
    if (text_to_number(given, &bare) || !config_parse_duration(given, &age) || age < PURGE_AGE_LEAST) {
        return misuse(context,
                      "--older-than is a number with its unit (s, m, h or d), and at least 1d: 90d for example");
    }
    enum status status = settlements_now(context->connection, &now);
    if (status != STATUS_OK) {
        return fail(context, status, "ask the database for the time");
    }
    if (age >= now) {
        return refuse(context, "--older-than: %.*s reaches back before 1970", TEXT_ARGS(given));
    }
    *out = now - age;
    return OUTCOME_DONE;
}

static enum outcome purge_all(const struct context *context, const bool chosen[PURGE_KINDS], struct purge *purge,
                              struct record *record) {
    struct arena *scratch = arena_create();
    enum status status = STATUS_OK;
    for (purge->kind = 0; status == STATUS_OK && purge->kind < PURGE_KINDS; purge->kind++) {
        uint64_t count = 0;
        if (chosen[purge->kind]) {
            status = purges_run(context->connection, scratch, purge, &count);
            record_number(record, KEYS[purge->kind], count);
        }
    }
    arena_destroy(scratch);
    if (status == STATUS_OK) {
        return OUTCOME_DONE;
    }
    return purge->dry_run ? fail(context, status, "count everything")
                          : fail_after(context, status, "purge everything",
                                       "what was removed so far stays removed; run it again for the rest");
}

static enum outcome run_purge(struct context *context) {
    bool chosen[PURGE_KINDS] = {false};
    struct purge purge = {.actor = context->actor, .dry_run = arguments_has(&context->arguments, "dry-run")};
    struct record *record = record_create(context->arena);
    enum outcome outcome = take_what(context, chosen);
    if (outcome == OUTCOME_DONE) {
        outcome = take_before(context, &purge.before);
    }
    if (outcome == OUTCOME_DONE) {
        struct text given = arguments_get(&context->arguments, "older-than");
        purge.reason = arena_print(context->arena, "older than %.*s", TEXT_ARGS(given));
        record_instant(record, "before", purge.before);
        record_flag(record, "dry_run", purge.dry_run);
        outcome = purge_all(context, chosen, &purge, record);
    }
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

static const struct option_spec PURGE_OPTIONS[] = {
    {.name = "older-than",
     .value = "DURATION",
     .help = "90d, for example; units are s, m, h and d; at least 1d",
     .required = true},
    {.name = "what", .value = "LIST", .help = "some of attempts,queries,personal; without it, all three"},
    {.name = "dry-run", .help = "only count what would be deleted"},
    {.name = NULL},
};

const struct command purge_commands[] = {
    {"", "", "delete old finished records: attempts, external queries, customers' personal data",
     "attempts: attempts to deliver notifications that were delivered or exhausted.\n"
     "queries: the record of external queries.\n"
     "personal: customers' names, documents and e-mail addresses, in closed orders and in their transactions (also\n"
     "those never confirmed), when every notification about the order is delivered; in top-ups that are not\n"
     "CONFIRMADA, by age alone. The rows stay.\n"
     "Never touches what is not final or not delivered, nor an order whose claim waits for approval; an exhausted\n"
     "notification is not delivered. Works in small batches beside the service; the event log says who did it.",
     PURGE_OPTIONS, 0, NEEDS_DATABASE, run_purge},
    {.verb = NULL},
};
