/* Reads the members of a JSON object without copying. A reader of its own, because the amount is compared as the text
 * that was sent, and because the product's reader must not be the judge of what the product writes. */
#ifndef RECAUDO_BENCH_LOAD_JSON_H
#define RECAUDO_BENCH_LOAD_JSON_H

#include "base/text.h"

struct json_member {
    const char *name;
    struct text value; /* as written, a string with its quotes; NULL when the object has no such member */
};

/* Fills in the values of the members asked for. False when the text is not one well-formed object, nested at most 8
 * deep. */
bool json_members(struct text object, struct json_member *members, size_t count);

#endif
