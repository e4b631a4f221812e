/*
 * The loop of a process: it waits for descriptors and timers, and runs the tasks that wait for them. One a process, in
 * one thread.
 */
#ifndef RECAUDO_BASE_LOOP_LOOP_H
#define RECAUDO_BASE_LOOP_LOOP_H

#include "base/loop/task.h"
#include "base/loop/timer.h"

#include <sys/epoll.h>

/* Makes the loop. False: errno says why. */
MUST_USE bool loop_open(void);

/* No task may be left. */
void loop_close(void);

bool loop_is_open(void);

/* Turns until it is true. Not from a task. */
void loop_run_until(const bool *is_so);

/* Waits once, for `longest` at most, and runs what that brings. Returns how many descriptors had something to tell. */
size_t loop_turn(duration longest);

/* How long the loop has been at work so far, and not waiting. */
duration loop_worked(void);

/* A descriptor that the loop looks after. The owner's memory; `ready` is called with what has come (EPOLL...). */
struct watch {
    int fd;
    void (*ready)(struct watch *watch, uint32_t events);
};

/* `events` as epoll_ctl(2) takes them. False: errno says why. */
MUST_USE bool watch_begin(struct watch *watch, uint32_t events);
MUST_USE bool watch_change(struct watch *watch, uint32_t events);

/* With EPOLLEXCLUSIVE the kernel wakes the process that has watched for longest, so one would get all: after what it
 * got, it goes to the end of the row. False: it is not watched any more; errno says why. */
MUST_USE bool watch_to_the_end(struct watch *watch, uint32_t events);

/* `ready` is not called any more. Before the descriptor is closed. */
void watch_end(struct watch *watch);

/*
 * A connected socket that one task at a time waits for, over and over again. The task tries first, and waits only when
 * there was nothing (EAGAIN): what came before it waits is not told.
 */
struct task_socket {
    struct watch watch;
    struct task *waiting;
    uint32_t wanted, ready; /* EPOLLIN etc. */
};

MUST_USE bool task_socket_begin(struct task_socket *socket, int fd);
void task_socket_end(struct task_socket *socket);

/* Waits for EPOLLIN or EPOLLOUT until that moment at most. Returns what has come, EPOLLERR and EPOLLHUP too; 0: the
 * time is up. */
uint32_t task_socket_wait(struct task_socket *socket, uint32_t events, duration until);

/* The same for a descriptor that is waited for once. */
uint32_t task_wait_for_fd(int fd, uint32_t events, duration until);

/*
 * Runs what blocks in a thread of its own, where task_running() is NULL, and waits until it has ended. Only on a task.
 * False: there can be no more threads, and it has not run.
 */
MUST_USE bool task_run_apart(void (*work)(void *of), void *of);

#endif
