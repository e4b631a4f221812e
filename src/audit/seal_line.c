#include "audit/seal_line.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BEGINS "recaudo-seal"

/* The last whole line of a file is looked for in so many bytes; a seal has at most 1000 late events. */
enum { TAIL_BYTES = 64 * 1024, FIELDS = 11 };

struct text seal_line_print(const struct seal_row *seal, struct arena *arena) {
    return arena_print(arena, LINE_BEGINS "\t%llu\t%llu\t%.*s\t%llu\t%llu\t%llu\t%.*s\t%.*s\t%.*s\t%.*s\t%.*s\n",
                       (unsigned long long)seal->form, (unsigned long long)seal->number, TEXT_ARGS(seal->sealed_at),
                       (unsigned long long)seal->first_id, (unsigned long long)seal->last_id,
                       (unsigned long long)seal->count, TEXT_ARGS(seal->late), TEXT_ARGS(seal->events),
                       TEXT_ARGS(seal->digest), TEXT_ARGS(seal->key_id), TEXT_ARGS(seal->signature));
}

/* Takes what stands before the next tab. */
static struct text next_field(struct text *rest) {
    const char *tab = rest->size == 0 ? NULL : memchr(rest->at, '\t', rest->size);
    struct text field = {rest->at, tab == NULL ? rest->size : (size_t)(tab - rest->at)};
    size_t used = field.size + (tab != NULL);
    *rest = (struct text){rest->at + used, rest->size - used};
    return field;
}

bool seal_line_parse(struct text line, struct seal_row *out) {
    uint64_t *const numbers[FIELDS] = {&out->form, &out->number, NULL, &out->first_id, &out->last_id, &out->count};
    struct text *const texts[FIELDS] = {NULL,       NULL,         &out->sealed_at, NULL,         NULL,           NULL,
                                        &out->late, &out->events, &out->digest,    &out->key_id, &out->signature};
    if (!text_equal(next_field(&line), TEXT(LINE_BEGINS))) {
        return false;
    }
    *out = (struct seal_row){.number = 0};
    for (size_t i = 0; i < FIELDS; i++) {
        struct text field = next_field(&line);
        if (texts[i] != NULL) {
            *texts[i] = field;
        } else if (!text_to_number(field, numbers[i])) {
            return false;
        }
    }
    return line.size == 0 && out->digest.size == 64;
}

/* Reads the end of the file, and finds the last line that is a seal. False: errno says why not. *whole: the file ends
 * with a line feed, or is empty. */
static bool read_last_line(int file, struct arena *arena, struct seal_row *last, bool *whole) {
    struct stat about;
    char *tail = arena_alloc(arena, TAIL_BYTES);
    if (fstat(file, &about) != 0) {
        return false;
    }
    off_t from = about.st_size > TAIL_BYTES ? about.st_size - TAIL_BYTES : 0;
    ssize_t size = pread(file, tail, TAIL_BYTES, from);
    if (size < 0) {
        return false;
    }
    *last = (struct seal_row){.number = 0};
    *whole = size == 0 || tail[size - 1] == '\n';
    size_t end = (size_t)size;
    while (end > 0 && last->number == 0) {
        const char *feed = memrchr(tail, '\n', end);
        size_t line_end = feed == NULL ? 0 : (size_t)(feed - tail);
        const char *before = line_end == 0 ? NULL : memrchr(tail, '\n', line_end);
        size_t begin = before == NULL ? 0 : (size_t)(before - tail) + 1;
        struct seal_row row;
        if (feed != NULL && seal_line_parse((struct text){tail + begin, line_end - begin}, &row)) {
            *last = row;
        }
        end = feed == NULL ? 0 : line_end;
    }
    return true;
}

struct lines {
    struct arena *arena;
    struct text all;
    struct seal_place place;
    size_t count;
};

static void add_line(void *context, const struct seal_row *row) {
    struct lines *lines = context;
    struct text line = seal_line_print(row, lines->arena);
    lines->all = arena_print(lines->arena, "%.*s%.*s", TEXT_ARGS(lines->all), TEXT_ARGS(line));
    lines->place = (struct seal_place){row->sealed_at, row->number};
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

/* False: the file or, where *status says so, the database failed. */
static bool append_lines(int file, struct connection *connection, struct arena *arena, enum status *status) {
    struct seal_row last;
    bool whole;
    if (!read_last_line(file, arena, &last, &whole) || (!whole && !write_text(file, TEXT("\n")))) {
        return false;
    }
    struct lines lines = {.arena = arena, .place = {last.sealed_at, last.number}};
    bool written = true;
    do {
        lines.count = 0;
        lines.all = TEXT("");
        *status = seals_made_after(connection, lines.place, arena, add_line, &lines);
        written = *status == STATUS_OK && write_text(file, lines.all);
    } while (written && lines.count == SEALS_AT_ONCE);
    return written && fsync(file) == 0;
}

bool seal_file_append(const char *path, struct connection *connection, enum status *status,
                      char error[SEAL_FILE_ERROR_SIZE]) {
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP);
    *status = STATUS_OK;
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(file);
        return true;
    }
    struct arena *arena = arena_create();
    bool appended = file >= 0 && append_lines(file, connection, arena, status);
    if (!appended) {
        snprintf(error, SEAL_FILE_ERROR_SIZE, "[audit] seal_file %s: %s", path, strerror(errno));
    }
    arena_destroy(arena);
    if (file >= 0) {
        close(file);
    }
    return appended;
}
