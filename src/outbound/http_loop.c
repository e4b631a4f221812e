#include "outbound/http_loop.h"

#include "base/loop/loop.h"
#include "base/memory.h"

/* A descriptor that the library wants to be told of. */
struct descriptor {
    struct watch watch;
    struct http_loop *loop;
    uint32_t came; /* and not told yet */
    struct descriptor *next;
};

struct http_loop {
    CURLM *multi;
    struct task *waiting;
    duration due; /* when the library wants to be called in any case */
    struct descriptor *descriptors;
};

static void note(struct watch *watch, uint32_t events) {
    struct descriptor *descriptor = (struct descriptor *)((char *)watch - offsetof(struct descriptor, watch));
    descriptor->came = events;
    if (descriptor->loop->waiting != NULL) {
        task_wake(descriptor->loop->waiting);
    }
}

static void forget(struct http_loop *loop, struct descriptor *descriptor) {
    struct descriptor **link = &loop->descriptors;
    while (*link != descriptor) {
        link = &(*link)->next;
    }
    *link = descriptor->next;
    watch_end(&descriptor->watch);
    free(descriptor);
}

static struct descriptor *add(struct http_loop *loop, curl_socket_t fd, uint32_t events) {
    struct descriptor *descriptor = memory_zeroed(1, sizeof *descriptor);
    *descriptor = (struct descriptor){.watch = {fd, note}, .loop = loop, .next = loop->descriptors};
    loop->descriptors = descriptor;
    if (!watch_begin(&descriptor->watch, events) || curl_multi_assign(loop->multi, fd, descriptor) != CURLM_OK) {
        abort();
    }
    return descriptor;
}

/* The library says what it waits for. The two types are those that it declares. */
static int watch_descriptor(CURL *easy, curl_socket_t fd, int what, void *of_loop, void *of_descriptor) {
    struct http_loop *loop = of_loop;
    struct descriptor *descriptor = of_descriptor;
    uint32_t events = ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (descriptor != NULL) {
            forget(loop, descriptor);
        }
    } else if (descriptor == NULL) {
        (void)add(loop, fd, events);
    } else if (!watch_change(&descriptor->watch, events)) {
        abort();
    }
    return 0;
}

static int set_due(CURLM *multi, long milliseconds, void *of_loop) {
    struct http_loop *loop = of_loop;
    (void)multi;
    loop->due = milliseconds < 0 ? INT64_MAX : clock_monotonic() + milliseconds * MILLISECOND;
    return 0;
}

struct http_loop *http_loop_begin(CURLM *multi) {
    if (!loop_is_open()) {
        return NULL;
    }
    struct http_loop *loop = memory_zeroed(1, sizeof *loop);
    *loop = (struct http_loop){.multi = multi, .due = INT64_MAX};
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_descriptor);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_due);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, loop);
    return loop;
}

void http_loop_end(struct http_loop *loop) {
    while (loop != NULL && loop->descriptors != NULL) {
        forget(loop, loop->descriptors);
    }
    free(loop);
}

static void go_on(struct http_loop *loop, curl_socket_t fd, int events) {
    int left;
    if (curl_multi_socket_action(loop->multi, fd, events, &left) != CURLM_OK) {
        abort();
    }
}

static int bits_of(uint32_t events) {
    return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
           ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
}

/* Each call may end descriptors, so the list is looked at anew after it. */
static void tell(struct http_loop *loop) {
    struct descriptor *descriptor = loop->descriptors;
    while (descriptor != NULL) {
        uint32_t came = descriptor->came;
        descriptor->came = 0;
        if (came != 0) {
            go_on(loop, descriptor->watch.fd, bits_of(came));
        }
        descriptor = came != 0 ? loop->descriptors : descriptor->next;
    }
}

void http_loop_wait(struct http_loop *loop, duration until) {
    loop->waiting = task_running();
    (void)task_pause(loop->due < until ? loop->due : until); /* the descriptors and the clock tell */
    loop->waiting = NULL;
    if (clock_monotonic() >= loop->due) {
        loop->due = INT64_MAX;
        go_on(loop, CURL_SOCKET_TIMEOUT, 0);
    }
    tell(loop);
}
