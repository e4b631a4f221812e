#include "ctl/output.h"
#include "ctl/report.h"

static enum outcome create(struct context *context) {
    char error[VAULT_ERROR_SIZE];
    if (!key_file_create(context->config.security.key_file, error)) {
        return refuse(context, "no key was made: %s", error);
    }
    struct record *record = record_create(context->arena);
    record_text(record, "key_file", text_of(context->config.security.key_file));
    output_record(record, context->json);
    return OUTCOME_DONE;
}

const struct command key_commands[] = {
    {.verb = "create",
     .words = "",
     .purpose = "make the key file that the configuration names, if there is none",
     .details =
         "Networks' and merchants' secrets are stored encrypted with this key. Keep a copy of the file apart from the\n"
         "database's backups: without it nobody can read the secrets again. The workers must be able to read it.",
     .options = no_options,
     .needs = NEEDS_CONFIG,
     .run = create},
    {.verb = NULL},
};
