#include "outbound/query_limiter_file.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Locks on single bytes: the first is held while the file is looked at or made, the others are the rows. */
enum { BYTE_OF_SETTING_UP = 0, FIRST_BYTE_OF_ROWS = 1, TRIES_MAX = 10 };

/* To be changed with the layout: programs of another version then make a file of their own. */
#define MAGIC (UINT64_C(0x7265636175646f01) + (sizeof(struct limiter_shared) << 8))

static struct flock one_byte(short type, uint32_t byte) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
}

static bool set_lock(int fd, int command, short type, uint32_t byte) {
    struct flock lock = one_byte(type, byte);
    int result;
    do {
        result = fcntl(fd, command, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* F_OFD_GETLK ignores locks held through this descriptor, so this reports other processes only. */
static bool is_locked(int fd, uint32_t byte) {
    struct flock lock = one_byte(F_WRLCK, byte);
    return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool query_limiter_file_owner_lives(const struct query_limiter_file *file, uint32_t row) {
    return row == file->row || is_locked(file->fd, FIRST_BYTE_OF_ROWS + row);
}

static bool anybody_lives(int fd) {
    for (uint32_t row = 0; row < LIMITER_PROCESSES_MAX; row++) {
        if (is_locked(fd, FIRST_BYTE_OF_ROWS + row)) {
            return true;
        }
    }
    return false;
}

static void make_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static struct limiter_shared *map_file(int fd) {
    void *at = mmap(NULL, sizeof(struct limiter_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Nobody uses the file: whatever it holds is of the past, perhaps of another version or before a restart of the
 * machine. */
static struct limiter_shared *make_anew(int fd) {
    if (ftruncate(fd, 0) != 0 || posix_fallocate(fd, 0, sizeof(struct limiter_shared)) != 0) {
        return NULL;
    }
    struct limiter_shared *shared = map_file(fd);
    if (shared != NULL) {
        make_lock(&shared->lock);
        for (size_t at = 0; at < LIMITER_SLOTS; at++) {
            shared->slots[at].number = 1;
        }
        shared->magic = MAGIC;
    }
    return shared;
}

static struct limiter_shared *map_as_it_is(int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0 || about.st_size != (off_t)sizeof(struct limiter_shared)) {
        return NULL;
    }
    struct limiter_shared *shared = map_file(fd);
    if (shared != NULL && shared->magic != MAGIC) {
        munmap(shared, sizeof *shared);
        return NULL;
    }
    return shared;
}

static bool take_process_row(struct query_limiter_file *file) {
    for (uint32_t row = 0; row < LIMITER_PROCESSES_MAX; row++) {
        if (set_lock(file->fd, F_OFD_SETLK, F_WRLCK, FIRST_BYTE_OF_ROWS + row)) {
            file->row = row;
            return true;
        }
    }
    errno = EUSERS;
    return false;
}

/* Another process may have removed the file between our opening and locking it. */
static bool is_still_there(int fd, const char *path) {
    struct stat opened, there;
    return fstat(fd, &opened) == 0 && stat(path, &there) == 0 && opened.st_ino == there.st_ino &&
           opened.st_dev == there.st_dev;
}

/* With the setting-up lock. False: try again with another file, or give up. */
static bool set_up_file(const char *path, struct query_limiter_file *out, bool *again) {
    *again = !is_still_there(out->fd, path);
    if (*again) {
        return false;
    }
    bool used = anybody_lives(out->fd);
    out->shared = used ? map_as_it_is(out->fd) : make_anew(out->fd);
    if (out->shared == NULL && used) {
        *again = unlink(path) == 0;
    }
    if (out->shared == NULL) {
        return false;
    }
    if (!take_process_row(out)) {
        munmap(out->shared, sizeof *out->shared);
        return false;
    }
    return true;
}

bool query_limiter_file_open(const char *path, struct query_limiter_file *out) {
    bool again = true, opened = false;
    for (int tries = 0; again && !opened && tries < TRIES_MAX; tries++) {
        out->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        again = false;
        if (out->fd >= 0 && set_lock(out->fd, F_OFD_SETLKW, F_WRLCK, BYTE_OF_SETTING_UP)) {
            opened = set_up_file(path, out, &again);
            set_lock(out->fd, F_OFD_SETLK, F_UNLCK, BYTE_OF_SETTING_UP);
        }
        if (!opened && out->fd >= 0) {
            int error = errno;
            close(out->fd);
            errno = error;
        }
    }
    if (!opened) {
        log_line(LOG_ERROR, "the shared file of external queries %s cannot be used: %s", path, strerror(errno));
    }
    return opened;
}

void query_limiter_file_close(struct query_limiter_file *file) {
    munmap(file->shared, sizeof *file->shared);
    close(file->fd);
}
