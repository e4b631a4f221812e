/*
 * The database servers of an installation: "HOST[:PORT] HOST[:PORT] ...", the preferred one first. An IPv6 address with
 * a port needs brackets: [fd00::1]:3306.
 */
#ifndef RECAUDO_BASE_CONFIG_HOSTS_H
#define RECAUDO_BASE_CONFIG_HOSTS_H

#include "base/text.h"

enum { HOSTS_MAX = 8, HOST_NAME_BYTES = 255 };

struct host {
    char name[HOST_NAME_BYTES + 1];
    unsigned port; /* 0: not given */
};

struct hosts {
    struct host items[HOSTS_MAX];
    size_t count;
};

/* Reads 1 to HOSTS_MAX hosts. Returns false if there is none or too many, or a host is repeated or malformed. */
MUST_USE bool hosts_parse(struct text list, struct hosts *out);

#endif
