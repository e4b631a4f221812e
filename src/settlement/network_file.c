#include "settlement/network_file.h"

#include "base/csv/csv_read.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/zone/zone.h"
#include "domain/currency.h"
#include "domain/instant.h"

enum column { COLUMN_TRANSACTION, COLUMN_AMOUNT, COLUMN_CURRENCY, COLUMN_DATE, COLUMN_STATE, COLUMNS };

enum { NAMES_MAX = 6, DAY_SIZE = 10 };

/* The names that networks use, in any case; other columns are ignored. */
static const char *const NAMES[COLUMNS][NAMES_MAX] = {
    [COLUMN_TRANSACTION] = {"transaction", "transaction_id", "idtransaction", "transaccion", "transacción"},
    [COLUMN_AMOUNT] = {"amount", "monto", "valor"},
    [COLUMN_CURRENCY] = {"currency", "money", "moneda"},
    [COLUMN_DATE] = {"date", "datetime", "at", "fecha", "timestamp"},
    [COLUMN_STATE] = {"state", "status", "estado", "confirm"},
};

static const struct {
    const char *word;
    bool is_cancelled;
} STATES[] = {
    {"finalizada", false}, {"confirmada", false}, {"aprobada", false}, {"pagada", false},   {"finalised", false},
    {"finalized", false},  {"confirmed", false},  {"approved", false}, {"paid", false},     {"ok", false},
    {"true", false},       {"cancelada", true},   {"anulada", true},   {"reversada", true}, {"cancelled", true},
    {"canceled", true},    {"reversed", true},    {"false", true},
};

struct reading {
    struct arena *arena;
    const char *zone;
    struct network_file *file;
    size_t room;            /* capacity of file->lines */
    size_t places[COLUMNS]; /* 1 for the first column; 0: the file has no such column */
};

static struct network_line *add_network_line(struct reading *reading, uint64_t number) {
    struct network_file *file = reading->file;
    if (file->count == reading->room) {
        reading->room = reading->room == 0 ? 1024 : 2 * reading->room;
        file->lines = memory_grown(file->lines, reading->room, sizeof *file->lines);
    }
    file->lines[file->count] = (struct network_line){.number = number};
    return &file->lines[file->count++];
}

static enum column find_network_column(struct text name) {
    for (enum column column = 0; column < COLUMNS; column++) {
        for (size_t i = 0; i < NAMES_MAX && NAMES[column][i] != NULL; i++) {
            if (text_equal_any_case(text_trim(name), text_of(NAMES[column][i]))) {
                return column;
            }
        }
    }
    return COLUMNS;
}

static const char *take_line_columns(void *context, const struct text *names, size_t count) {
    struct reading *reading = context;
    for (size_t i = 0; i < count; i++) {
        enum column column = find_network_column(names[i]);
        if (column < COLUMNS && reading->places[column] != 0) {
            return arena_print(reading->arena, "columns %zu and %zu are both the %s", reading->places[column], i + 1,
                               NAMES[column][0])
                .at;
        }
        if (column < COLUMNS) {
            reading->places[column] = i + 1;
        }
    }
    reading->file->has_days = reading->places[COLUMN_DATE] != 0;
    enum column missing = reading->places[COLUMN_TRANSACTION] == 0 ? COLUMN_TRANSACTION
                          : reading->places[COLUMN_AMOUNT] == 0    ? COLUMN_AMOUNT
                                                                   : COLUMNS;
    reading->file->has_columns = missing == COLUMNS;
    return missing == COLUMNS
               ? NULL
               : arena_print(reading->arena,
                             "the first line must name the columns, and names no %s column; transaction and "
                             "amount are needed, currency, date and state may be there",
                             NAMES[missing][0])
                     .at;
}

static struct text get_field(const struct reading *reading, const struct text *fields, enum column column) {
    return reading->places[column] == 0 ? TEXT("") : text_trim(fields[reading->places[column] - 1]);
}

/* Reads the day of 2026-11-21, 2026-11-21 09:30:00, 2026-11-21T09:30:00.5Z or seconds since 1970, of ten digits: eight
 * are a date without its hyphens. */
static bool read_day(const struct reading *reading, struct text date, struct text *out) {
    char text[INSTANT_TEXT_SIZE];
    instant at, local;
    *out = date;
    if (date.size == 0) {
        return true;
    }
    if (date.size >= DAY_SIZE && instant_parse(date, &at)) {
        bool known = zone_to_local(reading->zone, at, &local);
        *out = arena_copy(reading->arena, (struct text){instant_print(known ? local : at, text), DAY_SIZE});
        return known;
    }
    const char *rest = date.size == DAY_SIZE ? "T00:00:00Z" : "Z";
    out->size = DAY_SIZE;
    return date.size >= DAY_SIZE && instant_parse(arena_print(reading->arena, "%.*s%s", TEXT_ARGS(date), rest), &local);
}

static bool read_state(struct text word, bool *is_cancelled) {
    *is_cancelled = false;
    for (size_t i = 0; i < COUNT_OF(STATES); i++) {
        if (text_equal_any_case(word, text_of(STATES[i].word))) {
            *is_cancelled = STATES[i].is_cancelled;
            return true;
        }
    }
    return word.size == 0;
}

/* Reports show the field, also on terminals. */
static bool is_printable_field(struct text text) {
    return utf8_is_valid(text) && !text_has_control(text);
}

/* The comparison reports an unknown currency; any number of decimals is accepted for it. */
static const char *read_line_amount(struct text written, struct network_line *line) {
    if (!money_parse(written, &line->amount)) {
        return "amount: is not an amount: up to 15 digits, and after a point up to 4 decimals";
    }
    return !currency_is_known(line->currency) || currency_allows(line->currency, written)
               ? NULL
               : "amount: has more decimals than its currency; a point may only stand before decimals";
}

static const char *read_line(const struct reading *reading, const struct text *fields, struct network_line *line) {
    /* Quoted blanks belong to the id, as in the API; csv_read removes those around an unquoted field. */
    line->transaction = fields[reading->places[COLUMN_TRANSACTION] - 1];
    line->currency = get_field(reading, fields, COLUMN_CURRENCY);
    line->state = get_field(reading, fields, COLUMN_STATE);
    if (line->transaction.size == 0) {
        return "transaction: is missing";
    }
    if (!is_printable_field(line->transaction)) {
        line->transaction = TEXT(""); /* because reports print it */
        return "transaction: is not UTF-8 text without control characters";
    }
    const char *complaint = read_line_amount(get_field(reading, fields, COLUMN_AMOUNT), line);
    if (complaint != NULL) {
        return complaint;
    }
    if (!read_day(reading, get_field(reading, fields, COLUMN_DATE), &line->day)) {
        return "date: must be like 2026-11-21, 2026-11-21 09:30:00 or 2026-11-21T09:30:00Z, or seconds since 1970, of "
               "ten digits; no other offset than Z is read";
    }
    if (!read_state(line->state, &line->is_cancelled)) {
        return "state: must be a word like paid, confirmed or true, or like cancelled, reversed or false";
    }
    return is_printable_field(line->currency) ? NULL : "currency: is not UTF-8 text without control characters";
}

static void take_network_row(void *context, uint64_t number, const struct text *fields, const char *complaint) {
    struct reading *reading = context;
    struct network_line *line = add_network_line(reading, number);
    line->complaint = complaint != NULL ? complaint : read_line(reading, fields, line);
}

bool network_file_read(FILE *from, const char *zone, struct arena *arena, struct network_file *out) {
    static const struct csv_rows ROWS = {.names = take_line_columns, .row = take_network_row};
    struct reading reading = {.arena = arena, .zone = zone, .file = out};
    *out = (struct network_file){.lines = NULL};
    return csv_read(from, arena, &ROWS, &reading);
}

const char *network_file_complaint(const struct network_file *file) {
    return file->count == 1 && !file->has_columns ? file->lines[0].complaint : NULL;
}

static int compare_days(struct text a, struct text b) {
    return memcmp(a.at, b.at, a.size);
}

void network_file_days(const struct network_file *file, struct text *first, struct text *last) {
    *first = *last = (struct text){NULL, 0};
    for (size_t i = 0; i < file->count; i++) {
        struct text day = file->lines[i].day;
        if (day.size > 0 && file->lines[i].complaint == NULL) {
            *first = first->at == NULL || compare_days(day, *first) < 0 ? day : *first;
            *last = last->at == NULL || compare_days(day, *last) > 0 ? day : *last;
        }
    }
}

void network_file_free(struct network_file *file) {
    free(file->lines);
    *file = (struct network_file){.lines = NULL};
}
