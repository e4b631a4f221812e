/* Splits the command line into words and options: `--name value` or `--name=value`, anywhere, up to `--`. */
#ifndef RECAUDO_CTL_CORE_ARGUMENTS_H
#define RECAUDO_CTL_CORE_ARGUMENTS_H

#include "base/text.h"

enum { OPTIONS_MAX = 16, WORDS_MAX = 100, REPEATS_MAX = 200, COMPLAINT_SIZE = 300 };

struct option_spec {
    const char *name;  /* NULL ends the table */
    const char *value; /* the value's name in help; NULL: a flag */
    const char *help;
    bool required;
    bool may_be_empty;
    bool repeats; /* may be given several times; at most one such option in a table */
};

struct arguments {
    const struct option_spec *specs;
    struct text values[OPTIONS_MAX]; /* in the order of specs; `at` NULL: not given; a flag that was given: "" */
    struct text words[WORDS_MAX];
    size_t word_count;
    struct text repeats[REPEATS_MAX]; /* the values of the repeatable option, in order */
    size_t repeat_count;
};

/* Parses `count` words. Returns false if they are wrong; `complaint` then says why and names the option. */
MUST_USE bool arguments_parse(struct arguments *arguments, const struct option_spec *specs, char **words, size_t count,
                              char complaint[COMPLAINT_SIZE]);

/* Writes that the table has no option `word`, and suggests a similar one of the table or of the global options. */
void arguments_refuse_option(const struct option_spec *specs, const char *word, char complaint[COMPLAINT_SIZE]);

/* Returns false if a required option is missing. */
MUST_USE bool arguments_complete(const struct arguments *arguments, char complaint[COMPLAINT_SIZE]);

/* Returns the value of an option of the table; `at` is NULL if it was not given. */
struct text arguments_get(const struct arguments *arguments, const char *name);

/* Iterates over the values of a repeatable option. *at must be 0 at first. Returns false at the end. */
MUST_USE bool arguments_next(const struct arguments *arguments, const char *name, size_t *at, struct text *value);

bool arguments_has(const struct arguments *arguments, const char *name);

#endif
