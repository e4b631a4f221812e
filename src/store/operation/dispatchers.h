/* Processes of the dispatcher and their heartbeat. */
#ifndef RECAUDO_STORE_OPERATION_DISPATCHERS_H
#define RECAUDO_STORE_OPERATION_DISPATCHERS_H

#include "base/text.h"
#include "store/db/connection.h"

/* Size of a host's name with the NUL at the end. The tables keep no longer ones. */
enum { HOST_NAME_SIZE = 65 };

/* The task of a dispatcher's process. Each has its own database account. */
enum dispatch_task { TASK_SETTLE, TASK_DELIVER, TASK_COUNT };

/* Returns "settle" or "deliver", as in dispatchers.task. */
struct text task_name(enum dispatch_task task);

/* A process that starts. */
struct dispatcher_start {
    struct text host;
    uint64_t pid;
    enum dispatch_task task;
};
/* Records the start, and deletes rows of processes last seen over a week ago. *id: the new row's. */
enum status dispatchers_begin(struct connection *connection, const struct dispatcher_start *start, uint64_t *id);

/* Records that the process is alive and has `in_flight` notifications in flight. */
enum status dispatchers_beat(struct connection *connection, uint64_t id, uint64_t in_flight);

/* Totals of what dispatchers have done. */
struct dispatcher_counts {
    uint64_t finalised, expired, delivered, to_be_tried_again, exhausted;
};

/* Adds to the totals of this host's dispatchers. */
enum status dispatchers_add(struct connection *connection, struct text host, const struct dispatcher_counts *counts);

/* Records that the process ends by itself. */
enum status dispatchers_end(struct connection *connection, uint64_t id);

#endif
