/* The options --allow, --rate and --burst of a network. */
#ifndef RECAUDO_CTL_NETWORK_LIMITS_H
#define RECAUDO_CTL_NETWORK_LIMITS_H

#include "ctl/command.h"
#include "store/networks.h"

#define NETWORK_LIMIT_OPTIONS                                                                                          \
    {.name = "allow",                                                                                                  \
     .value = "CIDR",                                                                                                  \
     .help = "addresses it may call from; may be repeated; the word none: everywhere",                                 \
     .repeats = true},                                                                                                 \
        {.name = "rate", .value = "N/s", .help = "requests per second of each host; the word none: no limit"}, {       \
        .name = "burst", .value = "N", .help = "requests at once after a pause; else as many as the rate"              \
    }

bool network_limits_given(const struct context *context);

/* Puts what the options say into *out; what they do not stays as it is there. Refused or misused: named what. */
enum outcome network_limits_take(const struct context *context, struct network_limits *out);

/* The keys allow, rate and burst. */
void network_limits_describe(struct record *record, const struct network_limits *limits);

#endif
