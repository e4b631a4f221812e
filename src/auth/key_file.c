#include "auth/key_file.h"

#include "base/hex.h"
#include "base/process/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEX_DIGITS = 2 * KEY_BYTES, LINE_MAX_BYTES = HEX_DIGITS + 6, CONTENT_SIZE = KEYS_MAX * LINE_MAX_BYTES + 1 };

/* What follows the digits of a key with this role. */
static const char *const MARKS[] = {[KEY_CURRENT] = "", [KEY_NEXT] = " next", [KEY_OLD] = " old"};

static bool complain_of_file(char error[KEY_FILE_ERROR_SIZE], const char *path, const char *problem) {
    snprintf(error, KEY_FILE_ERROR_SIZE, "%s: %s", path, problem);
    return false;
}

static bool parse_line(struct text line, struct key_ring *ring) {
    unsigned char bytes[KEY_BYTES];
    bool fine = line.size >= HEX_DIGITS && hex_read((struct text){line.at, HEX_DIGITS}, bytes, KEY_BYTES),
         added = false;
    for (size_t i = 0; fine && i < COUNT_OF(MARKS); i++) {
        if (text_equal((struct text){line.at + HEX_DIGITS, line.size - HEX_DIGITS}, text_of(MARKS[i]))) {
            added = key_ring_add(ring, (enum key_role)i, bytes);
        }
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    return added;
}

static bool parse_keys(struct text content, struct key_ring *out) {
    size_t having[COUNT_OF(MARKS)] = {0};
    out->count = 0;
    while (content.size > 0) {
        if (!parse_line(text_cut(&content, '\n'), out)) {
            return false;
        }
        having[out->keys[out->count - 1].role]++;
    }
    return having[KEY_CURRENT] == 1 && having[KEY_NEXT] <= 1;
}

static bool is_private(int file, const char *path, char error[KEY_FILE_ERROR_SIZE]) {
    return private_file_is_closed(file) ||
           complain_of_file(error, path,
                            "others may read or change this key: chmod g-wx,o= it, and recaudoctl key rotate if they "
                            "did");
}

static void complain_of_opening(char error[KEY_FILE_ERROR_SIZE], const char *path, int reason) {
    const char *remedy = "";
    if (reason == ENOENT) {
        remedy = ": restore the copy of it (only a system without secrets gets a new one: recaudoctl key create)";
    } else if (reason == EACCES) {
        remedy = ": the services read it by its group: chgrp recaudo, chmod 0640";
    }
    snprintf(error, KEY_FILE_ERROR_SIZE, "%s: %s%s", path, strerror(reason), remedy);
}

bool key_file_read(const char *path, struct key_ring *out, char error[KEY_FILE_ERROR_SIZE]) {
    char content[CONTENT_SIZE];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        complain_of_opening(error, path, errno);
        return false;
    }
    bool fine = is_private(file, path, error);
    if (fine) {
        ssize_t size = read(file, content, sizeof content);
        fine =
            (size > 0 && size < (ssize_t)sizeof content && parse_keys((struct text){content, (size_t)size}, out)) ||
            complain_of_file(
                error, path,
                "must hold one key of 64 hex digits, or one per line, all but the current followed by `next` or `old`");
    }
    close(file);
    OPENSSL_cleanse(content, sizeof content);
    return fine;
}

static size_t print_key(const struct key_ring *ring, char content[CONTENT_SIZE]) {
    size_t used = 0;
    for (size_t i = 0; i < ring->count; i++) {
        used += hex_print(ring->keys[i].bytes, KEY_BYTES, content + used);
        used += (size_t)snprintf(content + used, CONTENT_SIZE - used, "%s\n", MARKS[ring->keys[i].role]);
    }
    return used;
}

/* Returns false and sets errno on failure. After a short write, because the disk is full, only the next write reports
 * the error. */
static bool write_whole(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Writes the keys and syncs them to disk. Returns false and sets errno on failure. */
static bool write_keys_to(int file, const struct key_ring *ring) {
    char content[CONTENT_SIZE];
    size_t size = print_key(ring, content);
    bool written = write_whole(file, content, size) && fsync(file) == 0;
    OPENSSL_cleanse(content, sizeof content);
    return written;
}

bool key_file_create(const char *path, char error[KEY_FILE_ERROR_SIZE]) {
    struct key_ring ring = {.count = 0};
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
        return complain_of_file(error, path, strerror(errno));
    }
    bool made = key_ring_generate(&ring, KEY_CURRENT);
    bool written = made && write_keys_to(file, &ring) && private_file_sync_folder(path);
    if (!written) {
        snprintf(error, KEY_FILE_ERROR_SIZE, "%s: cannot be written: %s", path,
                 made ? strerror(errno) : "the system's random generator failed");
        unlink(path);
    }
    close(file);
    key_ring_wipe(&ring);
    return written;
}

/* Writes a file next to the original, with its owner, group and mode, so that exactly those who could read the original
 * can read it. */
static bool write_beside(const char *path, const char *beside, const struct key_ring *ring) {
    struct stat about;
    unlink(beside); /* left by a killed process; the lock excludes one that is running */
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool written = file >= 0 && stat(path, &about) == 0 && fchown(file, about.st_uid, about.st_gid) == 0 &&
                   fchmod(file, about.st_mode & 07777) == 0 && write_keys_to(file, ring);
    int problem = errno;
    if (file >= 0) {
        close(file);
    }
    errno = problem;
    return written;
}

bool key_file_replace(const char *path, const struct key_ring *ring, char error[KEY_FILE_ERROR_SIZE]) {
    char *real = realpath(path, NULL); /* replaces the target of a symbolic link, not the link */
    char *beside = NULL;
    bool renamed = real != NULL && asprintf(&beside, "%s.new", real) > 0 && write_beside(real, beside, ring) &&
                   rename(beside, real) == 0;
    bool replaced = renamed && private_file_sync_folder(real);
    if (!replaced) {
        snprintf(error, KEY_FILE_ERROR_SIZE, "%s: %s: %s", path,
                 renamed
                     ? "was replaced, and a crash may restore the previous keys, because its folder cannot be synced"
                     : "cannot be replaced",
                 strerror(errno));
    }
    if (!renamed && beside != NULL) {
        unlink(beside);
    }
    free(beside);
    free(real);
    return replaced;
}

int key_file_lock(const char *path, char error[KEY_FILE_ERROR_SIZE]) {
    char *real = realpath(path, NULL);
    int folder = real == NULL ? -1 : private_file_open_folder(real);
    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0) {
        int problem = errno;
        close(folder);
        folder = -1;
        errno = problem;
    }
    if (folder < 0) {
        complain_of_file(error, path, errno == EWOULDBLOCK ? "another key rotate is running" : strerror(errno));
    }
    free(real);
    return folder;
}
