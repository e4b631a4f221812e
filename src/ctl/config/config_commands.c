#include "auth/certificate.h"
#include "auth/seal_key.h"
#include "base/config/config_duration.h"
#include "ctl/config/config_accounts.h"
#include "ctl/config/config_contents.h"
#include "ctl/config/config_key.h"
#include "ctl/config/config_readers.h"
#include "ctl/core/output.h"
#include "outbound/address.h"
#include "outbound/trust.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Collects the settings as one record per section. */
struct settings {
    struct record *all, *section;
    const char *name; /* of the section */
};

static void add_setting(void *context, const char *section, const char *key, const char *value) {
    struct settings *settings = context;
    if (settings->name == NULL || strcmp(settings->name, section) != 0) {
        settings->section = record_record(settings->all, section);
        settings->name = section;
    }
    record_text_or_nothing(settings->section, key, text_of(value));
}

static enum outcome config_show(struct context *context) {
    struct settings settings = {.all = record_create(context->arena)};
    config_each(&context->config, add_setting, &settings);
    output_record(settings.all, context->json);
    return OUTCOME_DONE;
}

#define SPECIFIED_WINDOW (30 * SECOND)
#define RUNNING          "/run/"
/* The folders that the systemd units create and may write to, independent of drop-ins. */
#define RUNTIME_FOLDER "/run/recaudo"
#define STATE_FOLDER   "/var/lib/recaudo"

/* Reports valid settings that are rarely intended. */
static void check_settings(struct findings *findings) {
    const struct config *config = &findings->context->config;
    duration window = config->worker.cancel_window;
    bool is_usual = window == SPECIFIED_WINDOW, is_verbose = config->log.level == LOG_DEBUG;
    if (!is_usual) {
        char length[32];
        config_print_duration(window, length, sizeof length);
        add_config_finding(findings, "worker cancel_window", STRANGE,
                           arena_print(findings->context->arena,
                                       "%s: the specification says 30s, and networks and merchants rely on it", length)
                               .at);
    }
    if (strcmp(config->worker.public_base, "localhost") == 0) {
        add_config_finding(findings, "worker public_base", STRANGE,
                           "localhost: customers cannot open payment slips; set the host that they reach");
    }
    if (is_verbose) {
        add_config_finding(findings, "log level", STRANGE,
                           "debug: many lines, which cost time and room; put it back to info after the search");
    }
}

/* With --config it may be another file than the services'. */
static void check_configuration_file(struct findings *findings) {
    const struct config *config = &findings->context->config;
    const char *path = findings->context->config_path, *services = config_path(NULL);
    const char *const users[] = {config->database.worker.user,
                                 QUERY_USER,
                                 config->database.dispatcher.user,
                                 config->database.deliverer.user,
                                 config->database.console.user,
                                 config->database.operator.user,
                                 NULL};
    if (strcmp(path, services) == 0) {
        check_readers(findings, "configuration file", path, users, FOR_ALL);
    } else {
        add_config_finding(
            findings, "configuration file", RIGHT,
            arena_print(findings->context->arena, "%s; not tried: %s, which the services read", path, services).at);
    }
}

static void check_trust(struct findings *findings) {
    const struct config *config = &findings->context->config;
    const char *const users[] = {config->database.worker.user, QUERY_USER, config->database.deliverer.user,
                                 config->database.operator.user, NULL};
    const char *ca_file = config->security.ca_file, *file = trust_file(ca_file);
    char error[TRUST_ERROR_SIZE];
    if (!trust_check(ca_file, error)) {
        add_config_finding(findings, "trusted certificates", WRONG, error);
    } else if (file == NULL) {
        add_config_finding(findings, "trusted certificates", RIGHT, "those of the TLS library");
    } else {
        check_readers(findings, "trusted certificates", file, users, FOR_ALL);
    }
}

/* A file that cannot be read at all is found by the logins, which name it. */
static void check_database_file(struct findings *findings, const char *what, const char *path, enum remedy remedy) {
    const struct config *config = &findings->context->config;
    const char *const users[] = {config->database.worker.user,    config->database.dispatcher.user,
                                 config->database.deliverer.user, config->database.console.user,
                                 config->database.operator.user,  NULL};
    if (path != NULL && access(path, R_OK) == 0) {
        check_readers(findings, what, path, users, remedy);
    }
}

static void check_database_files(struct findings *findings) {
    const struct config *config = &findings->context->config;
    if (config->database.socket == NULL && config->database.tls != TLS_OFF) {
        check_database_file(findings, "database tls_ca", config->database.tls_ca, FOR_ALL);
        check_database_file(findings, "database tls_certificate", config->database.tls_certificate, FOR_ALL);
        check_database_file(findings, "database tls_key", config->database.tls_key, FOR_ONE_GROUP);
    }
}

/* A wrong finding goes before a warning: there is one for the file. */
static void check_certificate(struct findings *findings, const char *path, const char *const *users) {
    char error[CERTIFICATE_ERROR_SIZE];
    struct validity validity;
    if (!certificate_read(path, &validity, error)) {
        add_config_finding(findings, "web certificate", WRONG, error);
        return;
    }
    enum validity_state state = certificate_judge(path, &validity, clock_host(), error);
    if (state == VALIDITY_PAST || state == VALIDITY_AHEAD) {
        add_config_finding(findings, "web certificate", WRONG, error);
    } else if (state == VALIDITY_ENDS_SOON && find_barred_reader(findings, path, users, FOR_ALL) == NULL) {
        add_config_finding(findings, "web certificate", STRANGE, error);
    } else {
        check_readers(findings, "web certificate", path, users, FOR_ALL);
    }
}

static void check_web_certificate(struct findings *findings) {
    const struct config *config = &findings->context->config;
    const char *const users[] = {config->database.worker.user, config->database.operator.user, NULL};
    const char *path = config->security.web_certificate;
    if (path != NULL) {
        check_certificate(findings, path, users);
    }
}

static const char *folder_of(const struct findings *findings, const char *path) {
    const char *end = strrchr(path, '/');
    return end == NULL ? "." : arena_print(findings->context->arena, "%.*s", (int)(end - path), path).at;
}

/* Says who creates a missing folder; NULL: nobody does. */
static const char *maker_of(const char *folder) {
    if (strcmp(folder, STATE_FOLDER) == 0) {
        return "systemd makes it when recaudo-settle starts";
    }
    if (strcmp(folder, RUNTIME_FOLDER) == 0) {
        return "systemd makes it when the workers start";
    }
    return strncmp(folder, RUNNING, sizeof RUNNING - 1) == 0
               ? "systemd makes it if a drop-in of recaudo-fcgi.service names it in RuntimeDirectory (configuration.md)"
               : NULL;
}

/* Checks the folder of a file that a program creates. A folder that systemd creates for a unit may be missing before
 * the unit starts. `unseen`: says what this check cannot see of an existing folder; or "". */
static void check_folder(struct findings *findings, const char *what, const char *path, const char *unseen) {
    struct arena *arena = findings->context->arena;
    const char *folder = folder_of(findings, path), *maker = maker_of(folder);
    struct stat found;
    if (stat(folder, &found) == 0) {
        bool fine = S_ISDIR(found.st_mode);
        add_config_finding(findings, what, fine ? RIGHT : WRONG,
                           fine ? arena_print(arena, "%s%s", path, unseen).at
                                : arena_print(arena, "%s is no folder", folder).at);
    } else if (maker != NULL && errno == ENOENT) {
        add_config_finding(findings, what, UNKNOWN,
                           arena_print(arena, "%s: %s; %s", folder, strerror(ENOENT), maker).at);
    } else {
        add_config_finding(findings, what, WRONG, arena_print(arena, "%s: %s", folder, strerror(errno)).at);
    }
}

static void check_folders(struct findings *findings) {
    const struct config *config = &findings->context->config;
    check_folder(findings, "worker socket", config->worker.socket, "");
    if (config->worker.rate_file != NULL) {
        check_folder(findings, "worker rate_file", config->worker.rate_file, "");
    }
}

/* Only the settling dispatcher needs to read the key, so other users may be unable to. */
static void check_signing_key(struct findings *findings) {
    const struct config *config = &findings->context->config;
    const char *const users[] = {config->database.dispatcher.user, NULL};
    const char *path = config->audit.signing_key;
    char error[SEAL_KEY_ERROR_SIZE];
    struct seal_key *key = seal_key_read(path, error);
    bool is_anothers = key == NULL && access(path, R_OK) != 0 && errno == EACCES;
    if (key != NULL) {
        check_readers(findings, "audit signing_key", path, users, FOR_SEALING);
    } else {
        add_config_finding(findings, "audit signing_key", is_anothers ? UNKNOWN : WRONG,
                           is_anothers ? arena_print(findings->context->arena,
                                                     "%s; only root and the settling dispatcher's user can try", error)
                                             .at
                                       : error);
    }
    seal_key_free(key);
}

static void check_sealing(struct findings *findings) {
    const struct config *config = &findings->context->config;
    if (config->audit.signing_key != NULL) {
        check_signing_key(findings);
    }
    if (config->audit.seal_file != NULL) {
        const char *path = config->audit.seal_file;
        bool may_write = strcmp(folder_of(findings, path), STATE_FOLDER) == 0;
        check_folder(
            findings, "audit seal_file", path,
            may_write ? "" : "; not seen is whether recaudo-settle.service may write there: ReadWritePaths (audit.md)");
    }
}

static void check_address_lists(struct findings *findings) {
    char error[ADDRESS_GUARD_ERROR_SIZE];
    struct address_guard guard;
    bool read = address_guard_read(&findings->context->config, &guard, error);
    add_config_finding(findings, "address lists", read ? RIGHT : WRONG,
                       read ? "[security] allow_addresses and deny_addresses" : error);
}

static enum outcome config_check(struct context *context) {
    struct findings findings = {.context = context, .list = record_list_create(context->arena)};
    char error[CONFIG_ERROR_SIZE];
    bool read = config_read(context->config_path, &context->config, error);
    if (!read) {
        add_config_finding(&findings, "configuration file", WRONG, error);
    } else {
        check_configuration_file(&findings);
        if (context->config.removed != NULL) {
            add_config_finding(&findings, "removed setting", STRANGE, context->config.removed);
        }
        check_settings(&findings);
        check_address_lists(&findings);
        check_key(&findings);
        check_trust(&findings);
        check_web_certificate(&findings);
        check_folders(&findings);
        check_sealing(&findings);
        check_database_files(&findings);
        check_accounts(&findings);
        check_contents(&findings);
        config_free(&context->config);
    }
    output_list(findings.list, context->json);
    return findings.outcome;
}

const struct command config_commands[] = {
    {"check", "", "check the file and everything it refers to; exit status 1 if something is wrong",
     "Reads the configuration, the key file and the file of certificates that merchants' are verified against; logs\n"
     "in to the database with each account, and tries every stored secret with the key. Compares [worker]\n"
     "cancel_window with the one that the database uses (db migrate writes it).\n"
     "Wrong (exit status 1) is also that there is no certificate to trust, so that https to merchants would fail,\n"
     "that [security] web_certificate has expired or is not valid yet, that it or [audit] signing_key cannot be read,\n"
     "that the folder of the workers' socket, of [worker] rate_file or of [audit] seal_file is not there, and that a\n"
     "program has another account than that of sql/accounts.sql.\n"
     "What changes the exit status is also a line on standard error. So is a warning, which does not change it, of\n"
     "what is legal and strange: another cancel_window than 30 s, public_base localhost, log level debug, a setting\n"
     "that is gone; of the database server, that sessions may set the timestamp, that it allows few connections, a\n"
     "limit of rows at which a backup refuses, and a binary log that makes payments wait; networks that may use any\n"
     "transaction id, call from everywhere, or have no rate or no limit of money; currencies whose code recaudo does\n"
     "not know; references of which two merchants have a prefix or an integration; a web certificate that expires\n"
     "within 14 days.\n"
     "Reads what the database keeps as [database] operator_user, or else as owner_user: run it as root, or as the\n"
     "operator. An account of another system user, an owner whose password file is kept elsewhere and what that sees\n"
     "alone (schema, rights, passwords), and a folder that systemd has not made yet (below /run/, or\n"
     "/var/lib/recaudo) are not checked, which changes no exit status. What the database keeps does, if nobody can\n"
     "read it. Root also tries, as the system user of each program, to read the configuration, the keys, the\n"
     "certificates and the password files. A program's password file is for its own user alone.\n"
     "Exit status: 0 nothing is wrong, whatever was warned of; 1 something is, or the database's content could not be\n"
     "checked; 3 the database cannot be reached.",
     no_options, 0, 0, config_check},
    {"show", "", "the settings in force, with the defaults", NULL, no_options, 0, NEEDS_CONFIG, config_show},
    {.verb = NULL},
};
