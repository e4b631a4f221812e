/* The external query's body (specification, "External query request"). */
#ifndef RECAUDO_WIRE_MERCHANT_EXTERNAL_QUERY_H
#define RECAUDO_WIRE_MERCHANT_EXTERNAL_QUERY_H

#include "base/arena.h"

/* The request's values as their texts, which the checksum is made of. */
struct external_query_values {
    struct text reference, currency, netname, timestamp_start;
};

/* reference and netname are strings, currency and timestamp_start numbers. */
struct text external_query_render(const struct external_query_values *values, const char *checksum,
                                  struct arena *arena);

#endif
