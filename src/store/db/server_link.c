#include "store/db/server_link.h"

#include "base/process/private_file.h"

#include <errmsg.h>
#include <errno.h>
#include <fcntl.h>
#include <mariadb_version.h>
#include <mysqld_error.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Logins that prove knowledge of the password without sending it. All others are refused: mysql_clear_password, dialog
 * (PAM) and sha256_password give the password to whoever answers, and mysql_old_password is broken.
 */
static const char SAFE_LOGINS[] = "mysql_native_password,client_ed25519,parsec";

/* The system's trusted authorities: Debian, Fedora, SUSE. */
static const char *const SYSTEM_AUTHORITIES[] = {"/etc/ssl/certs/ca-certificates.crt",
                                                 "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"};

/* With this variable Connector/C 3.4 verifies nothing. */
static const char DISABLES_VERIFICATION[] = "MARIADB_TLS_DISABLE_PEER_VERIFICATION";

static bool is_readable(const char *setting, const char *path, bool secret) {
    if (path == NULL) {
        return true;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        log_line(LOG_ERROR, "[database] %s cannot be read: %s: %s", setting, path, strerror(errno));
        return false;
    }
    bool closed = !secret || private_file_is_closed(file);
    close(file);
    if (!closed) {
        log_line(LOG_ERROR,
                 "[database] %s: others may read or change %s: chmod g-wx,o= it, and make a new one if they did",
                 setting, path);
    }
    return closed;
}

/*
 * Returns the file of [database] tls_ca, or the system's. For `verify` there is always one: Connector/C 3.4 refuses
 * every faulty certificate only if it was given authorities. Without them it accepts any certificate on 127.0.0.1, and
 * a self-made one from a server that proves that it knows the password.
 */
static const char *authorities(const struct config *config) {
    if (config->database.tls_ca != NULL || config->database.tls != TLS_VERIFY) {
        return config->database.tls_ca;
    }
    for (size_t i = 0; i < COUNT_OF(SYSTEM_AUTHORITIES); i++) {
        if (access(SYSTEM_AUTHORITIES[i], R_OK) == 0) {
            return SYSTEM_AUTHORITIES[i];
        }
    }
    return NULL;
}

#if MARIADB_PACKAGE_VERSION_ID >= 30402

/* The connection that this thread is making, and whether its server's certificate must come from an authority. */
static _Thread_local MYSQL *required_on;
static _Thread_local bool by_authority;

/* Called by Connector/C after the handshake, when all but the name is verified. Returns 0 to accept the server. */
static int judge_certificate(void *tls, unsigned flags) {
    (void)tls;
    (void)flags;
    if (!by_authority) {
        required_on->net.tls_verify_status = MARIADB_TLS_VERIFY_OK;
    }
    return required_on->net.tls_verify_status;
}

/* Accepts any certificate or, with tls_ca, any that its authority issued. Without this callback, Connector/C would
 * verify the name too. */
static void require_tls(MYSQL *mysql, const struct config *config) {
    my_bool yes = 1;
    required_on = mysql;
    by_authority = config->database.tls_ca != NULL;
    mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
    mysql_optionsv(mysql, MARIADB_OPT_TLS_VERIFICATION_CALLBACK, judge_certificate);
}

#else

/*
 * Connector/C before 3.4.2 continues in clear text with a server that offers no TLS, even with MYSQL_OPT_SSL_ENFORCE.
 * It refuses only if it has to verify the certificate or compare a fingerprint. An empty fingerprint triggers that
 * refusal, but is not compared afterwards.
 */
static const char SOME_FINGERPRINT[] = "";

/* Accepts any certificate or, with tls_ca, any that its authority issued, which Connector/C verifies by itself. */
static void require_tls(MYSQL *mysql, const struct config *config) {
    (void)config;
    my_bool no = 0;
    mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &no);
    mysql_options(mysql, MARIADB_OPT_TLS_PEER_FP, SOME_FINGERPRINT);
}

#endif

static void set_tls(MYSQL *mysql, const struct config *config) {
    my_bool yes = 1;
    mysql_ssl_set(mysql, config->database.tls_key, config->database.tls_certificate, authorities(config), NULL, NULL);
    mysql_options(mysql, MARIADB_OPT_TLS_VERSION, "TLSv1.2,TLSv1.3");
    mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
    if (config->database.tls == TLS_VERIFY) {
        mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
    } else {
        require_tls(mysql, config);
    }
}

bool server_link_protect(MYSQL *mysql, const struct config *config) {
    mysql_options(mysql, MARIADB_OPT_RESTRICTED_AUTH, SAFE_LOGINS);
    if (config->database.socket != NULL) {
        return true;
    }
    unsigned tcp = MYSQL_PROTOCOL_TCP; /* also for a host named localhost, for which Connector/C would use a socket */
    mysql_options(mysql, MYSQL_OPT_PROTOCOL, &tcp);
    if (config->database.tls == TLS_OFF) {
        return true;
    }
    if (!is_readable("tls_ca", config->database.tls_ca, false) ||
        !is_readable("tls_certificate", config->database.tls_certificate, false) ||
        !is_readable("tls_key", config->database.tls_key, true)) {
        return false;
    }
    if (config->database.tls == TLS_VERIFY && authorities(config) == NULL) {
        log_line(LOG_ERROR, "[database] tls = verify: no certificate authority to trust was found: install the package "
                            "ca-certificates, or set [database] tls_ca");
        return false;
    }
    if (getenv(DISABLES_VERIFICATION) != NULL) {
        log_line(LOG_ERROR, "[database] tls: unset the environment variable %s, which disables the check",
                 DISABLES_VERIFICATION);
        return false;
    }
    set_tls(mysql, config);
    return true;
}

#define ANOTHER_NAME                                                                                                   \
    ": the certificate is not for the name in [database] host: use a name that it contains, or give the server a "     \
    "certificate for this name"

#define NOT_THERE                                                                                                      \
    ": MariaDB does not run there (or its disk is full), [database] host and port name another server, or a firewall " \
    "is between"

#define PASSWORD_EXPIRED ": the password has expired: ALTER USER ... IDENTIFIED BY '...' PASSWORD EXPIRE NEVER"

static const struct {
    unsigned error;
    const char *words; /* part of the message; the first row that matches counts */
    const char *remedy;
} REMEDIES[] = {
    {CR_SERVER_LOST, "handshake",
     ": the server accepts connections and does not answer: it is frozen, overloaded or just starting, its "
     "disk is full (df), or its name server does not answer (skip_name_resolve)"},
    {CR_CONNECTION_ERROR, "(11)",
     ": MariaDB runs and takes no more connections, because too many wait: it is frozen or overloaded, "
     "or its disk is full (df)"},
    {CR_CONNECTION_ERROR, "server on", NOT_THERE},
    {CR_CONNECTION_ERROR, "", ": MariaDB does not run, or its disk is full, or [database] socket names another file"},
    {CR_CONN_HOST_ERROR, "", NOT_THERE},
    {CR_IPSOCK_ERROR, "(97)",
     ": the program's unit allows it no network: install.md, \"The database on other machines\""},
    {ER_BAD_DB_ERROR, "",
     ": the database does not exist: see [database] name, or make it with CREATE DATABASE (install.md, 2)"},
    {ER_DBACCESS_DENIED_ERROR, "",
     ": the database does not exist ([database] name), or recaudoctl db migrate has not given the account its rights"},
    {ER_ACCESS_DENIED_ERROR, "", ": the account does not exist, or the password in its file is wrong"},
    {ER_ACCESS_DENIED_NO_PASSWORD_ERROR, "",
     ": the account logs in by unix_socket, as the system user of its name alone: take its password file out of "
     "[database]"},
    {ER_CON_COUNT_ERROR, "",
     ": others hold every connection that the server allows: end those that nobody needs (SHOW PROCESSLIST, KILL), or "
     "raise max_connections"},
    {ER_ACCOUNT_HAS_BEEN_LOCKED, "", ": somebody has locked the account: ALTER USER ... ACCOUNT UNLOCK"},
    {ER_MUST_CHANGE_PASSWORD, "", PASSWORD_EXPIRED},
    {ER_MUST_CHANGE_PASSWORD_LOGIN, "", PASSWORD_EXPIRED},
    {ER_HOST_IS_BLOCKED, "", ": after many broken connections the server refuses this host: FLUSH HOSTS there"},
    {CR_SSL_CONNECTION_ERROR, "does not support it",
     ": give the server a certificate (ssl_cert and ssl_key in its configuration), or, where nobody else can be on the "
     "way to it, say [database] tls = off"},
    {CR_SSL_CONNECTION_ERROR, "Validation of SSL server certificate failed", ANOTHER_NAME},
    {CR_SSL_CONNECTION_ERROR, "Hostname verification failed", ANOTHER_NAME}, /* since Connector/C 3.4 */
    {CR_SSL_CONNECTION_ERROR, "expired",
     ": renew the server's certificate and run FLUSH SSL there, or compare the clocks of both machines"},
    {CR_SSL_CONNECTION_ERROR, "not yet valid", ": compare the clocks of both machines"},
    {CR_SSL_CONNECTION_ERROR, "issuer",
     ": the certificate was not issued by the authority in [database] tls_ca: correct tls_ca; if it is correct, this "
     "is not your server"},
    {CR_SSL_CONNECTION_ERROR, "self-signed",
     ": the certificate was not issued by the authority in [database] tls_ca: correct tls_ca; if it is correct, this "
     "is not your server"},
    {CR_SSL_CONNECTION_ERROR, "", ": see [database] tls in recaudo.conf(5)"},
    {CR_PLUGIN_NOT_ALLOWED, "",
     ": the server asks for a login that would show it the password: make the account one of mysql_native_password or "
     "ed25519. If it is one, this is not your server"},
};

const char *server_link_remedy(unsigned error, const char *message) {
    for (size_t i = 0; i < COUNT_OF(REMEDIES); i++) {
        if (REMEDIES[i].error == error && strstr(message, REMEDIES[i].words) != NULL) {
            return REMEDIES[i].remedy;
        }
    }
    return "";
}
