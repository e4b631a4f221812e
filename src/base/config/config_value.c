#include "base/config/config_value.h"

#include "base/config/config_duration.h"
#include "base/config/hosts.h"
#include "base/memory.h"
#include "base/zone/zone.h"
#include "base/zone/zone_day.h"

#include <inttypes.h>

static bool parse_octal(struct text value, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] < '0' || value.at[i] > '7' || *out > 0777) {
            return false;
        }
        *out = *out * 8 + (uint64_t)(value.at[i] - '0');
    }
    return value.size > 0;
}

static bool number_in_range(const struct config_setting *setting, uint64_t value) {
    return value <= INT64_MAX && (int64_t)value >= setting->least && (int64_t)value <= setting->most;
}

static bool duration_in_range(const struct config_setting *setting, duration value) {
    return value >= setting->least && value <= setting->most;
}

static bool store_duration(const struct config_setting *setting, struct text value, duration *out) {
    bool valid = config_parse_duration(value, out) && duration_in_range(setting, *out);
    return valid && (setting->kind != KIND_SECONDS || *out % SECOND == 0);
}

static bool store_age(const struct config_setting *setting, struct text value, duration *out) {
    if (text_equal(value, TEXT("off"))) {
        *out = CONFIG_KEPT;
        return true;
    }
    return store_duration(setting, value, out);
}

static bool store_schedule(const struct config_setting *setting, struct text value, struct schedule *out) {
    bool valid = config_parse_schedule(value, out);
    for (size_t i = 0; valid && i < out->count; i++) {
        valid = duration_in_range(setting, out->delays[i]);
    }
    return valid;
}

static bool store_text(const struct config_setting *setting, const char *value, char **out) {
    size_t size = strlen(value);
    if ((int64_t)size < setting->least || (int64_t)size > setting->most) {
        return false;
    }
    char *copy = memory_needed(strdup(value));
    free(*out);
    *out = copy;
    return true;
}

/* Stores a host with an optional port and path, as a link without its scheme: pay.example.com/orders. */
static bool store_base(const struct config_setting *setting, const char *value, char **out) {
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~:/[]";
    size_t size = strlen(value);
    bool is_base = strspn(value, ALLOWED) == size && strstr(value, "//") == NULL && value[0] != '/' &&
                   value[0] != ':' && size > 0 && value[size - 1] != '/';
    return is_base && store_text(setting, value, out);
}

static bool store_hosts(const struct config_setting *setting, const char *value, char **out) {
    struct hosts hosts;
    return hosts_parse(text_of(value), &hosts) && store_text(setting, value, out);
}

/* Stores a name, an address or a pattern of either. No other character is allowed, so the value cannot end the SQL text
 * that contains it. */
static bool store_account_host(const struct config_setting *setting, const char *value, char **out) {
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:/%";
    return strspn(value, ALLOWED) == strlen(value) && store_text(setting, value, out);
}

static const char *const TLS_WORDS[] = {[TLS_VERIFY] = "verify", [TLS_REQUIRE] = "require", [TLS_OFF] = "off"};

static TEXT_DEFINE_PARSE(store_tls, enum database_tls, TLS_WORDS);

static bool store_zone(const struct config_setting *setting, const char *value, char **out) {
    instant any;
    return zone_to_local(value, 0, &any) && store_text(setting, value, out);
}

bool config_value_store(const struct config_setting *setting, const char *value, struct config *config) {
    void *to = (char *)config + setting->at;
    struct text text = text_of(value);
    switch (setting->kind) {
    case KIND_TEXT:
        return store_text(setting, value, to);
    case KIND_BASE:
        return store_base(setting, value, to);
    case KIND_HOSTS:
        return store_hosts(setting, value, to);
    case KIND_ACCOUNT_HOST:
        return store_account_host(setting, value, to);
    case KIND_NUMBER:
        return text_to_number(text, to) && number_in_range(setting, *(uint64_t *)to);
    case KIND_OCTAL:
        return parse_octal(text, to) && number_in_range(setting, *(uint64_t *)to);
    case KIND_DURATION:
    case KIND_SECONDS:
        return store_duration(setting, text, to);
    case KIND_AGE:
        return store_age(setting, text, to);
    case KIND_SCHEDULE:
        return store_schedule(setting, text, to);
    case KIND_LEVEL:
        return log_level_parse(text, to);
    case KIND_TLS:
        return store_tls(text, to);
    case KIND_TIME_OF_DAY:
        return zone_parse_time(text, to);
    case KIND_ZONE:
        return store_zone(setting, value, to);
    }
    return false;
}

const char *config_value_expected(const struct config_setting *setting, char *out, size_t size) {
    static const char *const FORMS[] = {
        [KIND_TEXT] = "a text, not empty and not too long",
        [KIND_BASE] = "host, port and path, without scheme and without / at the end",
        [KIND_HOSTS] = "HOST or HOST:PORT, at most 8, with spaces between",
        [KIND_ACCOUNT_HOST] = "a host name, an address, or a pattern like 10.1.2.%",
        [KIND_NUMBER] = "a number",
        [KIND_OCTAL] = "a mode like 0660",
        [KIND_DURATION] = "a duration",
        [KIND_SECONDS] = "whole seconds",
        [KIND_AGE] = "off, or a duration",
        [KIND_SCHEDULE] = "durations with spaces between, each",
        [KIND_LEVEL] = "error, warning, info or debug",
        [KIND_TLS] = "verify, require or off",
        [KIND_TIME_OF_DAY] = "a time like 00:00, or off",
        [KIND_ZONE] = "a time zone of this system like America/Bogota",
    };
    char least[32], most[32];
    const char *form = FORMS[setting->kind];
    if (setting->kind == KIND_NUMBER) {
        snprintf(out, size, "%s from %" PRId64 " to %" PRId64, form, setting->least, setting->most);
    } else if (setting->kind >= KIND_DURATION && setting->kind <= KIND_SCHEDULE) {
        snprintf(out, size, "%s from %s to %s", form, config_print_duration(setting->least, least, sizeof least),
                 config_print_duration(setting->most, most, sizeof most));
    } else {
        snprintf(out, size, "%s", form);
    }
    return out;
}

bool config_value_is_text(enum config_kind kind) {
    return kind == KIND_TEXT || kind == KIND_BASE || kind == KIND_HOSTS || kind == KIND_ACCOUNT_HOST ||
           kind == KIND_ZONE;
}

const char *config_value_print(const struct config_setting *setting, const struct config *config, char *out,
                               size_t size) {
    const void *from = (const char *)config + setting->at;
    switch (setting->kind) {
    case KIND_TEXT:
    case KIND_BASE:
    case KIND_HOSTS:
    case KIND_ACCOUNT_HOST:
    case KIND_ZONE:
        return *(char *const *)from == NULL ? "" : *(char *const *)from;
    case KIND_NUMBER:
        snprintf(out, size, "%" PRIu64, *(const uint64_t *)from);
        break;
    case KIND_OCTAL:
        snprintf(out, size, "%04" PRIo64, *(const uint64_t *)from);
        break;
    case KIND_DURATION:
    case KIND_SECONDS:
        return config_print_duration(*(const duration *)from, out, size);
    case KIND_AGE:
        return *(const duration *)from == CONFIG_KEPT ? "off"
                                                      : config_print_duration(*(const duration *)from, out, size);
    case KIND_SCHEDULE:
        return config_print_schedule(from, out, size);
    case KIND_LEVEL:
        return log_level_name(*(const enum log_level *)from);
    case KIND_TLS:
        return TLS_WORDS[*(const enum database_tls *)from];
    case KIND_TIME_OF_DAY:
        return zone_print_time(*(const duration *)from, out, size);
    }
    return out;
}
