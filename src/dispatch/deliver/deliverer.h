/*
 * What a delivering process works with. Two tasks share it, and each may wait for the database. The leading one asks
 * what is due, leases and gives back; the recording one records outcomes. Meanwhile the loop sends (send.h).
 *
 * - The loop wakes the leader where there is room for more, the recorder where outcomes are to be recorded earlier.
 * - leases_rest is the recorder's: no leasing may begin. It then waits until is_leasing, the leader's, is false.
 * - is_recording is the recorder's: until it is false, the leader does not find that nothing is left to do.
 * - has_asked is the leader's; the recorder clears it, since what it has recorded may have made others due.
 * - record_failed is the recorder's: with --once, the leader ends then.
 * - has_ended is the leader's last word; it waits until the recorder sets recorder_has_ended.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVERER_H
#define RECAUDO_DISPATCH_DELIVER_DELIVERER_H

#include "base/loop/loop.h"
#include "dispatch/deliver/endpoint_tests.h"
#include "dispatch/deliver/merchant_slots.h"
#include "dispatch/deliver/outcomes.h"
#include "outbound/http.h"

struct deliverer {
    struct task_run *run;
    struct http_client *client;
    struct merchant_slots *merchants;
    struct outcomes *outcomes;
    struct sendings *sendings;
    struct endpoint_tests *tests;
    bool tests_ended; /* tests of endpoints have outcomes that the leader is to record; set by the loop */
    bool is_leasing, leases_rest, is_recording, record_failed, has_asked, has_ended, recorder_has_ended;
    struct task_queue leader, recorder; /* the tasks, while they wait */
    duration record_at;                 /* until when the recorder waits */
};

#endif
