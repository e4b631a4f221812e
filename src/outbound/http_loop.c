#include "outbound/http_loop.h"

#include "base/loop/loop.h"
#include "base/memory.h"
#include "outbound/http_transfer.h"

/* A descriptor that the library waits for. */
struct descriptor {
    struct watch watch;
    struct http_loop *loop;
    struct descriptor *next;
    bool is_connecting; /* or cannot be written to */
};

struct http_loop {
    CURLM *multi;
    struct timer timer; /* when to call the library even if no descriptor is ready */
    struct timer nudge; /* when to call it for all transfers, once it has given up a connection; see HTTP_NUDGE */
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

/* The other functions continue only transfers whose descriptor is ready or whose time has come. */
static void nudge_transfers(struct timer *nudge) {
    struct http_loop *loop = OWNER_OF(nudge, struct http_loop, nudge);
    int left;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* because it is slow, which does not matter here */
    if (curl_multi_socket_all(loop->multi, &left) != CURLM_OK) {
        abort();
    }
#pragma GCC diagnostic pop
    loop->went_on(loop->client);
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

static void give_up_descriptor(struct http_loop *loop, struct descriptor *descriptor) {
    if (descriptor->is_connecting && loop->nudge.place == 0) {
        timer_set(&loop->nudge, clock_monotonic() + HTTP_NUDGE);
    }
    remove_descriptor(loop, descriptor);
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
            give_up_descriptor(loop, descriptor);
        }
        return 0;
    }
    if (descriptor == NULL) {
        descriptor = add_descriptor(loop, fd, events);
    } else if (!watch_change(&descriptor->watch, events)) {
        abort();
    }
    descriptor->is_connecting = (events & EPOLLOUT) != 0;
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
    *loop = (struct http_loop){
        .multi = multi, .timer.due = timer_expired, .nudge.due = nudge_transfers, .went_on = went_on, .client = client};
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
    timer_clear(&loop->nudge);
    free(loop);
}
