#include "base/config/config.h"

#include "base/config/config_value.h"
#include "base/config/hosts.h"
#include "base/config/ini.h"

#include <errno.h>

#ifndef RECAUDO_SYSCONFDIR
#define RECAUDO_SYSCONFDIR "/etc"
#endif

#define AT(member) offsetof(struct config, member)

enum { PATH_BYTES = 1024, NAME_BYTES = 100 };

static const struct config_setting SETTINGS[] = {
    {"database", "socket", KIND_TEXT, AT(database.socket), NULL, 1, SOCKET_PATH_BYTES},
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
    {"database", "console_user", KIND_TEXT, AT(database.console.user), "recaudo_console", 1, NAME_BYTES},
    {"database", "console_password_file", KIND_TEXT, AT(database.console.password_file), NULL, 1, PATH_BYTES},
    {"database", "account_host", KIND_ACCOUNT_HOST, AT(database.account_host), "localhost", 1, HOST_NAME_BYTES},
    {"database", "tls", KIND_TLS, AT(database.tls), "verify", 0, 0},
    {"database", "tls_ca", KIND_TEXT, AT(database.tls_ca), NULL, 1, PATH_BYTES},
    {"database", "tls_certificate", KIND_TEXT, AT(database.tls_certificate), NULL, 1, PATH_BYTES},
    {"database", "tls_key", KIND_TEXT, AT(database.tls_key), NULL, 1, PATH_BYTES},
    {"database", "connect_timeout", KIND_SECONDS, AT(database.connect_timeout), "1s", SECOND, MINUTE},
    {"database", "read_timeout", KIND_SECONDS, AT(database.read_timeout), "5s", SECOND, HOUR},
    {"worker", "socket", KIND_TEXT, AT(worker.socket), "/run/recaudo/fcgi.sock", 1, SOCKET_PATH_BYTES},
    {"worker", "socket_mode", KIND_OCTAL, AT(worker.socket_mode), "0660", 0, 0777},
    {"worker", "processes", KIND_NUMBER, AT(worker.processes), "1", 0, 64},
    {"worker", "connections", KIND_NUMBER, AT(worker.connections), "8", 1, 256},
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
    {"retention", "begin_at", KIND_TIME_OF_DAY, AT(retention.begin_at), "03:30", 0, 0},
    {"retention", "attempts", KIND_AGE, AT(retention.attempts), "90d", DAY, 3660 * DAY},
    {"retention", "queries", KIND_AGE, AT(retention.queries), "90d", DAY, 3660 * DAY},
    {"retention", "personal", KIND_AGE, AT(retention.personal), "off", DAY, 3660 * DAY},
    {"audit", "seal_every", KIND_AGE, AT(audit.seal_every), "1m", SECOND, HOUR},
    {"audit", "signing_key", KIND_TEXT, AT(audit.signing_key), NULL, 1, PATH_BYTES},
    {"audit", "seal_file", KIND_TEXT, AT(audit.seal_file), NULL, 1, PATH_BYTES},
    {"security", "key_file", KIND_TEXT, AT(security.key_file), RECAUDO_SYSCONFDIR "/recaudo/secret.key", 1, PATH_BYTES},
    {"security", "allow_addresses", KIND_TEXT, AT(security.allow_addresses), NULL, 1, PATH_BYTES},
    {"security", "deny_addresses", KIND_TEXT, AT(security.deny_addresses),
     "168.63.129.16 169.254.0.0/16 100.100.100.200 fd00:ec2::/32", 1, PATH_BYTES},
    {"security", "ca_file", KIND_TEXT, AT(security.ca_file), NULL, 1, PATH_BYTES},
    {"security", "web_certificate", KIND_TEXT, AT(security.web_certificate), NULL, 1, PATH_BYTES},
    {"console", "socket", KIND_TEXT, AT(console.socket), "/run/recaudo-console/fcgi.sock", 1, SOCKET_PATH_BYTES},
    {"console", "socket_mode", KIND_OCTAL, AT(console.socket_mode), "0660", 0, 0777},
    {"console", "threads", KIND_NUMBER, AT(console.threads), "4", 1, 64},
    {"log", "level", KIND_LEVEL, AT(log.level), "info", 0, 0},
};

/* Settings of earlier versions. They are accepted, so that a service starts after an upgrade with its old file. */
static const struct {
    const char *section, *key, *notice;
} REMOVED[] = {
    {"worker", "threads",
     "[worker] threads is no longer a setting and has no effect: a process serves all its requests in one thread; "
     "remove the line"},
    {"external_query", "shared_file",
     "[external_query] shared_file is no longer a setting and has no effect: recaudo-query asks merchants for all "
     "workers of a host; remove the line"},
};

struct reading {
    struct config *config;
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

/* Says why the setting does not exist. Omits the value, which may be a misplaced password. */
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

static bool note_removed(struct config *config, const char *section, const char *key) {
    for (size_t i = 0; i < COUNT_OF(REMOVED); i++) {
        if (strcmp(section, REMOVED[i].section) == 0 && strcmp(key, REMOVED[i].key) == 0) {
            config->removed = REMOVED[i].notice;
            return true;
        }
    }
    return false;
}

static bool take_setting(void *context, const char *section, const char *key, const char *value) {
    struct reading *reading = context;
    char expected[100];
    size_t i = 0;
    while (i < COUNT_OF(SETTINGS) && (strcmp(section, SETTINGS[i].section) != 0 || strcmp(key, SETTINGS[i].key) != 0)) {
        i++;
    }
    if (i == COUNT_OF(SETTINGS)) {
        if (note_removed(reading->config, section, key)) {
            return true;
        }
        complain_unknown(section, key, reading->error);
    } else if (reading->seen[i]) {
        snprintf(reading->error, CONFIG_ERROR_SIZE, "[%s] %s is set twice", section, key);
    } else if (!config_value_store(&SETTINGS[i], value, reading->config)) {
        snprintf(reading->error, CONFIG_ERROR_SIZE, "[%s] %s is not valid: expected %s, found \"%s\"", section, key,
                 config_value_expected(&SETTINGS[i], expected, sizeof expected), value);
    } else {
        reading->seen[i] = true;
        return true;
    }
    return false;
}

static void set_defaults(struct config *config) {
    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        if (SETTINGS[i].standard != NULL && !config_value_store(&SETTINGS[i], SETTINGS[i].standard, config)) {
            abort();
        }
    }
}

static bool check_combinations(const struct config *config, const char *path, char error[CONFIG_ERROR_SIZE]) {
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
    struct reading reading = {.config = out, .error = complaint};
    set_defaults(out);
    int line = ini_read(path, take_setting, &reading);
    if (line == 0 && check_combinations(out, path, error)) {
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

void config_free(struct config *config) {
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        if (config_value_is_text(SETTINGS[i].kind)) {
            char **string = (char **)((char *)config + SETTINGS[i].at);
            free(*string);
            *string = NULL;
        }
    }
}

void config_each(const struct config *config,
                 void (*each)(void *context, const char *section, const char *key, const char *value), void *context) {
    char printed[SCHEDULE_MAX * 16];
    for (size_t i = 0; i < COUNT_OF(SETTINGS); i++) {
        each(context, SETTINGS[i].section, SETTINGS[i].key,
             config_value_print(&SETTINGS[i], config, printed, sizeof printed));
    }
}
