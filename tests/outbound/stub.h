/*
 * A merchant's web server that behaves as the path says, well or badly; on loopback, with a thread for each connection.
 * The threads end with the test's process.
 */
#ifndef RECAUDO_TESTS_OUTBOUND_STUB_H
#define RECAUDO_TESTS_OUTBOUND_STUB_H

#include "base/text.h"

struct stub;

/* Listens on a free port of `address`, 127.0.0.1 or ::1. With certificate and key files it speaks TLS, else (NULL)
 * plain HTTP. */
struct stub *stub_start(const char *address, const char *certificate, const char *key);

unsigned stub_port(const struct stub *stub);

/* Requests read to their end, and connections accepted, until now. */
size_t stub_requests(struct stub *stub);
size_t stub_connections(struct stub *stub);

/* The last request as it came. */
const char *stub_last_request(struct stub *stub);

/* Nobody answers at this IPv4 address, at the stub's port: the connections that a queue has room for are made already.
 */
void stub_keep_silent_at(const struct stub *stub, const char *address);

/* Sends this on the newest connection, without TLS. */
void stub_send(struct stub *stub, struct text bytes);

/* "/gather" answers nobody until so many requests are waiting at the same time. */
void stub_gather(struct stub *stub, size_t count);

/* Waits until the stub has read so many requests. */
void stub_await_requests(struct stub *stub, size_t count);

/* Waits until the stub has closed so many connections. */
void stub_await_closed(struct stub *stub, size_t count);

/* Stubs that speak TLS take nobody any more, and have closed what their clients have closed. What OpenSSL keeps for a
 * thread that runs when the process exits is a leak to LeakSanitizer. */
void stubs_end_tls(void);

/* Ports of 127.0.0.1: one where nobody listens, and one that connects and then says nothing. */
unsigned stub_closed_port(void);
unsigned stub_silent_port(void);

#endif
