/*
 * The result of a command: records of named values, which may be nested, and lists of records. output.h prints them as
 * a table for people or as one JSON document. Everything lives in the arena; keys are literals or in the arena.
 */
#ifndef RECAUDO_CTL_CORE_RECORD_H
#define RECAUDO_CTL_CORE_RECORD_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"

enum value_kind {
    VALUE_NOTHING,
    VALUE_TEXT,
    VALUE_AMOUNT,
    VALUE_WORDS,
    VALUE_NUMBER,
    VALUE_FLAG,
    VALUE_INSTANT,
    VALUE_RECORD,
    VALUE_LIST
};

struct record;
struct record_list;

struct value {
    enum value_kind kind;
    union {
        struct text text; /* VALUE_TEXT, VALUE_AMOUNT, VALUE_WORDS; followed by a NUL */
        uint64_t number;
        bool flag;
        instant at;
        struct record *record;
        struct record_list *list;
    };
};

struct field {
    const char *key;
    struct value value;
    struct field *next;
};

struct record {
    struct arena *arena;
    struct field *first, *last;
    struct record *next; /* in a list */
};

struct record_list {
    struct arena *arena;
    struct record *first, *last;
    size_t count;
};

struct record *record_create(struct arena *arena);
struct record_list *record_list_create(struct arena *arena);

/* Adds a record at the end of the list and returns it. All records of a list have the same keys. */
struct record *record_list_add(struct record_list *list);

/* Keeps the first `count` records. `count` is at least 1 and less than the number of records. */
void record_list_cut(struct record_list *list, size_t count);

/* Each of these adds a field at the end. */
void record_text(struct record *record, const char *key, struct text value);
void record_text_or_nothing(struct record *record, const char *key, struct text value); /* empty: nothing */
void record_word_list(struct record *record, const char *key,
                      struct text value); /* separated by blanks; an array in JSON */
void record_number(struct record *record, const char *key, uint64_t value);
void record_number_or_nothing(struct record *record, const char *key, uint64_t value); /* 0: nothing */
void record_flag(struct record *record, const char *key, bool value);
void record_instant(struct record *record, const char *key, instant value); /* 0: nothing */
void record_amount(struct record *record, const char *key, struct money value, struct text currency);
void record_sum(struct record *record, const char *key, struct text value); /* an amount already printed as text */
struct record *record_record(struct record *record, const char *key);
struct record_list *record_list(struct record *record, const char *key);

/* Adds an existing list. */
void record_add_list(struct record *record, const char *key, struct record_list *list);

#endif
