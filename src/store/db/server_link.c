#include "store/db/server_link.h"

#include "base/process/private_file.h"

#include <errmsg.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Each proves that the client knows the password and does not send it. All others are refused: mysql_clear_password,
 * dialog (PAM) and sha256_password give the password to whoever answers, mysql_old_password is broken.
 */
static const char SAFE_LOGINS[] = "mysql_native_password,client_ed25519,parsec";

/*
 * Connector/C goes on in clear text with a server that offers no TLS, MYSQL_OPT_SSL_ENFORCE or not, unless it has to
 * verify the certificate or to compare a fingerprint. An empty fingerprint is one to it here, and none when it comes to
 * comparing.
 */
static const char SOME_FINGERPRINT[] = "";

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
        log_line(LOG_ERROR, "[database] %s: others may read or change %s: chmod 600 it, and make a new one if they did",
                 setting, path);
    }
    return closed;
}

static void set_tls(MYSQL *mysql, const struct config *config) {
    my_bool verify = config->database.tls == TLS_VERIFY, yes = 1;
    mysql_ssl_set(mysql, config->database.tls_key, config->database.tls_certificate, config->database.tls_ca, NULL,
                  NULL);
    mysql_options(mysql, MARIADB_OPT_TLS_VERSION, "TLSv1.2,TLSv1.3");
    mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
    mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    if (!verify) {
        mysql_options(mysql, MARIADB_OPT_TLS_PEER_FP, SOME_FINGERPRINT);
    }
}

bool server_link_protect(MYSQL *mysql, const struct config *config) {
    mysql_options(mysql, MARIADB_OPT_RESTRICTED_AUTH, SAFE_LOGINS);
    if (config->database.socket != NULL) {
        return true;
    }
    unsigned tcp =
        MYSQL_PROTOCOL_TCP; /* also for a host named localhost, of which Connector/C makes a socket otherwise */
    mysql_options(mysql, MYSQL_OPT_PROTOCOL, &tcp);
    if (config->database.tls == TLS_OFF) {
        return true;
    }
    if (!is_readable("tls_ca", config->database.tls_ca, false) ||
        !is_readable("tls_certificate", config->database.tls_certificate, false) ||
        !is_readable("tls_key", config->database.tls_key, true)) {
        return false;
    }
    set_tls(mysql, config);
    return true;
}

#define ANOTHER_NAME                                                                                                   \
    ": the certificate is for another name than [database] host has: use a name that is in it, or give the server "    \
    "one with this name"

static const struct {
    unsigned error;
    const char *words; /* in the message; the first row that fits counts */
    const char *remedy;
} REMEDIES[] = {
    {CR_SSL_CONNECTION_ERROR, "does not support it",
     ": give the server a certificate (ssl_cert and ssl_key in its configuration), or, where nobody else can be on the "
     "way to it, say [database] tls = off"},
    {CR_SSL_CONNECTION_ERROR, "Validation of SSL server certificate failed", ANOTHER_NAME},
    {CR_SSL_CONNECTION_ERROR, "Hostname verification failed", ANOTHER_NAME}, /* since Connector/C 3.4 */
    {CR_SSL_CONNECTION_ERROR, "expired",
     ": renew the server's certificate and run FLUSH SSL there, or compare the clocks of both machines"},
    {CR_SSL_CONNECTION_ERROR, "not yet valid", ": compare the clocks of both machines"},
    {CR_SSL_CONNECTION_ERROR, "issuer",
     ": the certificate is not of the authority in [database] tls_ca: put the right one there. If it is right, this is "
     "not your server"},
    {CR_SSL_CONNECTION_ERROR, "self-signed",
     ": the certificate is not of the authority in [database] tls_ca: put the right one there. If it is right, this is "
     "not your server"},
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
