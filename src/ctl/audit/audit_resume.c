#include "ctl/audit/audit_resume.h"

#include "audit/seal_file.h"
#include "base/clock.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/validation.h"
#include "domain/instant.h"

enum { REASON_CHARACTERS = 500 };

const struct option_spec audit_resume_options[] = {
    {.name = "reason", .value = "TEXT", .help = "why the seals differ, for those who check the file", .required = true},
    {.name = NULL},
};

static enum outcome print_resumed(const struct context *context, const struct resume_line *line) {
    struct record *record = record_create(context->arena);
    record_number(record, "seal", line->seal.number);
    record_text(record, "digest", line->seal.digest);
    record_text(record, "by", line->actor);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

enum outcome audit_resume(struct context *context) {
    char error[SEAL_FILE_ERROR_SIZE], now[INSTANT_TEXT_SIZE];
    const char *path = context->config.audit.seal_file;
    struct text reason = arguments_get(&context->arguments, "reason");
    if (path == NULL) {
        return refuse(context, "there is nothing to compare with: [audit] seal_file is not set on this host");
    }
    const char *complaint = validation_text(context->arena, reason, REASON_CHARACTERS);
    if (complaint != NULL) {
        return refuse(context, "reason: %s", complaint);
    }
    instant_print(clock_host(), now);
    struct resume_line line = {.at = text_of(now), .actor = context->actor, .reason = reason};
    switch (seal_file_resume(path, context->connection, &line, context->arena, error)) {
    case SEAL_FILE_DIFFERS:
        return print_resumed(context, &line);
    case SEAL_FILE_FITS:
        return refuse(context, "the last seal of %s is in the database: sealing is not held", path);
    case SEAL_FILE_FAILED:
        break;
    }
    return refuse(context, "%s", error);
}
