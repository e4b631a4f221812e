#include "edge/settings.h"

#include "api/caller/rates.h"
#include "api/external/query_resources.h"
#include "api/monitoring/certificate_check.h"
#include "api/monitoring/key_check.h"
#include "api/worker/call.h"
#include "store/schema/database_settings.h"
#include "store/schema/rights.h"
#include "store/schema/schema.h"

bool settings_read(struct settings *out) {
    char error[CONFIG_ERROR_SIZE];
    if (!config_read(config_path(NULL), &out->config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return false;
    }
    if (out->config.removed != NULL) {
        log_line(LOG_WARNING, "%s: %s", config_path(NULL), out->config.removed);
    }
    out->vault = vault_open(out->config.security.key_file, error);
    if (out->vault == NULL) {
        log_line(LOG_ERROR, "%s", error);
        config_free(&out->config);
        return false;
    }
    return true;
}

void settings_free(struct settings *settings) {
    vault_close(settings->vault);
    config_free(&settings->config);
}

struct rates *settings_open_rates(const struct config *config) {
    char path[1024];
    snprintf(path, sizeof path, "%s.rates", config->worker.socket);
    return rates_open(config->worker.rate_file == NULL ? path : config->worker.rate_file);
}

static bool rate_file_opens(const struct config *config) {
    struct rates *rates = settings_open_rates(config);
    if (rates == NULL) {
        return false;
    }
    rates_close(rates);
    return true;
}

static bool key_opens_secrets(struct connection *connection, struct settings *settings) {
    bool fits = true;
    struct arena *arena = arena_create();
    enum status status = key_check(connection, settings->vault, arena, &fits);
    arena_destroy(arena);
    if (status == STATUS_OK && !fits) {
        key_check_tell(settings->config.security.key_file);
    }
    return status != STATUS_OK || fits;
}

/* Warns if [worker] cancel_window differs from the database's setting, which is the one in effect. */
static void tell_other_window(struct connection *connection, const struct config *config) {
    struct database_settings stored;
    struct arena *arena = arena_create();
    if (database_settings_read(connection, arena, &stored) == STATUS_OK) {
        struct text other = database_settings_other_window(&stored, config->worker.cancel_window, arena);
        if (other.size > 0) {
            log_line(LOG_WARNING, "%.*s", TEXT_ARGS(other));
        }
    }
    arena_destroy(arena);
}

static bool is_same_text(const char *one, const char *other) {
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static bool is_same_database(const struct config *one, const struct config *other) {
    return is_same_text(one->database.socket, other->database.socket) &&
           is_same_text(one->database.host, other->database.host) && one->database.port == other->database.port &&
           is_same_text(one->database.name, other->database.name) &&
           is_same_text(one->database.worker.user, other->database.worker.user) &&
           one->database.tls == other->database.tls && is_same_text(one->database.tls_ca, other->database.tls_ca) &&
           is_same_text(one->database.tls_certificate, other->database.tls_certificate) &&
           is_same_text(one->database.tls_key, other->database.tls_key);
}

static bool has_rights(struct connection *connection) {
    struct text missing = {"", 0};
    struct arena *arena = arena_create();
    enum status status = rights_missing_for_requests(connection, arena, &missing);
    if (status == STATUS_OK && missing.size > 0) {
        rights_tell_missing(missing);
    }
    bool has = status != STATUS_OK || missing.size == 0;
    arena_destroy(arena);
    return has;
}

/* A right that is missing in the database in use already is no reason to refuse a reload, which makes nothing worse. */
static bool has_no_fewer_rights(struct connection *connection, const struct config *config,
                                const struct config *before) {
    return is_same_database(config, before) || has_rights(connection);
}

/* Another schema version or a refused login persists until somebody acts. An unreachable database may come back. */
static bool database_is_usable(struct settings *settings, const struct config *before) {
    const struct config *config = &settings->config;
    const struct connection_options options = {config, &config->database.worker, REQUEST_LOCK_WAIT};
    struct connection *connection;
    enum status status = schema_connect(&options, &connection);
    if (status == STATUS_OK) {
        tell_other_window(connection, config);
        bool opens = key_opens_secrets(connection, settings);
        bool fits = before == NULL || (opens && has_no_fewer_rights(connection, config, before));
        connection_close(connection);
        return fits;
    }
    return status == STATUS_AWAY && (before == NULL || is_same_database(config, before));
}

bool settings_fit(struct settings *settings, const struct config *before) {
    certificate_check(settings->config.security.web_certificate);
    return query_resources_fit(&settings->config) && (before == NULL || rate_file_opens(&settings->config)) &&
           database_is_usable(settings, before);
}

duration settings_check_time(const struct config *config) {
    duration each = config->database.connect_timeout + 2 * config->database.read_timeout;
    return (duration)connection_servers(config) * each + 10 * SECOND;
}
