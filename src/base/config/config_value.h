/* One setting of the configuration file: the kind of its value, and how to read and print it. */
#ifndef RECAUDO_BASE_CONFIG_CONFIG_VALUE_H
#define RECAUDO_BASE_CONFIG_CONFIG_VALUE_H

#include "base/config/config.h"

/* KIND_SECONDS: a duration of whole seconds, for libraries that count in seconds. KIND_AGE: a duration, or off. */
enum config_kind {
    KIND_TEXT,
    KIND_BASE,
    KIND_HOSTS,
    KIND_ACCOUNT_HOST,
    KIND_NUMBER,
    KIND_OCTAL,
    KIND_DURATION,
    KIND_SECONDS,
    KIND_AGE,
    KIND_SCHEDULE,
    KIND_LEVEL,
    KIND_TLS,
    KIND_TIME_OF_DAY,
    KIND_ZONE
};

struct config_setting {
    const char *section, *key;
    enum config_kind kind;
    size_t at; /* offset in struct config */
    const char *standard;
    int64_t least,
        most; /* bounds: of a number; of durations, also in a schedule, in microseconds; of a text's length in bytes */
};

/* Reads `value` into the setting's member of *config. Returns false if it is not valid; the member may then be
 * incomplete. */
MUST_USE bool config_value_store(const struct config_setting *setting, const char *value, struct config *config);

/* Describes valid values, for messages: "a duration from 1s to 1h". Returns `out`. */
const char *config_value_expected(const struct config_setting *setting, char *out, size_t size);

/* Returns the value in the file's notation, either in `out` or as a string that *config owns. */
const char *config_value_print(const struct config_setting *setting, const struct config *config, char *out,
                               size_t size);

/* Whether the member of such a setting is a string on the heap. */
bool config_value_is_text(enum config_kind kind);

#endif
