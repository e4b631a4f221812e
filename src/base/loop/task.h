/*
 * Tasks: what runs beside other tasks in one thread. Each has a stack of its own (a context of the C library) and runs
 * until it waits; then the loop (base/loop/loop.h) runs others. So a request is written from top to bottom, as if it
 * had a thread, and nothing happens between two of its waits.
 *
 * A lock must not be held over a wait: nobody else would get it.
 */
#ifndef RECAUDO_BASE_LOOP_TASK_H
#define RECAUDO_BASE_LOOP_TASK_H

#include "base/clock.h"

struct task;

/* Tasks that wait for the same thing, in the order in which they came. All zero at first. */
struct task_queue {
    struct task *first, *last;
};

/* Begins a task: from the loop at once, until it first waits; from another task as soon as that waits. */
void task_start(void (*run)(void *of), void *of);

/* The task that runs; NULL: the caller runs on none, and may block the thread. */
struct task *task_running(void);

/* For tests: how many have begun and not ended. */
size_t tasks_count(void);

/* Waits until task_wake, at most until that moment of clock_monotonic (INT64_MAX: without end). False: the time is
 * up. Only on a task, as are the two below. */
bool task_pause(duration until);
void task_wake(struct task *task);

void task_sleep(duration wait);

/* Waits until it is woken as the first of the queue, at most until that moment. False: the time is up. */
bool task_wait(struct task_queue *queue, duration until);

/* Wakes the one that has waited for longest, if there is one; all. From the loop or a task. */
void task_wake_first(struct task_queue *queue);
void task_wake_all(struct task_queue *queue);

/* Runs those that were woken, and those that they wake, until all wait. For the loop. */
void tasks_run(void);

/* Gives back the stacks of tasks that have ended. */
void tasks_release(void);

#endif
