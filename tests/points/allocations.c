/*
 * Allocations of which one fails, for a program that is started with this library preloaded: which one says the file
 * that RECAUDO_TEST_POINTS names (control.h). glibc's own allocations come through here too.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static struct control *control;

__attribute__((constructor)) static void open_control(void) {
    const char *path = getenv("RECAUDO_TEST_POINTS");
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    void *at = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) {
        close(file);
    }
    control = at == MAP_FAILED ? NULL : at;
}

static bool fails(void) {
    if (control == NULL || control->armed != ARMED_ALLOCATIONS ||
        (control->process != 0 && control->process != getpid())) {
        return false;
    }
    if (atomic_fetch_add(&control->seen, 1) + 1 != control->at) {
        return false;
    }
    control->hit = 1;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    int kept = errno;
    void *made = aligned_alloc(alignment, size);
    errno = kept;
    if (made == NULL) {
        return ENOMEM;
    }
    *out = made;
    return 0;
}
