#include "ctl/key/key_create.h"

#include "ctl/common/stored_secrets.h"
#include "ctl/core/failure.h"
#include "ctl/core/login.h"
#include "ctl/core/output.h"
#include "store/schema/schema.h"

#include <unistd.h>

const struct option_spec key_create_options[] = {
    {.name = "new-system", .help = "no secret is stored that another key encrypted: do not ask the database"},
    {.name = NULL},
};

/* Connects as the owner, else as the operator. Before the first migration, only the owner can log in. */
static enum status connect(const struct config *config, struct connection **out) {
    const struct account_config *const accounts[] = {&config->database.owner, &config->database.operator};
    enum status status = STATUS_FAULT;
    for (size_t i = 0; i < COUNT_OF(accounts) && status != STATUS_OK; i++) {
        const struct connection_options options = {.config = config, .account = accounts[i]};
        status = login_is_possible(config, accounts[i]) ? connection_open(&options, out) : status;
    }
    return status;
}

/* Before the first migration, no table exists that could hold a secret. */
static enum status count_stored(struct connection *connection, struct arena *arena, struct stored_secrets *out) {
    bool exists = false;
    *out = (struct stored_secrets){.stored = 0};
    enum status status = schema_exists(connection, &exists);
    return status == STATUS_OK && exists ? stored_secrets_try(connection, NULL, arena, out) : status;
}

/* A new key would decrypt none of the stored secrets, so each request of a network or merchant would be refused. */
static enum outcome check_that_none_is_stored(const struct context *context) {
    struct connection *connection = NULL;
    struct stored_secrets secrets;
    enum status status = connect(&context->config, &connection);
    if (status == STATUS_OK) {
        status = count_stored(connection, context->arena, &secrets);
    }
    connection_close(connection);
    if (status != STATUS_OK) {
        return refuse(context,
                      "no key was made: it cannot be seen whether the database holds secrets already (as its owner "
                      "or operator: run it as that system user). For a new system, which has none, add "
                      "--new-system");
    }
    if (secrets.stored > 0) {
        return refuse(context,
                      "no key was made: %llu secrets are stored, and a new key would decrypt none of them. Restore the "
                      "copy of the key file to %s. If there is no copy, add --new-system, and replace each secret "
                      "with network rotate --now, merchant rotate --now and merchant rotate --notification --now",
                      (unsigned long long)secrets.stored, context->config.security.key_file);
    }
    return OUTCOME_DONE;
}

enum outcome key_create(struct context *context) {
    char error[KEY_FILE_ERROR_SIZE];
    const char *key_file = context->config.security.key_file;
    bool is_new = arguments_has(&context->arguments, "new-system"), exists = access(key_file, F_OK) == 0;
    if (exists) {
        return refuse(context,
                      "no key was made: %s exists. If it is the wrong key, move it away first (mv %s %s.old; a "
                      "backup of the database from its time needs it), and run this again",
                      key_file, key_file, key_file);
    }
    enum outcome outcome = is_new ? OUTCOME_DONE : check_that_none_is_stored(context);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    if (!key_file_create(key_file, error)) {
        return refuse(context, "no key was made: %s", error);
    }
    struct record *record = record_create(context->arena);
    record_text(record, "key_file", text_of(key_file));
    output_record(record, context->json);
    return OUTCOME_DONE;
}
