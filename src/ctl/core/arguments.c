#include "ctl/core/arguments.h"
#include "ctl/core/nearest.h"

#include <assert.h>

/* Global options, accepted anywhere on the command line. */
static const char *const EVERYWHERE[] = {"config", "help", "json", "version"};

static size_t find_option(const struct option_spec *specs, struct text name) {
    size_t at = 0;
    while (specs[at].name != NULL && !text_equal(name, text_of(specs[at].name))) {
        at++;
    }
    assert(at < OPTIONS_MAX);
    return at;
}

/* Reads the option's value: after its =, or the next word. Returns false if there is none. */
static bool take_option_value(const struct option_spec *spec, const char *equals, char **words, size_t count,
                              size_t *used, struct text *value, char complaint[COMPLAINT_SIZE]) {
    if (spec->value == NULL) {
        *value = TEXT("");
        snprintf(complaint, COMPLAINT_SIZE, "--%s takes no value", spec->name);
        return equals == NULL;
    }
    if (equals != NULL) {
        *value = text_of(equals + 1);
    } else if (*used < count && strncmp(words[*used], "--", 2) != 0) {
        *value = text_of(words[(*used)++]);
    } else {
        snprintf(complaint, COMPLAINT_SIZE, "--%s needs a value: --%s %s", spec->name, spec->name, spec->value);
        return false;
    }
    snprintf(complaint, COMPLAINT_SIZE, "--%s is empty%s", spec->name, spec->required ? "" : ": leave it out instead");
    return value->size > 0 || spec->may_be_empty;
}

static bool keep_repeated(struct arguments *arguments, size_t at, char complaint[COMPLAINT_SIZE]) {
    if (arguments->repeat_count == REPEATS_MAX) {
        snprintf(complaint, COMPLAINT_SIZE, "--%s is given more than %d times", arguments->specs[at].name, REPEATS_MAX);
        return false;
    }
    arguments->repeats[arguments->repeat_count++] = arguments->values[at];
    return true;
}

void arguments_refuse_option(const struct option_spec *specs, const char *word, char complaint[COMPLAINT_SIZE]) {
    const char *name = word + strspn(word, "-");
    struct nearest nearest = nearest_to((struct text){name, strcspn(name, "=")});
    for (size_t at = 0; specs[at].name != NULL; at++) {
        nearest_offer(&nearest, specs[at].name);
    }
    for (size_t i = 0; i < COUNT_OF(EVERYWHERE); i++) {
        nearest_offer(&nearest, EVERYWHERE[i]);
    }
    if (nearest.word == NULL) {
        snprintf(complaint, COMPLAINT_SIZE, "unknown option %.100s", word);
    } else {
        snprintf(complaint, COMPLAINT_SIZE, "unknown option %.100s; did you mean --%s?", word, nearest.word);
    }
}

static bool take_argument(struct arguments *arguments, char **words, size_t count, size_t *used,
                          char complaint[COMPLAINT_SIZE]) {
    const char *word = words[(*used)++];
    const char *equals = strchr(word, '=');
    struct text name = {word + 2, equals == NULL ? strlen(word) - 2 : (size_t)(equals - word - 2)};
    size_t at = word[1] == '-' ? find_option(arguments->specs, name) : 0;
    if (word[1] != '-' || arguments->specs[at].name == NULL) {
        arguments_refuse_option(arguments->specs, word, complaint);
        return false;
    }
    const struct option_spec *spec = &arguments->specs[at];
    if (arguments->values[at].at != NULL && !spec->repeats) {
        snprintf(complaint, COMPLAINT_SIZE, "--%s is given twice", spec->name);
        return false;
    }
    return take_option_value(spec, equals, words, count, used, &arguments->values[at], complaint) &&
           (!spec->repeats || keep_repeated(arguments, at, complaint));
}

bool arguments_parse(struct arguments *arguments, const struct option_spec *specs, char **words, size_t count,
                     char complaint[COMPLAINT_SIZE]) {
    bool options_ended = false;
    *arguments = (struct arguments){.specs = specs};
    for (size_t used = 0; used < count;) {
        bool is_option = !options_ended && words[used][0] == '-' && words[used][1] != '\0';
        if (is_option && strcmp(words[used], "--") == 0) {
            options_ended = true;
            used++;
        } else if (is_option) {
            if (!take_argument(arguments, words, count, &used, complaint)) {
                return false;
            }
        } else if (arguments->word_count < WORDS_MAX) {
            arguments->words[arguments->word_count++] = text_of(words[used++]);
        } else {
            snprintf(complaint, COMPLAINT_SIZE, "unexpected argument '%.100s'", words[used]);
            return false;
        }
    }
    return true;
}

bool arguments_complete(const struct arguments *arguments, char complaint[COMPLAINT_SIZE]) {
    for (size_t i = 0; arguments->specs[i].name != NULL; i++) {
        const struct option_spec *spec = &arguments->specs[i];
        if (spec->required && arguments->values[i].at == NULL) {
            snprintf(complaint, COMPLAINT_SIZE, "--%s is missing: --%s %s", spec->name, spec->name, spec->value);
            return false;
        }
    }
    return true;
}

struct text arguments_get(const struct arguments *arguments, const char *name) {
    size_t at = find_option(arguments->specs, text_of(name));
    assert(arguments->specs[at].name != NULL);
    return arguments->values[at];
}

bool arguments_next(const struct arguments *arguments, const char *name, size_t *at, struct text *value) {
    assert(arguments->specs[find_option(arguments->specs, text_of(name))].repeats);
    if (*at == arguments->repeat_count) {
        return false;
    }
    *value = arguments->repeats[(*at)++];
    return true;
}

bool arguments_has(const struct arguments *arguments, const char *name) {
    return arguments_get(arguments, name).at != NULL;
}
