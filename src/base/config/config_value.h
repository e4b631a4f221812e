/* One setting of the configuration file: of which kind its value is, how it is read and how it is shown. */
#ifndef RECAUDO_BASE_CONFIG_CONFIG_VALUE_H
#define RECAUDO_BASE_CONFIG_CONFIG_VALUE_H

#include "base/config/config.h"

/* KIND_SECONDS: a duration of whole seconds, because those who get it count in seconds. KIND_AGE: a duration, or off.
 */
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
    int64_t least, most; /* of numbers; of durations, also in a schedule, in microseconds; of texts in bytes */
};

/* Reads `value` into the setting's member of *config. False: it is not valid, and *config is as it was or not complete.
 */
MUST_USE bool config_value_store(const struct config_setting *setting, const char *value, struct config *config);

/* What a value must be, for people: "a duration from 1s to 1h". Returns out. */
const char *config_value_expected(const struct config_setting *setting, char *out, size_t size);

/* The value as it would be written in the file; in `out`, or a text of *config's. */
const char *config_value_print(const struct config_setting *setting, const struct config *config, char *out,
                               size_t size);

/* Its member is a string on the heap. */
bool config_value_is_text(enum config_kind kind);

#endif
