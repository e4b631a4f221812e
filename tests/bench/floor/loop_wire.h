/* FastCGI as nginx speaks it on a kept connection, one request at a time: whole requests out of bytes, replies into
 * bytes. */
#ifndef RECAUDO_BENCH_LOOP_WIRE_H
#define RECAUDO_BENCH_LOOP_WIRE_H

#include "base/text.h"

enum { LOOP_WIRE_SIZE = 16384 };

/* Points into the bytes that it was read from. */
struct loop_request {
    uint16_t id;
    char *method;
    char *uri;
    struct text body;
};

enum loop_state {
    LOOP_PARTIAL, /* more bytes must come */
    LOOP_WHOLE,
    LOOP_BROKEN
};

/* Reads the one request in `bytes`. Method, address and body of a whole one are gathered in `gathered`, of the same
 * size. */
enum loop_state loop_wire_read(const unsigned char *bytes, size_t size, char gathered[LOOP_WIRE_SIZE],
                               struct loop_request *request);

/* Writes the records of a reply; returns their size. */
size_t loop_wire_reply(uint16_t id, struct text reply, unsigned char out[LOOP_WIRE_SIZE]);

#endif
