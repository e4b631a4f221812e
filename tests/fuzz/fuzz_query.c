/* A path's parameter (first line) and a query string (the rest): what was read from it is read again when every byte of
 * it is escaped. */
#include "fuzz.h"
#include "wire/merchant/porder_messages.h"
#include "wire/messages.h"
#include "wire/uri.h"

static struct text escape(struct text raw, struct arena *arena) {
    char *out = arena_alloc(arena, 3 * raw.size + 1);
    for (size_t i = 0; i < raw.size; i++) {
        snprintf(out + 3 * i, 4, "%%%02x", (unsigned char)raw.at[i]);
    }
    return (struct text){out, 3 * raw.size};
}

static struct text query_of(const char *name, struct text party, struct text checksum, struct arena *arena) {
    struct text escaped_party = escape(party, arena), escaped_checksum = escape(checksum, arena);
    return arena_print(arena, "%s=%.*s&checksum=%.*s", name, TEXT_ARGS(escaped_party), TEXT_ARGS(escaped_checksum));
}

static void read_lookup(struct text reference, struct text query, struct arena *arena) {
    struct lookup lookup, again;
    struct fault fault = {0};
    if (messages_read_lookup(reference, query, arena, &lookup, &fault) != GRANTED) {
        assert(fault.field != NULL && fault.problem != NULL);
        return;
    }
    fuzz_assert_clean((const struct text *)&lookup, sizeof lookup / sizeof(struct text));
    struct text rewritten = query_of("name", lookup.name, lookup.checksum, arena);
    assert(messages_read_lookup(reference, rewritten, arena, &again, &fault) == GRANTED);
    assert(text_equal(lookup.name, again.name) && text_equal(lookup.checksum, again.checksum));
}

static void read_porder(struct text order, struct text query, struct arena *arena) {
    struct porder_query read, again;
    struct fault fault = {0};
    if (porder_messages_read_query(order, query, arena, &read, &fault) != GRANTED) {
        assert(fault.field != NULL && fault.problem != NULL);
        return;
    }
    fuzz_assert_clean((const struct text *)&read, sizeof read / sizeof(struct text));
    struct text rewritten = query_of("merchant", read.merchant, read.checksum, arena);
    assert(porder_messages_read_query(order, rewritten, arena, &again, &fault) == GRANTED);
    assert(text_equal(read.merchant, again.merchant) && text_equal(read.checksum, again.checksum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text query = {(const char *)data, size}, path = fuzz_line(&query), decoded;
    if (uri_decode_path(path, arena, &decoded)) {
        assert(decoded.size <= path.size);
        read_lookup(decoded, query, arena);
        read_porder(decoded, query, arena);
    }
    arena_destroy(arena);
    return 0;
}
