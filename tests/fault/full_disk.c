/*
 * A disk without space, for a program that is started with this library preloaded: while the file that
 * RECAUDO_TEST_FULL names is there, whatever would make a file longer fails with ENOSPC, and what is written over
 * existing bytes goes well. Files whose path holds the text RECAUDO_TEST_ROOMY are on another disk, with room.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_elsewhere(int file) {
    const char *roomy = getenv("RECAUDO_TEST_ROOMY");
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = roomy == NULL ? -1 : readlink(link, path, sizeof path - 1);
    path[size < 0 ? 0 : size] = '\0';
    return size > 0 && strstr(path, roomy) != NULL;
}

static bool has_no_room(int file, off64_t end) {
    const char *sign = getenv("RECAUDO_TEST_FULL");
    struct stat64 about;
    int kept = errno;
    bool full = sign != NULL && access(sign, F_OK) == 0 && fstat64(file, &about) == 0 && S_ISREG(about.st_mode) &&
                end > about.st_size && !is_elsewhere(file);
    errno = kept;
    return full;
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    if (has_no_room(file, at + (off64_t)size)) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    return real(file, data, size, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    return pwrite64(file, data, size, at);
}

ssize_t write(int file, const void *data, size_t size) {
    off64_t at = lseek64(file, 0, SEEK_CUR);
    if (at >= 0 && has_no_room(file, at + (off64_t)size)) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return real(file, data, size);
}

int posix_fallocate64(int file, off64_t at, off64_t size) {
    if (has_no_room(file, at + size)) {
        return ENOSPC;
    }
    int (*real)(int, off64_t, off64_t) = (int (*)(int, off64_t, off64_t))dlsym(RTLD_NEXT, "posix_fallocate64");
    return real(file, at, size);
}

int posix_fallocate(int file, off_t at, off_t size) {
    return posix_fallocate64(file, at, size);
}

int fallocate64(int file, int mode, off64_t at, off64_t size) {
    if (has_no_room(file, at + size)) {
        errno = ENOSPC;
        return -1;
    }
    int (*real)(int, int, off64_t, off64_t) = (int (*)(int, int, off64_t, off64_t))dlsym(RTLD_NEXT, "fallocate64");
    return real(file, mode, at, size);
}

int ftruncate64(int file, off64_t size) {
    if (has_no_room(file, size)) {
        errno = ENOSPC;
        return -1;
    }
    int (*real)(int, off64_t) = (int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64");
    return real(file, size);
}

int ftruncate(int file, off_t size) {
    return ftruncate64(file, size);
}
