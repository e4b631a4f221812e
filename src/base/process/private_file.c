#include "base/process/private_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

bool private_file_is_closed(int descriptor) {
    struct stat about;
    return fstat(descriptor, &about) == 0 && (about.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) == 0;
}

int private_file_open_folder(const char *path) {
    char *copy = memory_needed(strdup(path));
    int descriptor = open(dirname(copy), O_RDONLY | O_CLOEXEC);
    free(copy);
    return descriptor;
}

/* Some file systems have nothing to sync (EINVAL). */
bool private_file_sync_folder(const char *path) {
    int folder = private_file_open_folder(path);
    bool synced = folder >= 0 && (fsync(folder) == 0 || errno == EINVAL);
    int problem = errno;
    if (folder >= 0) {
        close(folder);
    }
    errno = problem;
    return synced;
}
