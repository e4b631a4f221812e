/* The last test of a merchant's endpoint that a user of the console asked for. */
#ifndef RECAUDO_STORE_CONSOLE_ENDPOINT_TESTS_H
#define RECAUDO_STORE_CONSOLE_ENDPOINT_TESTS_H

#include "store/console/reader.h"

struct console_test {
    instant asked_at;
    struct text asked_by;
    bool is_under_way; /* requested within the last minute, and without an outcome */
    bool may_be_asked; /* enough time has passed for another test, or the clock was set back since this one */
    instant done_at;   /* 0: no outcome, and the fields below are empty */
    duration took;
    struct text url, address;
    uint64_t http_status; /* 0: no reply */
    struct text reason;   /* a value of attempts.reason */
    struct text reply;    /* as received */
};

/* STATUS_NONE: the merchant's endpoint was never tested, or is out of the reader's scope. */
enum status console_tests_find(const struct console_reader *reader, uint64_t merchant_id, struct console_test *out);

#endif
