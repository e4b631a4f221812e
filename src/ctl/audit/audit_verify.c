#include "ctl/audit/audit_verify.h"

#include "audit/seal_check.h"
#include "audit/seal_line.h"
#include "audit/sealing.h"
#include "base/memory.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"

#include <errno.h>

/* Findings beyond this number are only counted. */
enum { FINDINGS_SHOWN = 1000 };

const struct option_spec audit_verify_options[] = {
    {.name = "from", .value = "SEAL", .help = "begin with this seal (1)"},
    {.name = "public-key", .value = "FILE", .help = "check signatures with the public keys in this file (PEM)"},
    {.name = "signed-from",
     .value = "SEAL",
     .help = "with --public-key: this seal and all after it must be signed (1)"},
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
    uint64_t line_number, unreadable; /* line numbers and count, of the kept file */
};

static void add_finding(void *of_verifying, const struct seal_finding *finding) {
    struct verifying *verifying = of_verifying;
    if (verifying->findings->count < FINDINGS_SHOWN) {
        struct record *record = record_list_add(verifying->findings);
        struct text what = arena_copy(verifying->context->arena, finding->what);
        record_text(record, "finding", text_of(finding->name));
        record_number_or_nothing(record, "seal", finding->seal);
        record_number_or_nothing(record, "event", finding->event);
        record_text(record, "what", what);
        remark("%s: %s", finding->name, what.at);
    }
}

/* Whether `line` is an interrupted write of `next`: after a partial write, the next line repeats the whole seal. */
static bool begins(struct text line, struct text next) {
    return line.size > 0 && line.size < next.size && memcmp(line.at, next.at, line.size) == 0;
}

static void find_unreadable(struct verifying *verifying) {
    struct arena *arena = verifying->context->arena;
    const struct seal_finding finding = {
        .name = "kept-unreadable",
        .what = arena_print(
            arena, "line %llu of the kept file is not a seal: the line is damaged, or this is a different file",
            (unsigned long long)verifying->line_number)};
    verifying->unreadable++;
    add_finding(verifying, &finding);
}

static void keep_line(struct verifying *verifying, struct text line, struct text next) {
    struct seal_row row;
    struct resume_line resume;
    if (resume_line_parse(line, &resume)) {
        remark("--against: after seal %llu, %.*s at %.*s: %.*s", (unsigned long long)resume.seal.number,
               TEXT_ARGS(resume.actor), TEXT_ARGS(resume.at), TEXT_ARGS(resume.reason));
        return;
    }
    if (!seal_line_parse(line, &row)) {
        if (!begins(line, next)) {
            find_unreadable(verifying);
        }
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

struct text_line {
    char *at;
    size_t room;
    ssize_t size; /* -1: the end of the file */
};

static struct text read_kept_line(FILE *file, struct text_line *line) {
    line->size = getline(&line->at, &line->room, file);
    bool has_feed = line->size > 0 && line->at[line->size - 1] == '\n';
    return line->size < 0 ? TEXT("") : (struct text){line->at, (size_t)line->size - has_feed};
}

static void keep_lines(struct verifying *verifying, FILE *file) {
    struct text_line lines[2] = {{.room = 0}, {.room = 0}};
    struct text line = read_kept_line(file, &lines[0]);
    for (size_t i = 0; lines[i].size >= 0; i = 1 - i) {
        struct text next = read_kept_line(file, &lines[1 - i]);
        verifying->line_number++;
        keep_line(verifying, line, next);
        line = next;
    }
    free(lines[0].at);
    free(lines[1].at);
}

static enum outcome read_kept(struct verifying *verifying) {
    struct text path = arguments_get(&verifying->context->arguments, "against");
    if (path.at == NULL) {
        return OUTCOME_DONE;
    }
    FILE *file = fopen(path.at, "re");
    if (file == NULL) {
        return refuse(verifying->context, "--against %s: %s", path.at, strerror(errno));
    }
    keep_lines(verifying, file);
    bool whole = ferror(file) == 0;
    fclose(file);
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

static enum outcome take_seal_number(const struct context *context, const char *option, uint64_t *out) {
    struct text given = arguments_get(&context->arguments, option);
    *out = 1;
    if (given.at != NULL && (!text_to_number(given, out) || *out < 1 || *out > UINT32_MAX)) {
        return misuse(context, "--%s is the number of a seal", option);
    }
    return OUTCOME_DONE;
}

static enum outcome print_verdict(const struct verifying *verifying, const struct seal_counts *counts) {
    struct record *record = record_create(verifying->context->arena);
    record_number(record, "seals", counts->seals);
    record_number(record, "events", counts->events);
    record_number(record, "late_events", counts->late);
    record_number(record, "waiting_events", counts->waiting);
    record_text_or_nothing(record, "waiting_since", text_of(counts->waiting_since));
    if (verifying->key_count > 0) {
        record_number(record, "signed_seals", counts->signed_seals);
    }
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
                               .counts_waiting = true,
                               .keys = verifying->keys,
                               .key_count = verifying->key_count,
                               .kept = verifying->kept,
                               .kept_count = verifying->kept_count,
                               .find = add_finding,
                               .context = verifying};
    if (arguments_has(&context->arguments, "signed-from") && verifying->key_count == 0) {
        return misuse(context, "--signed-from requires --public-key");
    }
    enum outcome outcome = take_seal_number(context, "from", &check.from);
    outcome = outcome == OUTCOME_DONE ? take_seal_number(context, "signed-from", &check.signed_from) : outcome;
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
    counts.findings += verifying->unreadable;
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
