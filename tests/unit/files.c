#include "assert_text.h"

#include "files.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int errors = -1;

const char *file_with(const char *content) {
    static char path[64];
    size_t size = strlen(content);
    int file = memfd_create("content", 0);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, content, size), (ssize_t)size);
    ck_assert_int_eq(fchmod(file, S_IRUSR | S_IWUSR), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

void capture_errors(void) {
    errors = memfd_create("errors", MFD_CLOEXEC);
    ck_assert_int_ge(errors, 0);
    ck_assert_int_ge(dup2(errors, STDERR_FILENO), 0);
}

const char *errors_text(void) {
    static char text[64 * 1024];
    struct stat about;
    ck_assert_int_eq(fstat(errors, &about), 0);
    off_t from = about.st_size < (off_t)sizeof text ? 0 : about.st_size - (off_t)sizeof text + 1;
    ssize_t size = pread(errors, text, sizeof text - 1, from);
    ck_assert_int_ge(size, 0);
    text[size] = '\0';
    return text;
}
