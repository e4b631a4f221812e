/* The code table: CODE, HTTP status and TEXT of each refusal. A code never changes its meaning. doc/protocol.md has the
 * same table, and a test compares them. */
#ifndef RECAUDO_WIRE_REPLY_CODE_H
#define RECAUDO_WIRE_REPLY_CODE_H

#include "domain/refusal.h"

struct reply_code {
    const char *code; /* four digits */
    int http_status;
    const char *text;
};

const struct reply_code *reply_code_of(enum refusal refusal);

/* Returns the refusal of a code, which must be in the table. */
enum refusal reply_code_meaning(const char *code);

#endif
