/*
 * The configuration file, shared by all programs: /etc/recaudo/recaudo.conf, see recaudo.conf(5) and
 * doc/configuration.md.
 *
 * Reads INI text: sections, `key = value`, comments with # or ; at the start of a line. A key that is not known, stands
 * twice, or has a value that is not valid is an error with file and line; one of an earlier version that is gone has no
 * effect. Strings belong to the struct and live as long
 * as it.
 */
#ifndef RECAUDO_BASE_CONFIG_CONFIG_H
#define RECAUDO_BASE_CONFIG_CONFIG_H

#include "base/clock.h"
#include "base/log.h"

struct account_config {
    char *user;
    char *password_file; /* NULL: no password (login by system user) */
};

/* How far a server that is reached over TCP is trusted; a unix socket needs none of it. */
enum database_tls {
    TLS_VERIFY,  /* TLS, and the certificate is of a known authority and of the host that was asked for */
    TLS_REQUIRE, /* TLS; the certificate is of `tls_ca` if that is given, and its name is not looked at */
    TLS_OFF      /* clear text */
};

struct config {
    struct {
        char *socket;  /* NULL: TCP to host */
        char *host;    /* one or more, see base/config/hosts.h */
        uint64_t port; /* of hosts that name none */
        char *name;
        struct account_config owner, worker, dispatcher, deliverer, operator, console; /* dispatcher: settles */
        char *account_host; /* the host part of the accounts' names, for their grants */
        enum database_tls tls;
        char *tls_ca;                    /* authorities of the servers' certificates; NULL: the system's */
        char *tls_certificate, *tls_key; /* ours, for servers that ask for one; NULL, both of them: none */
        duration connect_timeout;        /* whole seconds */
        duration read_timeout;           /* whole seconds */
    } database;
    struct {
        char *socket;
        uint64_t socket_mode;
        uint64_t processes; /* 0: serve in the first process */
        uint64_t connections;
        char *service_name; /* COMMERCE of top-ups */
        char *public_base;  /* host, port and path under which customers reach /pay; without a scheme */
        duration cancel_window;
        char *rate_file; /* that the processes share budgets of networks through; NULL: beside the socket */
    } worker;
    struct {
        uint64_t batch; /* rows per database transaction */
        uint64_t in_flight;
        uint64_t in_flight_per_endpoint;
        uint64_t rest_after; /* failures in a row */
        duration rest;       /* the first; each one after it is longer */
        duration rest_longest;
        duration hang_after; /* a process that makes no progress for so long is replaced */
    } dispatcher;
    struct {
        duration timeout; /* of one attempt, from the look-up of the name to the last byte of the reply */
        struct schedule schedule;
    } notification;
    struct {
        duration
            close_at; /* time of the day at which the dispatcher closes the settlement; ZONE_TIME_OFF: it does not */
        char *zone;   /* IANA time zone of that day */
    } settlement;
    struct {
        duration timeout;                           /* from the look-up of the name to the last byte of the answer */
        uint64_t in_flight, in_flight_per_merchant; /* in all processes of a host */
        uint64_t rest_after;                        /* failures in a row */
        duration rest;
        char *shared_file; /* NULL: beside worker.socket */
    } external_query;
    struct {
        duration
            begin_at; /* time of the day, in settlement.zone, at which what is old goes; ZONE_TIME_OFF: nothing goes */
        duration attempts, queries, personal; /* older than this; CONFIG_KEPT: for ever */
    } retention;
    struct {
        char *key_file;
        char *allow_addresses; /* address ranges, see outbound/address.h; NULL: none */
        char *deny_addresses;  /* the same; they win over those that are allowed or public */
        char *ca_file;         /* certificates to trust instead of the system's; NULL: the system's */
        char *web_certificate; /* the one that the web server shows, to watch its end; NULL: not watched */
    } security;
    struct {
        char *socket;
        uint64_t socket_mode;
        uint64_t threads; /* each with a database connection */
    } console;
    struct {
        enum log_level level;
    } log;
    const char *removed; /* says which setting of the file is no longer one and what to do; NULL: there is none */
};

enum { CONFIG_ERROR_SIZE = 512 };

/* The age at which a record goes that is kept for ever; "off" in the file. */
#define CONFIG_KEPT ((duration)0)

/* The path to read: `option` if given, else $RECAUDO_CONFIG, else the installed default. */
const char *config_path(const char *option);

/* Reads the file into *out, defaults first. False: `error` says what is wrong, with file and line; nothing to free. */
MUST_USE bool config_read(const char *path, struct config *out, char error[CONFIG_ERROR_SIZE]);

void config_free(struct config *config);

/* Calls `each` for every setting in the order of the file's sections, with the value as it would be written. */
void config_each(const struct config *config,
                 void (*each)(void *context, const char *section, const char *key, const char *value), void *context);

/* A duration: a whole number and ms, s, m, h or d; without a unit, seconds. */
MUST_USE bool config_parse_duration(struct text value, duration *out);

#endif
