#include "outbound/http_loop.h"

#include "base/loop/loop.h"
#include "base/memory.h"

/* A descriptor that the library waits for. */
struct descriptor {
    struct watch watch;
    struct http_loop *loop;
    struct descriptor *next;
};

struct http_loop {
    CURLM *multi;
    struct timer timer; /* when to call the library even if no descriptor is ready */
    struct descriptor *descriptors;
    void (*went_on)(void *client);
    void *client;
};

static void continue_transfers(struct http_loop *loop, curl_socket_t fd, int events) {
    int left;
    if (curl_multi_socket_action(loop->multi, fd, events, &left) != CURLM_OK) {
        abort();
    }
    loop->went_on(loop->client);
}

static int bits_of(uint32_t events) {
    return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
           ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
}

static void descriptor_ready(struct watch *watch, uint32_t events) {
    struct descriptor *descriptor = OWNER_OF(watch, struct descriptor, watch);
    continue_transfers(descriptor->loop, watch->fd, bits_of(events));
}

static void timer_expired(struct timer *timer) {
    continue_transfers(OWNER_OF(timer, struct http_loop, timer), CURL_SOCKET_TIMEOUT, 0);
}

static void remove_descriptor(struct http_loop *loop, struct descriptor *descriptor) {
    struct descriptor **link = &loop->descriptors;
    while (*link != descriptor) {
        link = &(*link)->next;
    }
    *link = descriptor->next;
    watch_end(&descriptor->watch);
    free(descriptor);
}

static struct descriptor *add_descriptor(struct http_loop *loop, curl_socket_t fd, uint32_t events) {
    struct descriptor *descriptor = memory_zeroed(1, sizeof *descriptor);
    *descriptor = (struct descriptor){.watch = {fd, descriptor_ready}, .loop = loop, .next = loop->descriptors};
    loop->descriptors = descriptor;
    if (!watch_begin(&descriptor->watch, events) || curl_multi_assign(loop->multi, fd, descriptor) != CURLM_OK) {
        abort();
    }
    return descriptor;
}

/* Called by the library, which declares the two types, when it waits for other events. */
static int watch_descriptor(CURL *easy, curl_socket_t fd, int what, void *of_loop, void *of_descriptor) {
    struct http_loop *loop = of_loop;
    struct descriptor *descriptor = of_descriptor;
    uint32_t events = ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (descriptor != NULL) {
            remove_descriptor(loop, descriptor);
        }
    } else if (descriptor == NULL) {
        (void)add_descriptor(loop, fd, events);
    } else if (!watch_change(&descriptor->watch, events)) {
        abort();
    }
    return 0;
}

static int set_due(CURLM *multi, long milliseconds, void *of_loop) {
    struct http_loop *loop = of_loop;
    (void)multi;
    timer_set(&loop->timer, milliseconds < 0 ? INT64_MAX : clock_monotonic() + milliseconds * MILLISECOND);
    return 0;
}

struct http_loop *http_loop_begin(CURLM *multi, void (*went_on)(void *client), void *client) {
    struct http_loop *loop = memory_zeroed(1, sizeof *loop);
    *loop = (struct http_loop){.multi = multi, .timer.due = timer_expired, .went_on = went_on, .client = client};
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_descriptor);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_due);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, loop);
    return loop;
}

void http_loop_end(struct http_loop *loop) {
    while (loop->descriptors != NULL) {
        remove_descriptor(loop, loop->descriptors);
    }
    timer_clear(&loop->timer);
    free(loop);
}
