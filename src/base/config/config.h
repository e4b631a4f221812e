/*
 * The configuration file, shared by all programs: /etc/recaudo/recaudo.conf, see recaudo.conf(5) and
 * doc/configuration.md.
 *
 * Reads INI text: sections, `key = value`, comments with # or ; at the start of a line. An unknown key, a repeated key
 * and an invalid value are errors, reported with file and line. Two keys of earlier versions are ignored (`removed`).
 * The struct owns its strings; config_free releases them.
 */
#ifndef RECAUDO_BASE_CONFIG_CONFIG_H
#define RECAUDO_BASE_CONFIG_CONFIG_H

#include "base/clock.h"
#include "base/log.h"

struct account_config {
    char *user;
    char *password_file; /* NULL: no password (login by system user) */
};

/* How a server reached over TCP is authenticated. Ignored for a unix socket. */
enum database_tls {
    TLS_VERIFY,  /* TLS; the certificate must be from a trusted authority and for the host's name */
    TLS_REQUIRE, /* TLS; the certificate must be from `tls_ca` if that is set; its name is not checked */
    TLS_OFF      /* clear text */
};

struct config {
    struct {
        char *socket;  /* NULL: TCP to host */
        char *host;    /* one or more, see base/config/hosts.h */
        uint64_t port; /* for hosts given without a port */
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
        uint64_t processes;     /* 0: serve in the first process */
        uint64_t connections;   /* to the database, of each process */
        char *service_name;     /* COMMERCE of top-ups */
        char *public_base;      /* host, port and path under which customers reach /pay; without a scheme */
        duration cancel_window; /* `db migrate` writes it into the table settings; the database applies that one */
        char *rate_file; /* the file through which the processes share the networks' rate limits; NULL: beside the
                            socket */
    } worker;
    struct {
        uint64_t batch;                  /* rows per database transaction */
        uint64_t in_flight;              /* attempts at the same time, in each delivering process */
        uint64_t in_flight_per_endpoint; /* of these to one endpoint */
        uint64_t rest_after;             /* failures in a row */
        duration rest;                   /* the first rest; each further one is longer */
        duration rest_longest;           /* upper bound of a rest */
        duration hang_after;             /* a process without progress for this time is replaced */
    } dispatcher;
    struct {
        duration timeout; /* of one attempt, from name resolution to the last byte of the reply */
        struct schedule schedule;
    } notification;
    struct {
        duration close_at; /* time of day at which the dispatcher closes the settlement; ZONE_TIME_OFF: never */
        char *zone;        /* IANA time zone of that day */
    } settlement;
    struct {
        duration timeout;                           /* from name resolution to the last byte of the answer */
        uint64_t in_flight, in_flight_per_merchant; /* in all processes of a host */
        uint64_t rest_after;                        /* failures in a row */
        duration rest;
    } external_query;
    struct {
        duration begin_at; /* time of day, in settlement.zone, at which the purge of old records begins; ZONE_TIME_OFF:
                              never */
        duration attempts, queries, personal; /* age at which records are removed; CONFIG_KEPT: never */
    } retention;
    struct {
        duration seal_every; /* time between two seals of the event log; CONFIG_KEPT: it is not sealed */
        char *signing_key;   /* private key that signs the seals; NULL: they are not signed */
        char *seal_file;     /* file to which each seal is appended; NULL: none */
    } audit;
    struct {
        char *key_file;
        char *allow_addresses; /* address ranges, see outbound/address.h; NULL: none */
        char *deny_addresses;  /* the same; takes precedence over allowed and public addresses */
        char *ca_file;         /* certificates to trust instead of the system's; NULL: the system's */
        char *web_certificate; /* the web server's certificate, whose expiry is watched; NULL: not watched */
    } security;
    struct {
        char *socket;
        uint64_t socket_mode;
        uint64_t threads; /* each with a database connection */
    } console;
    struct {
        enum log_level level;
    } log;
    const char *removed; /* a message: which setting of the file no longer exists and what to do; NULL: none */
};

enum { CONFIG_ERROR_SIZE = 512 };

/* Longest path of a unix socket, without the NUL (sun_path of unix(7)). */
enum { SOCKET_PATH_BYTES = 107 };

/* Value of an age in [retention] that removes nothing, and of seal_every if nothing is sealed; "off" in the file. */
#define CONFIG_KEPT ((duration)0)

/* Where recaudo-query listens: the unit's socket. If recaudo-fcgi starts it, the socket's path is the workers' with
 * this suffix. */
#define QUERY_SOCKET_OF_UNIT   "/run/recaudo-query/query.sock"
#define QUERY_SOCKET_OF_WORKER ".queries"

/* Returns the path of the file: `option` if not NULL, else $RECAUDO_CONFIG, else the installed default. */
const char *config_path(const char *option);

/* Reads the file into *out, over the defaults. Returns false if it is wrong; `error` then says why, with file and line,
 * and there is nothing to free. */
MUST_USE bool config_read(const char *path, struct config *out, char error[CONFIG_ERROR_SIZE]);

void config_free(struct config *config);

/* Calls `each` for every setting, by section, with its value in the file's notation. */
void config_each(const struct config *config,
                 void (*each)(void *context, const char *section, const char *key, const char *value), void *context);

/* Reads a duration: a whole number followed by ms, s, m, h or d, or without a unit in seconds. */
MUST_USE bool config_parse_duration(struct text value, duration *out);

#endif
