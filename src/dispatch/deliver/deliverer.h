/*
 * The state of a delivering process. Two tasks share it, and each may wait for the database. The leader asks what is
 * due, leases and gives back. The recorder records outcomes. Meanwhile the loop sends (send.h).
 *
 * - The loop wakes the leader if there is room for more, and the recorder if it must record earlier.
 * - leases_rest: set by the recorder to stop new leasing. It then waits until the leader clears is_leasing.
 * - is_recording: set by the recorder. While it is set, the leader does not conclude that nothing is left to do.
 * - has_asked: set by the leader. The recorder clears it, because recording may make other notifications due.
 * - record_failed: set by the recorder; with --once, the leader then ends.
 * - has_ended: set by the leader at its end. It then waits until the recorder sets recorder_has_ended.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVERER_H
#define RECAUDO_DISPATCH_DELIVER_DELIVERER_H

#include "base/loop/loop.h"
#include "dispatch/deliver/merchant_slots.h"
#include "dispatch/deliver/outcomes.h"
#include "dispatch/deliver/requested_tests.h"
#include "outbound/http.h"

struct deliverer {
    struct task_run *run;
    struct http_client *client;
    struct merchant_slots *merchants;
    struct outcomes *outcomes;
    struct sendings *sendings;
    struct requested_tests *tests;
    bool tests_ended; /* set by the loop: the leader must record outcomes of endpoint tests */
    bool is_leasing, leases_rest, is_recording, record_failed, has_asked, has_ended, recorder_has_ended;
    struct task_queue leader, recorder; /* the tasks, while they wait */
    duration record_at;                 /* until when the recorder waits */
};

#endif
