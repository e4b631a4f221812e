/* Processes of the dispatcher and their heartbeat. */
#ifndef RECAUDO_STORE_OPERATION_DISPATCHERS_H
#define RECAUDO_STORE_OPERATION_DISPATCHERS_H

#include "base/text.h"
#include "store/db/connection.h"

/* What a process of the dispatcher does. Each has a database account of its own. */
enum dispatch_task { TASK_SETTLE, TASK_DELIVER, TASK_COUNT };

/* "settle", "deliver": as dispatchers.task has it. */
struct text task_name(enum dispatch_task task);

/* Notes that a process begins, and forgets those that were last seen a week ago. */
struct dispatcher_start {
    struct text host;
    uint64_t pid;
    enum dispatch_task task;
};
/* *id: the number of its row. */
enum status dispatchers_begin(struct connection *connection, const struct dispatcher_start *start, uint64_t *id);

/* It is alive and has `in_flight` notifications in hand. */
enum status dispatchers_beat(struct connection *connection, uint64_t id, uint64_t in_flight);

/* What dispatchers have done. */
struct dispatcher_counts {
    uint64_t finalised, expired, delivered, to_be_tried_again, exhausted;
};

/* Adds to what the dispatchers of this host have done so far. */
enum status dispatchers_add(struct connection *connection, struct text host, const struct dispatcher_counts *counts);

/* It leaves by itself. */
enum status dispatchers_end(struct connection *connection, uint64_t id);

#endif
