#include "base/loop/task.h"

#include "base/loop/timer.h"
#include "base/memory.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Only the used pages of a stack take memory. The page below is protected, so an overflow ends the process. */
enum { STACK_BYTES = 256 * 1024, IDLE_MAX = 256 };

struct task {
    ucontext_t context; /* saved while the task does not run */
    char *stack;
    void (*run)(void *of);
    void *of;
    struct timer timer;
    bool is_ready, was_woken, has_ended;
    struct task *next;         /* in the list of ready or of idle tasks */
    struct task *next_waiting; /* in the queue that it waits in */
};

static struct task_queue ready; /* linked by `next` */
static struct task *idle;       /* ended tasks, to be used again */
static size_t idle_count, count;
static _Thread_local struct task *running;
static _Thread_local ucontext_t loop; /* saved while a task runs */

static void make_ready(struct task *task) {
    if (task->is_ready) {
        return;
    }
    task->is_ready = true;
    task->next = NULL;
    *(ready.first == NULL ? &ready.first : &ready.last->next) = task;
    ready.last = task;
}

static void time_is_up(struct timer *timer) {
    make_ready(OWNER_OF(timer, struct task, timer));
}

static void switch_context(ucontext_t *from, const ucontext_t *to) {
    if (swapcontext(from, to) != 0) {
        abort();
    }
}

/* One stack runs many tasks, one after the other. */
static void live(void) {
    struct task *task = running;
    for (;;) {
        task->run(task->of);
        task->has_ended = true;
        switch_context(&task->context, &loop);
    }
}

static size_t guard_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static struct task *make_task(void) {
    struct task *task = memory_zeroed(1, sizeof *task);
    char *stack = mmap(NULL, guard_bytes() + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, guard_bytes(), PROT_NONE) != 0 || getcontext(&task->context) != 0) {
        abort();
    }
    task->stack = stack;
    task->context.uc_stack.ss_sp = stack + guard_bytes();
    task->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&task->context, live, 0);
    task->timer.due = time_is_up;
    return task;
}

static void free_task(struct task *task) {
    munmap(task->stack, guard_bytes() + STACK_BYTES);
    free(task);
}

static void put_away(struct task *task) {
    count--;
    if (idle_count == IDLE_MAX) {
        free_task(task);
        return;
    }
    task->next = idle;
    idle = task;
    idle_count++;
}

static void resume(struct task *task) {
    running = task;
    switch_context(&loop, &task->context);
    running = NULL;
    if (task->has_ended) {
        put_away(task);
    }
}

void task_start(void (*run)(void *), void *of) {
    struct task *task = idle;
    if (task == NULL) {
        task = make_task();
    } else {
        idle = task->next;
        idle_count--;
    }
    count++;
    task->run = run;
    task->of = of;
    task->has_ended = false;
    if (running != NULL) {
        make_ready(task);
    } else {
        resume(task);
    }
}

struct task *task_running(void) {
    return running;
}

size_t tasks_count(void) {
    return count;
}

bool task_pause(duration until) {
    struct task *task = running;
    task->was_woken = false;
    timer_set(&task->timer, until);
    switch_context(&task->context, &loop);
    timer_clear(&task->timer);
    return task->was_woken;
}

void task_wake(struct task *task) {
    task->was_woken = true;
    make_ready(task);
}

void task_sleep(duration wait) {
    (void)task_pause(clock_monotonic() + wait); /* always a time-out, because no one can wake it */
}

static void leave(struct task_queue *queue, struct task *task) {
    struct task **link = &queue->first, *before = NULL;
    while (*link != NULL && *link != task) {
        before = *link;
        link = &before->next_waiting;
    }
    if (*link == task) {
        *link = task->next_waiting;
        queue->last = queue->last == task ? before : queue->last;
    }
}

bool task_wait(struct task_queue *queue, duration until) {
    struct task *task = running;
    task->next_waiting = NULL;
    *(queue->first == NULL ? &queue->first : &queue->last->next_waiting) = task;
    queue->last = task;
    bool woken = task_pause(until);
    if (!woken) {
        leave(queue, task);
    }
    return woken;
}

void task_wake_first(struct task_queue *queue) {
    struct task *task = queue->first;
    if (task != NULL) {
        queue->first = task->next_waiting;
        task_wake(task);
    }
}

void task_wake_all(struct task_queue *queue) {
    while (queue->first != NULL) {
        task_wake_first(queue);
    }
}

void tasks_run(void) {
    while (ready.first != NULL) {
        struct task *task = ready.first;
        ready.first = task->next;
        task->is_ready = false;
        resume(task);
    }
}

void tasks_release(void) {
    while (idle != NULL) {
        struct task *task = idle;
        idle = task->next;
        free_task(task);
    }
    idle_count = 0;
}
