#include "ctl/audit/audit_verify.h"

#include "audit/seal_check.h"
#include "audit/seal_line.h"
#include "audit/sealing.h"
#include "base/memory.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"

#include <errno.h>

/* Further findings are counted. */
enum { FINDINGS_SHOWN = 1000 };

const struct option_spec audit_verify_options[] = {
    {.name = "from", .value = "SEAL", .help = "begin with this seal (1)"},
    {.name = "public-key", .value = "FILE", .help = "check signatures with the public keys in this file (PEM)"},
    {.name = "against",
     .value = "FILE",
     .help = "compare with the seals that were kept in this file ([audit] seal_file)"},
    {.name = NULL},
};

struct verifying {
    struct context *context;
    struct record_list *findings;
    struct seal_key *keys[SEAL_KEYS_MAX];
    struct kept_seal *kept;
    size_t key_count, kept_count, kept_room;
};

static void add_finding(void *of_verifying, const struct seal_finding *finding) {
    struct verifying *verifying = of_verifying;
    if (verifying->findings->count < FINDINGS_SHOWN) {
        struct record *record = record_list_add(verifying->findings);
        struct text what = arena_copy(verifying->context->arena, finding->what);
        record_text(record, "finding", text_of(finding->name));
        record_number(record, "seal", finding->seal);
        record_number_or_nothing(record, "event", finding->event);
        record_text(record, "what", what);
        remark("%s: %s", finding->name, what.at);
    }
}

static void keep_line(struct verifying *verifying, struct text line) {
    struct seal_row row;
    if (!seal_line_parse(line, &row)) {
        remark("--against: a line that is no seal is ignored: %.*s", (int)(line.size < 60 ? line.size : 60), line.at);
        return;
    }
    if (verifying->kept_count == verifying->kept_room) {
        verifying->kept_room = 2 * verifying->kept_room + SEALS_AT_ONCE;
        verifying->kept = memory_grown(verifying->kept, verifying->kept_room, sizeof *verifying->kept);
    }
    struct kept_seal *kept = &verifying->kept[verifying->kept_count++];
    *kept = (struct kept_seal){.number = row.number};
    snprintf(kept->digest, sizeof kept->digest, "%.*s", TEXT_ARGS(row.digest));
}

static enum outcome read_kept(struct verifying *verifying) {
    struct text path = arguments_get(&verifying->context->arguments, "against");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    if (path.at == NULL) {
        return OUTCOME_DONE;
    }
    FILE *file = fopen(path.at, "re");
    if (file == NULL) {
        return refuse(verifying->context, "--against %s: %s", path.at, strerror(errno));
    }
    while ((size = getline(&line, &room, file)) > 0) {
        keep_line(verifying, (struct text){line, (size_t)size - (line[size - 1] == '\n')});
    }
    bool whole = ferror(file) == 0;
    fclose(file);
    free(line);
    return whole ? OUTCOME_DONE : refuse(verifying->context, "--against %s cannot be read", path.at);
}

static enum outcome read_public_keys(struct verifying *verifying) {
    char error[SEAL_KEY_ERROR_SIZE];
    struct text path = arguments_get(&verifying->context->arguments, "public-key");
    if (path.at == NULL) {
        return OUTCOME_DONE;
    }
    verifying->key_count = seal_key_read_public(path.at, verifying->keys, error);
    return verifying->key_count > 0 ? OUTCOME_DONE : refuse(verifying->context, "--public-key %s", error);
}

static enum outcome take_from(const struct context *context, uint64_t *out) {
    struct text given = arguments_get(&context->arguments, "from");
    *out = 1;
    if (given.at != NULL && (!text_to_number(given, out) || *out < 1 || *out > UINT32_MAX)) {
        return misuse(context, "--from is the number of a seal");
    }
    return OUTCOME_DONE;
}

static enum outcome print_verdict(const struct verifying *verifying, const struct seal_counts *counts) {
    struct record *record = record_create(verifying->context->arena);
    record_number(record, "seals", counts->seals);
    record_number(record, "events", counts->events);
    record_number(record, "late_events", counts->late);
    record_number(record, "waiting_events", counts->waiting);
    record_number(record, "signed_seals", counts->signed_seals);
    record_number(record, "findings", counts->findings);
    record_add_list(record, "found", verifying->findings);
    output_record(record, verifying->context->json);
    return counts->findings == 0 ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome run_check(struct verifying *verifying) {
    struct context *context = verifying->context;
    const struct sealing_rules rules = {.every = context->config.audit.seal_every};
    struct seal_counts counts;
    struct seal_check check = {.connection = context->connection,
                               .searched_for = sealing_searched_for(&rules),
                               .keys = verifying->keys,
                               .key_count = verifying->key_count,
                               .kept = verifying->kept,
                               .kept_count = verifying->kept_count,
                               .find = add_finding,
                               .context = verifying};
    enum outcome outcome = take_from(context, &check.from);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = seal_check_run(&check, &counts);
    if (status != STATUS_OK) {
        return fail(context, status, "read the event log and its seals");
    }
    if (counts.seals == 0 && check.from > 1) {
        return refuse(context, "there is no seal %llu: recaudoctl audit seals shows the newest",
                      (unsigned long long)check.from);
    }
    return print_verdict(verifying, &counts);
}

enum outcome audit_verify(struct context *context) {
    struct verifying verifying = {.context = context, .findings = record_list_create(context->arena)};
    enum outcome outcome = read_public_keys(&verifying);
    outcome = outcome == OUTCOME_DONE ? read_kept(&verifying) : outcome;
    outcome = outcome == OUTCOME_DONE ? run_check(&verifying) : outcome;
    for (size_t i = 0; i < verifying.key_count; i++) {
        seal_key_free(verifying.keys[i]);
    }
    free(verifying.kept);
    return outcome;
}
