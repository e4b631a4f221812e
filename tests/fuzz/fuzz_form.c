/* A Content-Type (first line) and the body of a form with a file (the rest): what was found in it lies in it, and is
 * found again when it is sent anew. */
#include "base/arena.h"
#include "console/core/multipart.h"
#include "fuzz.h"

#define AGAIN "multipart/form-data; boundary=\"0\n1\"" /* no part holds a line end without its carriage return */

static bool has_boundary(struct text content) {
    return memmem(content.at, content.size, "\r\n--0\n1", 7) != NULL;
}

static void send_again(struct text content, struct arena *arena) {
    static const char HEAD[] = "--0\n1\r\nContent-Disposition: form-data; name=\"list\"\r\n\r\n",
                      TAIL[] = "\r\n--0\n1--";
    size_t size = sizeof HEAD - 1 + content.size + sizeof TAIL - 1;
    char *body = arena_alloc(arena, size);
    struct text found;
    memcpy(body, HEAD, sizeof HEAD - 1);
    memcpy(body + sizeof HEAD - 1, content.at, content.size);
    memcpy(body + sizeof HEAD - 1 + content.size, TAIL, sizeof TAIL - 1);
    assert(multipart_find(TEXT(AGAIN), (struct text){body, size}, "list", &found));
    assert(text_equal(found, content));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text all = {(const char *)data, size}, type = fuzz_line(&all), found;
    if (multipart_find(type, all, "list", &found)) {
        assert(found.at >= all.at && found.at + found.size <= all.at + all.size);
        if (!has_boundary(found)) {
            send_again(found, arena);
        }
    }
    arena_destroy(arena);
    return 0;
}
