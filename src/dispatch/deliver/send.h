/* Sends what was leased, and takes in the replies. */
#ifndef RECAUDO_DISPATCH_DELIVER_SEND_H
#define RECAUDO_DISPATCH_DELIVER_SEND_H

#include "base/loop/loop.h"
#include "dispatch/deliver/endpoint_tests.h"
#include "dispatch/deliver/merchant_slots.h"
#include "dispatch/deliver/outcomes.h"
#include "outbound/http.h"

/* What a delivering process works with. */
struct deliverer {
    struct task_run *run;
    struct http_client *client;
    struct merchant_slots *merchants;
    struct outcomes *outcomes;
    struct sendings *sendings;
    struct endpoint_tests *tests;
    bool tests_ended;            /* tests of endpoints have outcomes that are not recorded */
    bool leases, records;        /* a task is at it, and may wait for the database */
    bool leases_rest;            /* no leasing may begin */
    struct task_queue leasing;   /* the task that leases, while it waits */
    struct task_queue recording; /* the one that records */
    duration record_at;          /* until when it waits */
};

/* Keeps the loop's client going: to be called once, before anything is sent. */
void send_begin(struct deliverer *deliverer);

/* Sends as many as may be in flight of those that wait, and keeps the outcome of those that cannot be sent. */
void send_waiting(struct deliverer *deliverer);

/* How long until outcomes are to be recorded. */
duration send_time_to_record(const struct deliverer *deliverer);

#endif
