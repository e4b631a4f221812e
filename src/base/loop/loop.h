/*
 * The loop of a process waits for descriptors and timers, and runs the tasks that wait for them. A process has one
 * loop, in one thread.
 */
#ifndef RECAUDO_BASE_LOOP_LOOP_H
#define RECAUDO_BASE_LOOP_LOOP_H

#include "base/loop/task.h"
#include "base/loop/timer.h"

#include <sys/epoll.h>

/* Creates the loop. Returns false and sets errno on failure. */
MUST_USE bool loop_open(void);

/* Closes the loop. No task may be left. */
void loop_close(void);

bool loop_is_open(void);

/* Turns until the value is true. Not from a task. */
void loop_run_until(const bool *is_so);

/* Waits once, at most `longest`, and runs what became ready or due. Returns the number of ready descriptors. */
size_t loop_turn(duration longest);

/* Returns how long the loop has been working so far, without its waits. */
duration loop_worked(void);

/* A descriptor watched by the loop. In the owner's memory; the loop calls `ready` with the events (EPOLL...). */
struct watch {
    int fd;
    void (*ready)(struct watch *watch, uint32_t events);
};

/* Starts watching. `events` as for epoll_ctl(2). Returns false and sets errno on failure. */
MUST_USE bool watch_begin(struct watch *watch, uint32_t events);
MUST_USE bool watch_change(struct watch *watch, uint32_t events);

/* Starts watching again, as the last of the processes. With EPOLLEXCLUSIVE the kernel wakes the process that has
 * watched for longest, so one process would get all events. On failure, returns false and sets errno; the descriptor is
 * no longer watched. */
MUST_USE bool watch_to_the_end(struct watch *watch, uint32_t events);

/* Stops watching: `ready` is not called any more. Call it before the descriptor is closed. */
void watch_end(struct watch *watch);

/*
 * A connected socket on which one task at a time waits repeatedly. A task must try to read or write first, and wait
 * only after EAGAIN: events that came before it waits are not reported (edge-triggered).
 */
struct task_socket {
    struct watch watch;
    struct task *waiting;
    uint32_t wanted, ready; /* EPOLLIN etc. */
};

MUST_USE bool task_socket_begin(struct task_socket *socket, int fd);
void task_socket_end(struct task_socket *socket);

/* Waits for EPOLLIN or EPOLLOUT until `until` at most. Returns the events, including EPOLLERR and EPOLLHUP; 0 on a
 * time-out. */
uint32_t task_socket_wait(struct task_socket *socket, uint32_t events, duration until);

/* Waits once for a descriptor that the loop does not watch otherwise. Returns like task_socket_wait. */
uint32_t task_wait_for_fd(int fd, uint32_t events, duration until);

/*
 * Runs blocking work in a thread of its own, where task_running() is NULL, and waits until it has ended. Only on a
 * task. Returns false if no thread can be created; the work has then not run.
 */
MUST_USE bool task_run_apart(void (*work)(void *of), void *of);

#endif
