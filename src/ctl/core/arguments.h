/* The words of the command line, sorted by a table of options: `--name value` or `--name=value`, anywhere, up to `--`.
 */
#ifndef RECAUDO_CTL_CORE_ARGUMENTS_H
#define RECAUDO_CTL_CORE_ARGUMENTS_H

#include "base/text.h"

enum { OPTIONS_MAX = 16, WORDS_MAX = 100, REPEATS_MAX = 200, COMPLAINT_SIZE = 300 };

struct option_spec {
    const char *name;  /* NULL ends the table */
    const char *value; /* how help calls the value; NULL: a flag */
    const char *help;
    bool required;
    bool may_be_empty;
    bool repeats; /* may stand several times; one option of a table at most */
};

struct arguments {
    const struct option_spec *specs;
    struct text values[OPTIONS_MAX]; /* by place in specs; `at` NULL: not given; a flag that was given: "" */
    struct text words[WORDS_MAX];
    size_t word_count;
    struct text repeats[REPEATS_MAX]; /* the values of the option that repeats, in order */
    size_t repeat_count;
};

/* Sorts count words. False: `complaint` says what is wrong, naming the option. */
MUST_USE bool arguments_parse(struct arguments *arguments, const struct option_spec *specs, char **words, size_t count,
                              char complaint[COMPLAINT_SIZE]);

/* Writes that the option `word` is none of the table's, and which of these or of the global ones may have been meant.
 */
void arguments_refuse_option(const struct option_spec *specs, const char *word, char complaint[COMPLAINT_SIZE]);

/* False when a required option is missing. */
MUST_USE bool arguments_complete(const struct arguments *arguments, char complaint[COMPLAINT_SIZE]);

/* The value of an option of the table; `at` is NULL when it was not given. */
struct text arguments_get(const struct arguments *arguments, const char *name);

/* Goes through the values of an option that repeats: *at is 0 at first. False when there are no more. */
MUST_USE bool arguments_next(const struct arguments *arguments, const char *name, size_t *at, struct text *value);

bool arguments_has(const struct arguments *arguments, const char *name);

#endif
