/* What a floor reads of a request and prints as its reply: as little as the load generator accepts. */
#ifndef RECAUDO_BENCH_FLOOR_REQUEST_H
#define RECAUDO_BENCH_FLOOR_REQUEST_H

#include "base/text.h"

enum { FLOOR_REPLY_SIZE = 4096, FLOOR_TEXT_SIZE = 1024 };

enum floor_operation { FLOOR_LOOKUP, FLOOR_REGISTER, FLOOR_CONFIRM, FLOOR_OPERATIONS };

/* Points into the request. Fields that the operation does not have are empty. */
struct floor_request {
    enum floor_operation operation;
    struct text reference;
    struct text transaction;
    struct text amount;
    struct text commerce;
};

/* What the statement found or wrote. */
struct floor_row {
    char amount[FLOOR_TEXT_SIZE];
    char commerce[FLOOR_TEXT_SIZE];
    char description[FLOOR_TEXT_SIZE];
    uint64_t id; /* of the payment */
};

/* GET looks up, POST registers, PATCH confirms. Returns false when a field that the statement needs is missing. */
bool floor_request_read(const char *method, const char *uri, struct text body, struct floor_request *request);

/* Prints header and body of the CGI reply and returns their size. `row` is NULL when there is no such row. */
size_t floor_reply(const struct floor_request *request, const struct floor_row *row, char out[FLOOR_REPLY_SIZE]);

#endif
