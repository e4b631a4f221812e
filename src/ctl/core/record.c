#include "ctl/core/record.h"

#include "domain/currency.h"

struct record *record_create(struct arena *arena) {
    struct record *record = arena_alloc(arena, sizeof *record);
    record->arena = arena;
    return record;
}

struct record_list *record_list_create(struct arena *arena) {
    struct record_list *list = arena_alloc(arena, sizeof *list);
    list->arena = arena;
    return list;
}

struct record *record_list_add(struct record_list *list) {
    struct record *record = record_create(list->arena);
    if (list->last == NULL) {
        list->first = record;
    } else {
        list->last->next = record;
    }
    list->last = record;
    list->count++;
    return record;
}

void record_list_cut(struct record_list *list, size_t count) {
    struct record *last = list->first;
    for (size_t i = 1; i < count; i++) {
        last = last->next;
    }
    last->next = NULL;
    list->last = last;
    list->count = count;
}

static struct value *append_field(struct record *record, const char *key, enum value_kind kind) {
    struct field *field = arena_alloc(record->arena, sizeof *field);
    field->key = key;
    field->value.kind = kind;
    if (record->last == NULL) {
        record->first = field;
    } else {
        record->last->next = field;
    }
    record->last = field;
    return &field->value;
}

void record_text(struct record *record, const char *key, struct text value) {
    append_field(record, key, VALUE_TEXT)->text = arena_copy(record->arena, value);
}

void record_text_or_nothing(struct record *record, const char *key, struct text value) {
    if (value.size > 0) {
        record_text(record, key, value);
    } else {
        append_field(record, key, VALUE_NOTHING);
    }
}

void record_word_list(struct record *record, const char *key, struct text value) {
    append_field(record, key, VALUE_WORDS)->text = arena_copy(record->arena, value);
}

void record_number(struct record *record, const char *key, uint64_t value) {
    append_field(record, key, VALUE_NUMBER)->number = value;
}

void record_number_or_nothing(struct record *record, const char *key, uint64_t value) {
    append_field(record, key, value == 0 ? VALUE_NOTHING : VALUE_NUMBER)->number = value;
}

void record_flag(struct record *record, const char *key, bool value) {
    append_field(record, key, VALUE_FLAG)->flag = value;
}

void record_instant(struct record *record, const char *key, instant value) {
    append_field(record, key, value == 0 ? VALUE_NOTHING : VALUE_INSTANT)->at = value;
}

void record_amount(struct record *record, const char *key, struct money value, struct text currency) {
    char printed[MONEY_TEXT_SIZE];
    append_field(record, key, VALUE_AMOUNT)->text =
        arena_copy(record->arena, text_of(currency_print(currency, value, printed)));
}

void record_sum(struct record *record, const char *key, struct text value) {
    append_field(record, key, VALUE_AMOUNT)->text = arena_copy(record->arena, value);
}

struct record *record_record(struct record *record, const char *key) {
    struct record *nested = record_create(record->arena);
    append_field(record, key, VALUE_RECORD)->record = nested;
    return nested;
}

void record_add_list(struct record *record, const char *key, struct record_list *list) {
    append_field(record, key, VALUE_LIST)->list = list;
}

struct record_list *record_list(struct record *record, const char *key) {
    struct record_list *nested = record_list_create(record->arena);
    record_add_list(record, key, nested);
    return nested;
}
