/*
 * Tasks: cooperative threads that share one system thread. Each has a stack of its own (a context of the C library) and
 * runs until it waits; then the loop (base/loop/loop.h) runs others. So a request is written sequentially, as if it had
 * a thread, and no other task runs between two of its waits.
 *
 * A lock must not be held over a wait: another task that takes it would block them all.
 */
#ifndef RECAUDO_BASE_LOOP_TASK_H
#define RECAUDO_BASE_LOOP_TASK_H

#include "base/clock.h"

struct task;

/* Tasks that wait for the same event, in order of arrival. All zero at first. */
struct task_queue {
    struct task *first, *last;
};

/* Starts a task. From the loop, it runs at once until its first wait; from another task, it runs after that task
 * waits. */
void task_start(void (*run)(void *of), void *of);

/* Returns the running task; NULL: the caller runs on no task, and may block the thread. */
struct task *task_running(void);

/* For tests: returns how many tasks have begun and not ended. */
size_t tasks_count(void);

/* Waits until task_wake, or until `until` of clock_monotonic (INT64_MAX: no limit). Returns false on a time-out. Only
 * on a task, like the two functions below. */
bool task_pause(duration until);
void task_wake(struct task *task);

void task_sleep(duration wait);

/* Waits until woken as the first of the queue, or until `until`. Returns false on a time-out. */
bool task_wait(struct task_queue *queue, duration until);

/* Wake the task that has waited for longest, if any, or all. From the loop or a task. */
void task_wake_first(struct task_queue *queue);
void task_wake_all(struct task_queue *queue);

/* Runs the woken tasks, and those that they wake, until all wait. For the loop. */
void tasks_run(void);

/* Frees the stacks of ended tasks. */
void tasks_release(void);

#endif
