/* What passes the strict reading is JSON for json-c too, and a message read from it has only whole UTF-8 without control characters. */
#include "base/utf8.h"
#include "wire/messages.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct registration registration;
    struct confirmation confirmation;
    struct fault fault = {0};
    struct text body = {(const char *)data, size};
    if (messages_read_registration(body, arena, &registration, &fault) == REFUSED_NOT) {
        struct money amount;
        assert(money_parse(registration.amount, &amount));
        assert(utf8_is_valid(registration.name) && !text_has_control(registration.name));
    }
    if (messages_read_confirmation(body, arena, &confirmation, &fault) == REFUSED_NOT) {
        assert(confirmation.transaction.size > 0);
    }
    arena_destroy(arena);
    return 0;
}
