#include "base/config/config.h"

#include "base/config/config_duration.h"
#include "base/config/hosts.h"
#include "base/config/ini.h"
#include "base/memory.h"
#include "base/zone/zone.h"
#include "base/zone/zone_day.h"

#include <errno.h>
#include <inttypes.h>

#ifndef RECAUDO_SYSCONFDIR
#define RECAUDO_SYSCONFDIR "/etc"
#endif

/* KIND_SECONDS: a duration of whole seconds, because those who get it count in seconds. */
enum kind {
    KIND_TEXT,
    KIND_BASE,
    KIND_HOSTS,
    KIND_ACCOUNT_HOST,
    KIND_NUMBER,
    KIND_OCTAL,
    KIND_DURATION,
    KIND_SECONDS,
    KIND_SCHEDULE,
    KIND_LEVEL,
    KIND_TLS,
    KIND_TIME_OF_DAY,
    KIND_ZONE
};

struct setting {
    const char *section, *key;
    enum kind kind;
    size_t at; /* offset in struct config */
    const char *standard;
    int64_t least, most; /* of numbers; of durations, also in a schedule, in microseconds; of texts in bytes */
};

#define AT(member) offsetof(struct config, member)

enum { PATH_BYTES = 1024, NAME_BYTES = 100 };

static const struct setting SETTINGS[] = {
    {"database", "socket", KIND_TEXT, AT(database.socket), NULL, 1, 107},
    {"database", "host", KIND_HOSTS, AT(database.host), NULL, 1, PATH_BYTES},
    {"database", "port", KIND_NUMBER, AT(database.port), "3306", 1, 65535},
    {"database", "name", KIND_TEXT, AT(database.name), "recaudo", 1, 64},
    {"database", "owner_user", KIND_TEXT, AT(database.owner.user), "root", 1, NAME_BYTES},
    {"database", "owner_password_file", KIND_TEXT, AT(database.owner.password_file), NULL, 1, PATH_BYTES},
    {"database", "worker_user", KIND_TEXT, AT(database.worker.user), "recaudo_worker", 1, NAME_BYTES},
    {"database", "worker_password_file", KIND_TEXT, AT(database.worker.password_file), NULL, 1, PATH_BYTES},
    {"database", "dispatcher_user", KIND_TEXT, AT(database.dispatcher.user), "recaudo_dispatcher", 1, NAME_BYTES},
    {"database", "dispatcher_password_file", KIND_TEXT, AT(database.dispatcher.password_file), NULL, 1, PATH_BYTES},
    {"database", "deliverer_user", KIND_TEXT, AT(database.deliverer.user), "recaudo_deliverer", 1, NAME_BYTES},
    {"database", "deliverer_password_file", KIND_TEXT, AT(database.deliverer.password_file), NULL, 1, PATH_BYTES},
    {"database", "operator_user", KIND_TEXT, AT(database.operator.user), "recaudo_operator", 1, NAME_BYTES},
    {"database", "operator_password_file", KIND_TEXT, AT(database.operator.password_file), NULL, 1, PATH_BYTES},
    {"database", "account_host", KIND_ACCOUNT_HOST, AT(database.account_host), "localhost", 1, HOST_NAME_BYTES},
    {"database", "tls", KIND_TLS, AT(database.tls), "verify", 0, 0},
    {"database", "tls_ca", KIND_TEXT, AT(database.tls_ca), NULL, 1, PATH_BYTES},
    {"database", "tls_certificate", KIND_TEXT, AT(database.tls_certificate), NULL, 1, PATH_BYTES},
    {"database", "tls_key", KIND_TEXT, AT(database.tls_key), NULL, 1, PATH_BYTES},
    {"database", "connect_timeout", KIND_SECONDS, AT(database.connect_timeout), "1s", SECOND, MINUTE},
    {"database", "read_timeout", KIND_SECONDS, AT(database.read_timeout), "5s", SECOND, HOUR},
    {"worker", "socket", KIND_TEXT, AT(worker.socket), "/run/recaudo/fcgi.sock", 1, 107},
    {"worker", "socket_mode", KIND_OCTAL, AT(worker.socket_mode), "0660", 0, 0777},
    {"worker", "processes", KIND_NUMBER, AT(worker.processes), "2", 0, 64},
    {"worker", "threads", KIND_NUMBER, AT(worker.threads), "4", 1, 1024},
    {"worker", "connections", KIND_NUMBER, AT(worker.connections), "4", 1, 256},
    {"worker", "service_name", KIND_TEXT, AT(worker.service_name), "recaudo", 1, NAME_BYTES},
    {"worker", "public_base", KIND_BASE, AT(worker.public_base), "localhost", 1, PATH_BYTES},
    {"worker", "cancel_window", KIND_DURATION, AT(worker.cancel_window), "30s", SECOND, HOUR},
    {"worker", "rate_file", KIND_TEXT, AT(worker.rate_file), NULL, 1, PATH_BYTES},
    {"dispatcher", "batch", KIND_NUMBER, AT(dispatcher.batch), "500", 1, 10000},
    {"dispatcher", "in_flight", KIND_NUMBER, AT(dispatcher.in_flight), "256", 1, 4096},
    {"dispatcher", "in_flight_per_endpoint", KIND_NUMBER, AT(dispatcher.in_flight_per_endpoint), "32", 1, 4096},
    {"dispatcher", "rest_after", KIND_NUMBER, AT(dispatcher.rest_after), "3", 1, 1000},
    {"dispatcher", "rest", KIND_DURATION, AT(dispatcher.rest), "10s", 100 * MILLISECOND, HOUR},
    {"dispatcher", "rest_longest", KIND_DURATION, AT(dispatcher.rest_longest), "1m", 100 * MILLISECOND, DAY},
    {"dispatcher", "hang_after", KIND_DURATION, AT(dispatcher.hang_after), "1m", SECOND, HOUR},
    {"notification", "timeout", KIND_DURATION, AT(notification.timeout), "15s", 100 * MILLISECOND, 30 * SECOND},
    {"notification", "schedule", KIND_SCHEDULE, AT(notification.schedule), "10s 1m 5m 15m 1h 3h 6h 12h 24h 24h 24h",
     100 * MILLISECOND, 31 * DAY},
    {"settlement", "close_at", KIND_TIME_OF_DAY, AT(settlement.close_at), "off", 0, 0},
    {"settlement", "zone", KIND_ZONE, AT(settlement.zone), "UTC", 1, NAME_BYTES},
    {"external_query", "timeout", KIND_DURATION, AT(external_query.timeout), "5s", 100 * MILLISECOND, 5 * SECOND},
    {"external_query", "in_flight", KIND_NUMBER, AT(external_query.in_flight), "32", 1, 256},
    {"external_query", "in_flight_per_merchant", KIND_NUMBER, AT(external_query.in_flight_per_merchant), "4", 1, 256},
    {"external_query", "rest_after", KIND_NUMBER, AT(external_query.rest_after), "5", 1, 1000},
    {"external_query", "rest", KIND_DURATION, AT(external_query.rest), "5s", 100 * MILLISECOND, 15 * SECOND},
    {"external_query", "keep", KIND_DURATION, AT(external_query.keep), "90d", SECOND, 3660 * DAY},
    {"external_query", "shared_file", KIND_TEXT, AT(external_query.shared_file), NULL, 1, PATH_BYTES},
    {"security", "key_file", KIND_TEXT, AT(security.key_file), RECAUDO_SYSCONFDIR "/recaudo/secret.key", 1, PATH_BYTES},
    {"security", "allow_addresses", KIND_TEXT, AT(security.allow_addresses), NULL, 1, PATH_BYTES},
    {"security", "deny_addresses", KIND_TEXT, AT(security.deny_addresses),
     "168.63.129.16 169.254.0.0/16 100.100.100.200 fd00:ec2::/32", 1, PATH_BYTES},
    {"security", "ca_file", KIND_TEXT, AT(security.ca_file), NULL, 1, PATH_BYTES},
    {"log", "level", KIND_LEVEL, AT(log.level), "info", 0, 0},
};

struct reading {
    struct config *config;
    const char *path;
    char *error;
    bool seen[COUNT_OF(SETTINGS)];
};

const char *config_path(const char *option) {
    const char *variable = getenv("RECAUDO_CONFIG");
    if (option != NULL) {
        return option;
    }
    return variable != NULL && variable[0] != '\0' ? variable : RECAUDO_SYSCONFDIR "/recaudo/recaudo.conf";
}

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

static bool number_in_range(const struct setting *setting, uint64_t value) {
    return value <= INT64_MAX && (int64_t)value >= setting->least && (int64_t)value <= setting->most;
}

static bool duration_in_range(const struct setting *setting, duration value) {
    return value >= setting->least && value <= setting->most;
}

static bool store_duration(const struct setting *setting, struct text value, duration *out) {
    bool valid = config_parse_duration(value, out) && duration_in_range(setting, *out);
    return valid && (setting->kind != KIND_SECONDS || *out % SECOND == 0);
}

static bool store_schedule(const struct setting *setting, struct text value, struct schedule *out) {
    bool valid = config_parse_schedule(value, out);
    for (size_t i = 0; valid && i < out->count; i++) {
        valid = duration_in_range(setting, out->delays[i]);
    }
    return valid;
}

static bool store_text(const struct setting *setting, const char *value, char **out) {
    size_t size = strlen(value);
    if ((int64_t)size < setting->least || (int64_t)size > setting->most) {
        return false;
    }
    char *copy = memory_needed(strdup(value));
    free(*out);
    *out = copy;
    return true;
}

/* Host and port, and a path where one is given, as a link shows them after its scheme: pay.example.com/orders. */
static bool store_base(const struct setting *setting, const char *value, char **out) {
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~:/[]";
    size_t size = strlen(value);
    bool is_base = strspn(value, ALLOWED) == size && strstr(value, "//") == NULL && value[0] != '/' &&
                   value[0] != ':' && size > 0 && value[size - 1] != '/';
    return is_base && store_text(setting, value, out);
}

static bool store_hosts(const struct setting *setting, const char *value, char **out) {
    struct hosts hosts;
    return hosts_parse(text_of(value), &hosts) && store_text(setting, value, out);
}

/* A name, an address or a pattern of either: nothing that could end the text it is put into. */
static bool store_account_host(const struct setting *setting, const char *value, char **out) {
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:/%";
    return strspn(value, ALLOWED) == strlen(value) && store_text(setting, value, out);
}

static const char *const TLS_WORDS[] = {[TLS_VERIFY] = "verify", [TLS_REQUIRE] = "require", [TLS_OFF] = "off"};

static bool store_tls(struct text value, enum database_tls *out) {
    for (size_t i = 0; i < COUNT_OF(TLS_WORDS); i++) {
        if (text_equal(value, text_of(TLS_WORDS[i]))) {
            *out = (enum database_tls)i;
            return true;
        }
    }
    return false;
}

static bool store_zone(const struct setting *setting, const char *value, char **out) {
    instant any;
    return zone_to_local(value, 0, &any) && store_text(setting, value, out);
}

static bool store_value(const struct setting *setting, const char *value, struct config *config) {
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

/* What a value must be, for people: "a duration from 1s to 1h". */
static const char *print_expected(const struct setting *setting, char *out, size_t size) {
    static const char *const FORMS[] = {
        [KIND_TEXT] = "not empty, and not too long",
        [KIND_BASE] = "host, port and path, without scheme and without / at the end",
        [KIND_HOSTS] = "HOST or HOST:PORT, at most 8, with spaces between",
        [KIND_ACCOUNT_HOST] = "a host name, an address, or a pattern like 10.1.2.%",
        [KIND_NUMBER] = "a number",
        [KIND_OCTAL] = "a mode like 0660",
        [KIND_DURATION] = "a duration",
        [KIND_SECONDS] = "whole seconds",
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
    } else if (setting->kind == KIND_DURATION || setting->kind == KIND_SECONDS || setting->kind == KIND_SCHEDULE) {
        snprintf(out, size, "%s from %s to %s", form, config_print_duration(setting->least, least, sizeof least),
                 config_print_duration(setting->most, most, sizeof most));
    } else {
        snprintf(out, size, "%s", form);
    }
    return out;
}

/* Why there is no such setting; without the value, which may be a password that somebody wrote here. */
static void complain_unknown(const char *section, const char *key, char error[CONFIG_ERROR_SIZE]) {
    bool section_is_known = false;
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        section_is_known = section_is_known || strcmp(section, SETTINGS[i].section) == 0;
    }
    if (section[0] == '\0') {
        snprintf(error, CONFIG_ERROR_SIZE, "%s stands before the first [section]", key);
    } else {
        snprintf(error, CONFIG_ERROR_SIZE, "[%s] %s is not a setting%s", section, key,
                 section_is_known ? "" : ": there is no such section");
    }
}

static bool take_setting(void *context, const char *section, const char *key, const char *value) {
    struct reading *reading = context;
    char expected[100];
    size_t i = 0;
    while (i < COUNT_OF(SETTINGS) && (strcmp(section, SETTINGS[i].section) != 0 || strcmp(key, SETTINGS[i].key) != 0)) {
        i++;
    }
    if (i == COUNT_OF(SETTINGS)) {
        complain_unknown(section, key, reading->error);
    } else if (reading->seen[i]) {
        snprintf(reading->error, CONFIG_ERROR_SIZE, "[%s] %s stands here a second time: %s", section, key, value);
    } else if (!store_value(&SETTINGS[i], value, reading->config)) {
        snprintf(reading->error, CONFIG_ERROR_SIZE, "[%s] %s has a value that is not valid (%s): %s", section, key,
                 print_expected(&SETTINGS[i], expected, sizeof expected), value);
    } else {
        reading->seen[i] = true;
        return true;
    }
    return false;
}

static void set_defaults(struct config *config) {
    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        if (SETTINGS[i].standard != NULL && !store_value(&SETTINGS[i], SETTINGS[i].standard, config)) {
            abort();
        }
    }
}

static bool complete(const struct config *config, const char *path, char error[CONFIG_ERROR_SIZE]) {
    if ((config->database.socket == NULL) == (config->database.host == NULL)) {
        snprintf(error, CONFIG_ERROR_SIZE, "%s: [database] needs either socket or host", path);
        return false;
    }
    if ((config->database.tls_certificate == NULL) != (config->database.tls_key == NULL)) {
        snprintf(error, CONFIG_ERROR_SIZE, "%s: [database] tls_certificate and tls_key go together: give both or none",
                 path);
        return false;
    }
    return true;
}

bool config_read(const char *path, struct config *out, char error[CONFIG_ERROR_SIZE]) {
    char complaint[CONFIG_ERROR_SIZE] = "";
    struct reading reading = {.config = out, .path = path, .error = complaint};
    set_defaults(out);
    int line = ini_read(path, take_setting, &reading);
    if (line == 0 && complete(out, path, error)) {
        return true;
    }
    if (line == -1) {
        snprintf(error, CONFIG_ERROR_SIZE, "%s: %s", path, strerror(errno));
    } else if (line != 0) {
        snprintf(error, CONFIG_ERROR_SIZE, "%s:%d: %.400s", path, line,
                 complaint[0] != '\0' ? complaint : "neither a [section] nor key = value");
    }
    config_free(out);
    return false;
}

static bool is_string(enum kind kind) {
    return kind == KIND_TEXT || kind == KIND_BASE || kind == KIND_HOSTS || kind == KIND_ACCOUNT_HOST ||
           kind == KIND_ZONE;
}

void config_free(struct config *config) {
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        if (is_string(SETTINGS[i].kind)) {
            char **string = (char **)((char *)config + SETTINGS[i].at);
            free(*string);
            *string = NULL;
        }
    }
}

static const char *print_value(const struct setting *setting, const struct config *config, char *out, size_t size) {
    static const char *const LEVELS[] = {"error", "warning", "info", "debug"};
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
    case KIND_SCHEDULE:
        return config_print_schedule(from, out, size);
    case KIND_LEVEL:
        return LEVELS[*(const enum log_level *)from];
    case KIND_TLS:
        return TLS_WORDS[*(const enum database_tls *)from];
    case KIND_TIME_OF_DAY:
        return zone_print_time(*(const duration *)from, out, size);
    }
    return out;
}

void config_each(const struct config *config,
                 void (*each)(void *context, const char *section, const char *key, const char *value), void *context) {
    char printed[SCHEDULE_MAX * 16];
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        each(context, SETTINGS[i].section, SETTINGS[i].key, print_value(&SETTINGS[i], config, printed, sizeof printed));
    }
}
