#include "assert_text.h"

#include "files.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_OPEN = -1 };

static int content_file = NOT_OPEN, errors_file = NOT_OPEN, standard_error = NOT_OPEN;

static int new_file(const char *name) {
    int file = memfd_create(name, MFD_CLOEXEC);
    ck_assert_int_ge(file, 0);
    return file;
}

const char *file_with(const char *content) {
    return file_with_bytes(content, strlen(content));
}

const char *file_with_bytes(const char *content, size_t size) {
    static char path[64];
    close(content_file);
    content_file = new_file("content");
    ck_assert_int_eq(write(content_file, content, size), (ssize_t)size);
    ck_assert_int_eq(fchmod(content_file, S_IRUSR | S_IWUSR), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", content_file);
    return path;
}

void capture_errors(void) {
    if (standard_error == NOT_OPEN) {
        standard_error = dup(STDERR_FILENO);
    }
    close(errors_file);
    errors_file = new_file("errors");
    ck_assert_int_ge(dup2(errors_file, STDERR_FILENO), 0);
}

const char *errors_text(void) {
    static char text[64 * 1024];
    struct stat about;
    ck_assert_int_eq(fstat(errors_file, &about), 0);
    off_t from = about.st_size < (off_t)sizeof text ? 0 : about.st_size - (off_t)sizeof text + 1;
    ssize_t size = pread(errors_file, text, sizeof text - 1, from);
    ck_assert_int_ge(size, 0);
    text[size] = '\0';
    return text;
}

int next_descriptor(void) {
    int next = dup(STDERR_FILENO);
    ck_assert_int_ge(next, 0);
    close(next);
    return next;
}

void files_end(void) {
    if (standard_error != NOT_OPEN) {
        dup2(standard_error, STDERR_FILENO);
        close(standard_error);
    }
    close(errors_file);
    close(content_file);
    content_file = errors_file = standard_error = NOT_OPEN;
}
