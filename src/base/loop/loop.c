#include "base/loop/loop.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EVENTS_MAX = 64 };

static struct {
    int epoll;
    struct epoll_event events[EVENTS_MAX];
    int count, next; /* of the events of the last wait: their number, and the next one to dispatch */
    duration worked;
} loop = {.epoll = -1};

bool loop_open(void) {
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    return loop.epoll >= 0;
}

void loop_close(void) {
    tasks_release();
    close(loop.epoll);
    loop.epoll = -1;
}

static int milliseconds(duration wait) {
    return wait <= 0 ? 0 : (int)((wait + MILLISECOND - 1) / MILLISECOND);
}

/* Runs the tasks woken by an event before it dispatches the next event, so that earlier events are finished first. */
static void dispatch_events(void) {
    while (loop.next < loop.count) {
        const struct epoll_event *event = &loop.events[loop.next++];
        struct watch *watch = event->data.ptr;
        if (watch != NULL) {
            watch->ready(watch, event->events);
            tasks_run();
        }
    }
}

size_t loop_turn(duration longest) {
    tasks_run();
    duration now = clock_monotonic(), next = timers_next();
    duration wait = next - now < longest ? next - now : longest;
    int count = epoll_wait(loop.epoll, loop.events, EVENTS_MAX, milliseconds(wait));
    loop.count = count < 0 ? 0 : count;
    loop.next = 0;
    duration woke_at = clock_monotonic();
    dispatch_events();
    timers_run(clock_monotonic());
    tasks_run();
    loop.worked += clock_monotonic() - woke_at;
    return (size_t)loop.count;
}

duration loop_worked(void) {
    return loop.worked;
}

bool loop_is_open(void) {
    return loop.epoll >= 0;
}

void loop_run_until(const bool *is_so) {
    tasks_run(); /* tasks woken from outside the loop */
    while (!*is_so) {
        (void)loop_turn(SECOND);
    }
}

static bool control(struct watch *watch, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = watch};
    return epoll_ctl(loop.epoll, operation, watch->fd, &event) == 0;
}

bool watch_begin(struct watch *watch, uint32_t events) {
    return control(watch, EPOLL_CTL_ADD, events);
}

bool watch_change(struct watch *watch, uint32_t events) {
    return control(watch, EPOLL_CTL_MOD, events);
}

void watch_end(struct watch *watch) {
    (void)control(watch, EPOLL_CTL_DEL, 0); /* fails if the descriptor was closed, and so is not watched any more */
    for (int i = loop.next; i < loop.count; i++) {
        if (loop.events[i].data.ptr == watch) {
            loop.events[i].data.ptr = NULL;
        }
    }
}

bool watch_to_the_end(struct watch *watch, uint32_t events) {
    watch_end(watch);
    return watch_begin(watch, events);
}

static void socket_ready(struct watch *watch, uint32_t events) {
    struct task_socket *socket = OWNER_OF(watch, struct task_socket, watch);
    if (socket->waiting != NULL && (events & (socket->wanted | EPOLLERR | EPOLLHUP)) != 0) {
        socket->ready = events;
        task_wake(socket->waiting);
        socket->waiting = NULL;
    }
}

bool task_socket_begin(struct task_socket *socket, int fd) {
    *socket = (struct task_socket){.watch = {fd, socket_ready}};
    return watch_begin(&socket->watch, EPOLLIN | EPOLLET);
}

void task_socket_end(struct task_socket *socket) {
    watch_end(&socket->watch);
}

static uint32_t wait_for_events(struct task_socket *socket, uint32_t events, duration until) {
    socket->wanted = events;
    socket->ready = 0;
    socket->waiting = task_running();
    (void)task_pause(until); /* `ready` has the outcome */
    socket->waiting = NULL;
    return socket->ready;
}

/* Watches for EPOLLOUT only during such a wait; otherwise it would be reported whenever the peer has read. */
uint32_t task_socket_wait(struct task_socket *socket, uint32_t events, duration until) {
    bool writes = (events & EPOLLOUT) != 0;
    if (writes && !watch_change(&socket->watch, EPOLLIN | EPOLLOUT | EPOLLET)) {
        return EPOLLERR;
    }
    uint32_t ready = wait_for_events(socket, events, until);
    if (writes && !watch_change(&socket->watch, EPOLLIN | EPOLLET)) {
        return EPOLLERR;
    }
    return ready;
}

uint32_t task_wait_for_fd(int fd, uint32_t events, duration until) {
    struct task_socket socket = {.watch = {fd, socket_ready}};
    if (!watch_begin(&socket.watch, events)) {
        return EPOLLERR;
    }
    uint32_t ready = wait_for_events(&socket, events, until);
    watch_end(&socket.watch);
    return ready;
}

struct apart {
    void (*work)(void *of);
    void *of;
    int has_ended; /* an eventfd */
};

static void *run_apart(void *of_apart) {
    const struct apart *apart = of_apart;
    apart->work(apart->of);
    (void)eventfd_write(apart->has_ended, 1);
    return NULL;
}

/* The join takes only the last instructions of the thread. */
bool task_run_apart(void (*work)(void *), void *of) {
    struct apart apart = {work, of, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_t thread;
    bool begun = apart.has_ended >= 0 && pthread_create(&thread, NULL, run_apart, &apart) == 0;
    if (begun) {
        (void)task_wait_for_fd(apart.has_ended, EPOLLIN, INT64_MAX);
        pthread_join(thread, NULL);
    }
    if (apart.has_ended >= 0) {
        close(apart.has_ended);
    }
    return begun;
}
