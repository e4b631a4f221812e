/* The last test of a merchant's endpoint that a user of the console asked for. */
#ifndef RECAUDO_STORE_CONSOLE_ENDPOINT_TESTS_H
#define RECAUDO_STORE_CONSOLE_ENDPOINT_TESTS_H

#include "store/console/reader.h"

struct console_test {
    instant asked_at;
    struct text asked_by;
    bool is_under_way; /* it was asked for within a minute, and has no outcome */
    bool may_be_asked; /* enough time has passed for another one */
    instant done_at;   /* 0: it has no outcome, and none of what follows */
    duration took;
    struct text url, address;
    uint64_t http_status; /* 0: there was no reply */
    struct text reason;   /* a value of attempts.reason */
    struct text reply;    /* as received */
};

/* STATUS_NONE: the merchant's endpoint was never tested, or it is another merchant's. */
enum status console_tests_find(const struct console_reader *reader, uint64_t merchant_id, struct console_test *out);

#endif
