/* The requests of a collection network or a merchant, as HTTP/1.1 text with correct checksums. */
#ifndef RECAUDO_BENCH_LOAD_REQUEST_H
#define RECAUDO_BENCH_LOAD_REQUEST_H

#include "bench/load/load_options.h"

enum { REQUEST_SIZE = 4096 };

/* One per thread: it holds the digest context. Keeps a pointer to the options. */
struct request_maker;

struct request_maker *request_maker_create(const struct load_options *options);

void request_maker_destroy(struct request_maker *maker);

/* Writes the request for a lookup, registration, confirmation, notification, or of a merchant; returns its length. */
size_t request_make(struct request_maker *maker, const struct subject *subject, char out[REQUEST_SIZE]);

#endif
