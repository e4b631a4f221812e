/* External queries as they are kept: who was asked about what, and what came of it. */
#ifndef RECAUDO_STORE_QUERIES_H
#define RECAUDO_STORE_QUERIES_H

#include "base/clock.h"
#include "base/text.h"
#include "store/connection.h"

struct query_record {
    uint64_t merchant_id, integration_id, network_id;
    struct text reference;
    instant asked_at;
    duration took;
    struct text outcome;        /* answered, refused, expired, invalid, silent */
    unsigned http_status;       /* 0: none came */
    struct text field, problem; /* may be empty */
};

/* For use within a transaction, or alone. */
enum status queries_insert(struct connection *connection, const struct query_record *record);

#endif
