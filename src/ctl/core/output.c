#include "ctl/core/output.h"

#include "base/memory.h"
#include "domain/instant.h"

#include <errno.h>
#include <json-c/json.h>
#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <locale.h>
#include <poll.h>
#include <unistd.h>

enum { COLUMNS_MAX = 32 };

void output_prepare(void) {
    if (setlocale(LC_CTYPE, "") == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C.UTF-8");
    }
}

bool output_finish(void) {
    return fflush(stdout) == 0 && ferror(stdout) == 0;
}

bool output_has_no_reader(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

static json_object *json_of_record(const struct record *record);

static void add_to_array(json_object *array, json_object *value) {
    if (json_object_array_add(array, value) != 0) {
        abort();
    }
}

static json_object *json_of_list(const struct record_list *list) {
    json_object *array = memory_needed(json_object_new_array());
    for (const struct record *record = list->first; record != NULL; record = record->next) {
        add_to_array(array, json_of_record(record));
    }
    return array;
}

static json_object *json_of_text(struct text text) {
    return memory_needed(json_object_new_string_len(text.at, (int)text.size));
}

static json_object *json_of_words(struct text words) {
    json_object *array = memory_needed(json_object_new_array());
    for (struct text word = text_next_word(&words); word.size > 0; word = text_next_word(&words)) {
        add_to_array(array, json_of_text(word));
    }
    return array;
}

static json_object *json_of_value(const struct value *value) {
    char printed[INSTANT_TEXT_SIZE];
    switch (value->kind) {
    case VALUE_NOTHING:
        return NULL;
    case VALUE_TEXT:
    case VALUE_AMOUNT:
        return json_of_text(value->text);
    case VALUE_WORDS:
        return json_of_words(value->text);
    case VALUE_NUMBER:
        return memory_needed(json_object_new_uint64(value->number));
    case VALUE_FLAG:
        return memory_needed(json_object_new_boolean(value->flag));
    case VALUE_INSTANT:
        return memory_needed(json_object_new_string(instant_print(value->at, printed)));
    case VALUE_RECORD:
        return json_of_record(value->record);
    case VALUE_LIST:
        return json_of_list(value->list);
    }
    return NULL;
}

static json_object *json_of_record(const struct record *record) {
    json_object *object = memory_needed(json_object_new_object());
    for (const struct field *field = record->first; field != NULL; field = field->next) {
        if (json_object_object_add(object, field->key, json_of_value(&field->value)) != 0) {
            abort();
        }
    }
    return object;
}

/* When memory runs out, json-c omits the value and reports it in errno only. */
static void print_json(json_object *document) {
    errno = 0;
    const char *printed =
        json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (printed == NULL || errno == ENOMEM) {
        abort();
    }
    puts(printed);
    json_object_put(document);
}

/* Without microseconds, for people: 2026-11-21 09:30:00Z. */
static const char *print_instant(instant at, char out[INSTANT_TEXT_SIZE]) {
    struct civil parts = instant_to_civil(at);
    snprintf(out, INSTANT_TEXT_SIZE, "%04u-%02u-%02u %02u:%02u:%02uZ", parts.year, parts.month, parts.day, parts.hour,
             parts.minute, parts.second);
    return out;
}

static const char SYMBOL_FOR_NULL[] = "\u2400";

/* A table shows other control characters as \xNN, but ends a text at a NUL. A reply in UTF-16 is full of them. */
static const char *words_of_text(struct text text, struct arena *arena) {
    if (memchr(text.at, '\0', text.size) == NULL) {
        return text.at;
    }
    const size_t symbol = sizeof SYMBOL_FOR_NULL - 1;
    char *words = arena_alloc(arena, text.size * symbol + 1);
    for (size_t at = 0, used = 0; at < text.size; at++) {
        bool is_nul = text.at[at] == '\0';
        memcpy(words + used, is_nul ? SYMBOL_FOR_NULL : text.at + at, is_nul ? symbol : 1);
        used += is_nul ? symbol : 1;
    }
    return words;
}

static const char *words_of_value(const struct value *value, struct arena *arena, char out[INSTANT_TEXT_SIZE]) {
    switch (value->kind) {
    case VALUE_NOTHING:
    case VALUE_RECORD:
        return "-";
    case VALUE_TEXT:
        return words_of_text(value->text, arena);
    case VALUE_AMOUNT:
        return value->text.at;
    case VALUE_WORDS:
        return value->text.size == 0 ? "-" : value->text.at;
    case VALUE_NUMBER:
        snprintf(out, INSTANT_TEXT_SIZE, "%llu", (unsigned long long)value->number);
        return out;
    case VALUE_FLAG:
        return value->flag ? "yes" : "no";
    case VALUE_INSTANT:
        return print_instant(value->at, out);
    case VALUE_LIST:
        snprintf(out, INSTANT_TEXT_SIZE, "%zu", value->list->count);
        return out;
    }
    return "";
}

static bool is_right_aligned(const struct value *value) {
    return value->kind == VALUE_AMOUNT || value->kind == VALUE_NUMBER || value->kind == VALUE_LIST;
}

static void print_table(struct libscols_table *table) {
    if (table == NULL || scols_print_table(table) != 0) {
        abort();
    }
    scols_unref_table(table);
}

static void add_columns(struct libscols_table *table, const struct record *record) {
    for (const struct field *field = record->first; field != NULL; field = field->next) {
        scols_table_new_column(table, field->key, 0, is_right_aligned(&field->value) ? SCOLS_FL_RIGHT : 0);
    }
}

static void print_list(const struct record_list *list) {
    struct libscols_table *table = scols_new_table();
    char printed[INSTANT_TEXT_SIZE];
    add_columns(table, list->first);
    for (const struct record *record = list->first; record != NULL; record = record->next) {
        struct libscols_line *line = scols_table_new_line(table, NULL);
        size_t column = 0;
        for (const struct field *field = record->first; field != NULL; field = field->next) {
            scols_line_set_data(line, column++, words_of_value(&field->value, record->arena, printed));
        }
    }
    print_table(table);
}

static void add_column_line(struct libscols_table *table, const char *key, const char *words) {
    struct libscols_line *line = scols_table_new_line(table, NULL);
    scols_line_set_data(line, 0, key);
    scols_line_set_data(line, 1, words);
}

/* Adds one line per value; the keys of a nested record are prefixed with its own. */
static void add_values(struct libscols_table *table, const struct record *record, const char *above) {
    char printed[INSTANT_TEXT_SIZE];
    for (const struct field *field = record->first; field != NULL; field = field->next) {
        struct text key = arena_print(record->arena, "%s%s%s", above, above[0] == '\0' ? "" : ".", field->key);
        if (field->value.kind == VALUE_RECORD) {
            add_values(table, field->value.record, key.at);
        } else if (field->value.kind != VALUE_LIST) {
            add_column_line(table, key.at, words_of_value(&field->value, record->arena, printed));
        }
    }
}

static void print_record_lines(const struct record *record) {
    struct libscols_table *table = scols_new_table();
    scols_table_enable_noheadings(table, 1);
    scols_table_new_column(table, "key", 0, 0);
    scols_table_new_column(table, "value", 0, 0);
    add_values(table, record, "");
    print_table(table);
    for (const struct field *field = record->first; field != NULL; field = field->next) {
        if (field->value.kind == VALUE_LIST) {
            printf("\n%s:%s\n", field->key, field->value.list->count == 0 ? " none" : "");
            if (field->value.list->count > 0) {
                print_list(field->value.list);
            }
        }
    }
}

void output_record(const struct record *record, bool json) {
    if (json) {
        print_json(json_of_record(record));
    } else {
        print_record_lines(record);
    }
}

void output_list(const struct record_list *list, bool json) {
    if (json) {
        print_json(json_of_list(list));
    } else if (list->count == 0) {
        puts("none");
    } else {
        print_list(list);
    }
}
