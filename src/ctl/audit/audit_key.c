#include "ctl/audit/audit_key.h"

#include "auth/seal_key.h"
#include "base/memory.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"

const struct option_spec audit_key_options[] = {
    {.name = "create", .help = "create the private key first; the file must not exist"},
    {.name = NULL},
};

/* Returns the public key as PEM, in the arena. */
static struct text print_public(const struct seal_key *key, struct arena *arena) {
    char *printed = NULL;
    size_t size = 0;
    FILE *stream = memory_needed(open_memstream(&printed, &size));
    bool written = seal_key_print_public(key, stream);
    if (fclose(stream) != 0 || !written) {
        abort();
    }
    struct text copy = arena_copy(arena, (struct text){printed, size});
    free(printed);
    return copy;
}

enum outcome audit_key(struct context *context) {
    char error[SEAL_KEY_ERROR_SIZE];
    const char *path = context->config.audit.signing_key;
    if (path == NULL) {
        return refuse(context, "seals are not signed: [audit] signing_key names the file of the key");
    }
    if (arguments_has(&context->arguments, "create") && !seal_key_create(path, error)) {
        return refuse(context, "no key was made: %s", error);
    }
    struct seal_key *key = seal_key_read(path, error);
    if (key == NULL) {
        return refuse(context, "%s", error);
    }
    if (context->json) {
        struct record *record = record_create(context->arena);
        record_text(record, "key_id", text_of(seal_key_id(key)));
        record_text(record, "public_key", print_public(key, context->arena));
        output_record(record, true);
    } else {
        remark("key %s", seal_key_id(key));
        printf("%s", print_public(key, context->arena).at);
    }
    seal_key_free(key);
    return OUTCOME_DONE;
}
