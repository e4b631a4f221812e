/* The external query's body (specification, "External query request"). */
#ifndef RECAUDO_WIRE_MERCHANT_EXTERNAL_QUERY_H
#define RECAUDO_WIRE_MERCHANT_EXTERNAL_QUERY_H

#include "base/arena.h"

/* The request's values as the texts that the checksum covers. */
struct external_query_values {
    struct text reference, currency, netname, timestamp_start;
};

/* Returns the body: reference and netname as strings, currency and timestamp_start as numbers. */
struct text external_query_render(const struct external_query_values *values, const char *checksum,
                                  struct arena *arena);

#endif
