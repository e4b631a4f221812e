/* CSV from outside: every row that is read is the same when it was written and is read again; a network's list holds
 * only what can be shown. */
#include "base/csv/csv_line.h"
#include "base/csv/csv_read.h"
#include "fuzz.h"
#include "settlement/network_file.h"

struct rows {
    struct arena *arena;
    const struct text *wanted; /* the row that must come out again; NULL: write each row and read it */
    size_t columns, count;
    uint64_t line;
};

static void read_rows(struct text bytes, struct rows *rows);

static const char *take_names(void *context, const struct text *names, size_t count) {
    struct rows *rows = context;
    assert(count == 0 || names != NULL);
    rows->columns = count;
    return count == 0 ? "is missing" : NULL;
}

/* Text that a spreadsheet would run has an apostrophe in front when it is written, also behind a semicolon or a tab.
 * Where the original has one there itself, none is added. */
static bool is_guarded(struct text written, struct text original) {
    size_t taken = 0;
    for (size_t i = 0; i < written.size; i++) {
        bool begins = i == 0 || written.at[i - 1] == ';' || written.at[i - 1] == '\t';
        if (taken < original.size && written.at[i] == original.at[taken]) {
            taken++;
        } else if (!begins || written.at[i] != '\'') {
            return false;
        }
    }
    return taken == original.size;
}

static void compare_row(const struct rows *rows, const struct text *fields) {
    for (size_t i = 0; i < rows->columns; i++) {
        assert(is_guarded(fields[i], rows->wanted[i]));
    }
}

/* The first line names the columns x. A row with one empty column would be a blank line. */
static void write_and_read(struct rows *rows, const struct text *fields) {
    struct csv_line line = {NULL, 0, 0, 0};
    struct rows again = {.arena = rows->arena, .wanted = fields};
    struct text names = TEXT("");
    for (size_t i = 0; i < rows->columns; i++) {
        names = arena_print(rows->arena, "%.*s%sx", TEXT_ARGS(names), i > 0 ? "," : "");
        csv_line_text(&line, fields[i]);
    }
    struct text row = csv_line_end(&line);
    char *bytes = arena_alloc(rows->arena, names.size + 1 + row.size);
    memcpy(bytes, names.at, names.size);
    bytes[names.size] = '\n';
    memcpy(bytes + names.size + 1, row.at, row.size);
    read_rows((struct text){bytes, names.size + 1 + row.size}, &again);
    assert(again.count == 1);
    csv_line_free(&line);
}

static void take_row(void *context, uint64_t line, const struct text *fields, const char *complaint) {
    struct rows *rows = context;
    assert(line > rows->line && (fields == NULL) == (complaint != NULL));
    rows->line = line;
    rows->count++;
    if (rows->wanted != NULL) {
        assert(complaint == NULL);
        compare_row(rows, fields);
    } else if (fields != NULL && rows->columns > 1) {
        write_and_read(rows, fields);
    }
}

static void read_rows(struct text bytes, struct rows *rows) {
    static const struct csv_rows CALLS = {.names = take_names, .row = take_row};
    FILE *file = fmemopen((void *)(uintptr_t)bytes.at, bytes.size, "r");
    assert(file != NULL && csv_read(file, rows->arena, &CALLS, rows));
    fclose(file);
}

static void check_line(const struct network_line *line) {
    const struct text shown[] = {line->transaction, line->currency, line->day};
    char printed[MONEY_TEXT_SIZE];
    struct money again;
    if (line->complaint != NULL) {
        return;
    }
    fuzz_assert_clean(shown, sizeof shown / sizeof shown[0]);
    assert(line->transaction.size > 0 && (line->day.size == 0 || line->day.size == 10));
    assert(money_parse(text_of(money_print(line->amount, 0, printed)), &again) && money_equal(line->amount, again));
}

static void read_network_file(struct text bytes, struct arena *arena) {
    struct network_file network_file;
    FILE *file = fmemopen((void *)(uintptr_t)bytes.at, bytes.size, "r");
    assert(file != NULL && network_file_read(file, "America/Bogota", arena, &network_file));
    for (size_t i = 0; i < network_file.count; i++) {
        check_line(&network_file.lines[i]);
        assert(i == 0 || network_file.lines[i].number > network_file.lines[i - 1].number);
    }
    network_file_free(&network_file);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text bytes = {(const char *)data, size};
    struct rows rows = {.arena = arena};
    if (size > 0) {
        read_rows(bytes, &rows);
        read_network_file(bytes, arena);
    }
    arena_destroy(arena);
    return 0;
}
