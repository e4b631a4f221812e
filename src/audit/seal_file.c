#include "audit/seal_file.h"

#include "audit/seal_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last whole line must be within this many bytes of the end; a seal has at most 1000 late events. */
enum { TAIL_BYTES = 64 * 1024 };

/* One use of the file, from opening to closing. */
struct using {
    const char *path;
    struct connection *connection;
    struct arena *arena;
    enum status *status;
    char *error;
    int file;
    struct seal_row last; /* of the file; number 0: the file has none, or resumes after a database without seals */
    bool has_last, whole; /* whole: the file is empty or ends with a line feed */
};

static enum seal_file_state fail_with(struct using *using, const char *why) {
    snprintf(using->error, SEAL_FILE_ERROR_SIZE, "[audit] seal_file %s: %s", using->path, why);
    return SEAL_FILE_FAILED;
}

/* False: *out is unchanged. */
static bool parse_either(struct text line, struct seal_row *out) {
    struct resume_line resume;
    struct seal_row seal;
    bool is_seal = seal_line_parse(line, &seal), is_resume = !is_seal && resume_line_parse(line, &resume);
    *out = is_seal ? seal : is_resume ? resume.seal : *out;
    return is_seal || is_resume;
}

/* Finds the last whole line that is a seal or a resume line. */
static void find_last_line(struct using *using, const char *tail, size_t end) {
    while (end > 0 && !using->has_last) {
        const char *feed = memrchr(tail, '\n', end);
        size_t line_end = feed == NULL ? 0 : (size_t)(feed - tail);
        const char *before = line_end == 0 ? NULL : memrchr(tail, '\n', line_end);
        size_t begin = before == NULL ? 0 : (size_t)(before - tail) + 1;
        const struct text line = {tail + begin, line_end - begin};
        using->has_last = feed != NULL &&parse_either(line, &using->last);
        end = feed == NULL ? 0 : line_end;
    }
}

static enum seal_file_state read_tail(struct using *using) {
    struct stat about;
    char *tail = arena_alloc(using->arena, TAIL_BYTES);
    if (fstat(using->file, &about) != 0) {
        return fail_with(using, strerror(errno));
    }
    off_t from = about.st_size > TAIL_BYTES ? about.st_size - TAIL_BYTES : 0;
    ssize_t size = pread(using->file, tail, TAIL_BYTES, from);
    if (size < 0) {
        return fail_with(using, strerror(errno));
    }
    using->whole = size == 0 || tail[size - 1] == '\n';
    find_last_line(using, tail, (size_t)size);
    return using->has_last || from == 0 ? SEAL_FILE_FITS : fail_with(using, "its end has no line of a seal");
}

/* Reads the database's last seal; number 0: it has none. */
static bool read_newest(struct using *using, struct seal_row *out) {
    *using->status = seals_last(using->connection, using->arena, out);
    if (*using->status == STATUS_NONE) {
        *out = (struct seal_row){.sealed_at = TEXT(""), .digest = TEXT(SEAL_FIRST_PREVIOUS)};
        *using->status = STATUS_OK;
    }
    return *using->status == STATUS_OK;
}

static enum seal_file_state judge_last(struct using *using) {
    struct seal_row there, newest;
    if (!using->has_last || using->last.number == 0) {
        return SEAL_FILE_FITS;
    }
    *using->status = seals_find(using->connection, using->last.number, using->arena, &there);
    if (*using->status == STATUS_OK && text_equal(there.digest, using->last.digest)) {
        return SEAL_FILE_FITS;
    }
    bool replaced = *using->status == STATUS_OK;
    if ((!replaced && *using->status != STATUS_NONE) || !read_newest(using, &newest)) {
        return fail_with(using, "the database failed");
    }
    snprintf(
        using->error, SEAL_FILE_ERROR_SIZE,
        "[audit] seal_file %s ends with seal %llu, digest %.*s, and the database has %s (its newest is %llu): seals "
        "were removed or made anew, or the database was restored. Nothing is sealed until recaudoctl audit resume "
        "--reason TEXT",
        using->path, (unsigned long long)using->last.number, TEXT_ARGS(using->last.digest),
        replaced ? "another seal with this number" : "no such seal", (unsigned long long)newest.number);
    return SEAL_FILE_DIFFERS;
}

static enum seal_file_state compare_end(struct using *using) {
    enum seal_file_state state = read_tail(using);
    return state == SEAL_FILE_FITS ? judge_last(using) : state;
}

struct lines {
    struct arena *arena;
    struct text all;
    size_t count;
};

static void add_line(void *context, const struct seal_row *row) {
    struct lines *lines = context;
    struct text line = seal_line_print(row, lines->arena);
    lines->all = arena_print(lines->arena, "%.*s%.*s", TEXT_ARGS(lines->all), TEXT_ARGS(line));
    lines->count++;
}

static bool write_text(int file, struct text text) {
    while (text.size > 0) {
        ssize_t written = write(file, text.at, text.size);
        if (written < 0) {
            return false;
        }
        text = (struct text){text.at + written, text.size - (size_t)written};
    }
    return true;
}

/* If the file ends with a partial line, ends it first. */
static bool write_lines(const struct using *using, struct text lines) {
    return (using->whole || write_text(using->file, TEXT("\n"))) && write_text(using->file, lines);
}

static enum seal_file_state append_lines(struct using *using, bool *more) {
    enum seal_file_state state = compare_end(using);
    const struct seal_place place = {using->last.sealed_at, using->last.number};
    struct lines lines = {.arena = using->arena, .all = TEXT("")};
    if (state != SEAL_FILE_FITS) {
        return state;
    }
    *using->status = seals_made_after(using->connection, place, using->arena, add_line, &lines);
    if (*using->status != STATUS_OK) {
        return fail_with(using, "the database failed");
    }
    if (!write_lines(using, lines.all) || fsync(using->file) != 0) {
        return fail_with(using, strerror(errno));
    }
    *more = lines.count == SEALS_AT_ONCE;
    return SEAL_FILE_FITS;
}

static enum seal_file_state append_resume(struct using *using, struct resume_line *line, struct arena *arena) {
    enum seal_file_state state = compare_end(using);
    struct seal_row newest;
    if (state != SEAL_FILE_DIFFERS) {
        return state;
    }
    if (!read_newest(using, &newest)) {
        return fail_with(using, "the database failed");
    }
    line->seal = (struct seal_row){.number = newest.number,
                                   .sealed_at = arena_copy(arena, newest.sealed_at),
                                   .digest = arena_copy(arena, newest.digest)};
    return write_lines(using, resume_line_print(line, using->arena)) && fsync(using->file) == 0
               ? SEAL_FILE_DIFFERS
               : fail_with(using, strerror(errno));
}

static void end_use(struct using *using) {
    arena_destroy(using->arena);
    if (using->file >= 0) {
        close(using->file);
    }
}

static struct using begin_use(const char *path, int flags, struct connection *connection, enum status *status,
                              char *error) {
    *status = STATUS_OK;
    return (struct using){.path = path,
                          .connection = connection,
                          .arena = arena_create(),
                          .status = status,
                          .error = error,
                          .file = open(path, flags | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP)};
}

enum seal_file_state seal_file_compare(const char *path, struct connection *connection, enum status *status,
                                       char error[SEAL_FILE_ERROR_SIZE]) {
    struct using using = begin_use(path, O_RDONLY, connection, status, error);
    enum seal_file_state state = using.file >= 0   ? compare_end(&using)
                                 : errno == ENOENT ? SEAL_FILE_FITS
                                                   : fail_with(&using, strerror(errno));
    end_use(&using);
    return state;
}

enum seal_file_state seal_file_append(const char *path, struct connection *connection, bool *more, enum status *status,
                                      char error[SEAL_FILE_ERROR_SIZE]) {
    struct using using = begin_use(path, O_RDWR | O_CREAT | O_APPEND, connection, status, error);
    enum seal_file_state state = SEAL_FILE_FITS;
    *more = false;
    if (using.file < 0) {
        state = fail_with(&using, strerror(errno));
    } else if (flock(using.file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
        state = append_lines(&using, more);
    }
    end_use(&using);
    return state;
}

enum seal_file_state seal_file_resume(const char *path, struct connection *connection, struct resume_line *line,
                                      struct arena *arena, char error[SEAL_FILE_ERROR_SIZE]) {
    enum status status;
    struct using using = begin_use(path, O_RDWR | O_APPEND, connection, &status, error);
    enum seal_file_state state = using.file >= 0 && flock(using.file, LOCK_EX) == 0
                                     ? append_resume(&using, line, arena)
                                     : fail_with(&using, strerror(errno));
    end_use(&using);
    return state;
}
