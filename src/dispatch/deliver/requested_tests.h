/* Tests of merchants' endpoints that users of the console request. They are sent like notifications, beside them. */
#ifndef RECAUDO_DISPATCH_DELIVER_REQUESTED_TESTS_H
#define RECAUDO_DISPATCH_DELIVER_REQUESTED_TESTS_H

#include "dispatch/run/task_run.h"
#include "outbound/http.h"

/* Requests for which the client must have room besides notifications. */
enum { ENDPOINT_TESTS_AT_ONCE = 4 };

struct requested_tests;

/* `run` must live longer. requested_tests_destroy frees it. */
struct requested_tests *requested_tests_create(struct task_run *run);
void requested_tests_destroy(struct requested_tests *tests); /* tests in flight get no outcome */

/*
 * Records the outcomes that have arrived, then takes waiting tests and starts to send them. `client` NULL: takes none.
 */
enum status requested_tests_work(struct requested_tests *tests, struct connection *connection,
                                 struct http_client *client);

/* Keeps the reply until it is recorded. False: the tag belongs to no test. */
MUST_USE bool requested_tests_end(struct requested_tests *tests, const void *tag, const struct http_reply *reply);

/* Tests that are in flight or not yet recorded. */
size_t requested_tests_in_hand(const struct requested_tests *tests);

#endif
