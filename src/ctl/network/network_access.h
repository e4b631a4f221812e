/* The options --allow, --rate, --burst, --transaction-ids and --signature of a network. */
#ifndef RECAUDO_CTL_NETWORK_NETWORK_ACCESS_H
#define RECAUDO_CTL_NETWORK_NETWORK_ACCESS_H

#include "ctl/core/command.h"
#include "store/party/networks.h"

#define NETWORK_ACCESS_OPTIONS                                                                                         \
    {.name = "allow",                                                                                                  \
     .value = "CIDR",                                                                                                  \
     .help = "addresses it may call from; may be repeated; the word none: everywhere",                                 \
     .repeats = true},                                                                                                 \
        {.name = "rate", .value = "N/s", .help = "requests per second of each host; the word none: no limit"},         \
        {.name = "burst", .value = "N", .help = "requests at once after a pause; else as many as the rate"},           \
        {.name = "transaction-ids",                                                                                    \
         .value = "any|distinct",                                                                                      \
         .help = "distinct: ids need a character that no reference has, such as a point"},                             \
        {.name = "signature",                                                                                          \
         .value = "off|accepted|required",                                                                             \
         .help = "header Recaudo-Signature over the whole request"}

/* What `--transaction-ids distinct` achieves, in one line. */
#define NETWORK_DISTINCT_BUYS "with --transaction-ids distinct the checksum of a lookup can never confirm a payment"

bool network_access_given(const struct context *context);

/* Writes the options into *out; settings without an option keep their values. Refused or misused: the message names the
 * option. */
enum outcome network_access_take(const struct context *context, struct network_access *out);

/* Adds the keys allow, rate, burst, transaction_ids, plain_ids_until and signature. */
void network_access_describe(struct record *record, const struct network_description *network);

#endif
