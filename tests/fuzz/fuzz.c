#include "fuzz.h"

#include "base/utf8.h"

#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const void *bytes, size_t size) {
    static char name[32];
    static int file = -1;
    if (file >= 0) {
        close(file);
    }
    file = memfd_create("input", MFD_CLOEXEC);
    assert(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return name;
}

struct text fuzz_line(struct text *rest) {
    const char *end = rest->size == 0 ? NULL : memchr(rest->at, '\n', rest->size);
    struct text line = {rest->at, end == NULL ? rest->size : (size_t)(end - rest->at)};
    size_t used = line.size + (end != NULL);
    *rest = (struct text){rest->size == 0 ? NULL : rest->at + used, rest->size - used};
    return line;
}

void fuzz_assert_clean(const struct text *texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert(texts[i].size == 0 || (utf8_is_valid(texts[i]) && !text_has_control(texts[i])));
    }
}
