#include "bench/load/load_client.h"

#include "bench/common/fail.h"
#include "bench/common/monotonic.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 256, LOOK_ROUND_MS = 100 };

/* At a fixed rate, starts that were due before the deadline are still sent so long after it, in nanoseconds. */
#define LATE_STARTS (NANOSECONDS_PER_SECOND / 10)

struct lane {
    struct link link;
    struct subject subject;
    bool busy;
    uint64_t intended;   /* when the request was meant to start: latency counts from here */
    uint64_t flow_start; /* when its flow was meant to start */
    uint64_t sent_at;
};

struct client {
    struct plan *plan;
    const struct load_options *options;
    const struct address *address;
    struct request_maker *maker;
    struct tally *tally;
    struct lane *lanes;
    struct lane **free; /* stack of lanes that wait for work */
    size_t lane_count;
    size_t free_count;
    size_t busy_count;
    int epoll;
    int timer;           /* wakes the loop for the next start at a fixed rate */
    uint64_t interval;   /* between starts at a fixed rate; 0: closed loop */
    uint64_t phase;      /* of the first of them, so that the threads' starts lie between each other */
    uint64_t next_start; /* at a fixed rate */
    uint64_t random;
    bool over; /* nothing new starts */
};

static bool attach(struct client *client, struct lane *lane) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = lane};
    return link_open(&lane->link, client->address) &&
           epoll_ctl(client->epoll, EPOLL_CTL_ADD, lane->link.fd, &event) == 0;
}

static void set_free(struct client *client, struct lane *lane) {
    client->free[client->free_count++] = lane;
}

static void record(struct client *client, const struct lane *lane, enum operation operation, uint64_t since,
                   uint64_t now) {
    if (lane->flow_start >= client->plan->measure_from) {
        client->tally->last_end = now;
        histogram_record(&client->tally->latency[operation], now - since);
    }
}

static void request(struct client *client, struct lane *lane);

/* After a right reply: the flow's next request, or the end of it. */
static void go_on(struct client *client, struct lane *lane, uint64_t now) {
    if (plan_continue(&lane->subject)) {
        lane->intended = now;
        request(client, lane);
        return;
    }
    if (client->plan->operation == OPERATION_FLOW) {
        record(client, lane, OPERATION_FLOW, lane->flow_start, now);
    }
    set_free(client, lane);
}

/* One request of the lane is over; `reply` is NULL if no whole one came, and then its connection is of no more use. A
 * lane that cannot connect is given no more work. */
static void conclude(struct client *client, struct lane *lane, const struct http_reply *reply, enum mismatch mismatch,
                     unsigned code) {
    uint64_t now = monotonic_now();
    lane->busy = false;
    client->busy_count--;
    tally_reply(client->tally, reply, &lane->subject, code, mismatch);
    if (mismatch == MISMATCH_NONE) {
        record(client, lane, lane->subject.operation, lane->intended, now);
        if (client->plan->operation == OPERATION_MIX) {
            record(client, lane, OPERATION_MIX, lane->intended, now);
        }
        go_on(client, lane, now);
        return;
    }
    if (reply == NULL) {
        link_close(&lane->link);
    }
    if (mismatch != MISMATCH_CONNECT) {
        set_free(client, lane);
    }
}

static void request(struct client *client, struct lane *lane) {
    struct link *link = &lane->link;
    lane->busy = true;
    client->busy_count++;
    link->out_length = request_make(client->maker, &lane->subject, link->out);
    if (link->fd < 0) {
        client->tally->reconnects++;
        if (!attach(client, lane)) {
            conclude(client, lane, NULL, MISMATCH_CONNECT, CODE_MISSING);
            return;
        }
    }
    lane->sent_at = monotonic_now();
    if (!link_send(link)) {
        conclude(client, lane, NULL, MISMATCH_CLOSED, CODE_MISSING);
    }
}

/* At a fixed rate, what has come due but found no free lane until the end was never sent. */
static void end_starts(struct client *client) {
    client->over = true;
    if (client->next_start < client->plan->deadline && client->interval > 0) {
        client->tally->unsent += (client->plan->deadline - client->next_start) / client->interval + 1;
    }
}

/* When the next request starts; false when nothing starts any more. */
static bool next_start(struct client *client, uint64_t now, uint64_t *start) {
    uint64_t deadline = client->plan->deadline;
    *start = client->interval > 0 ? client->next_start : now;
    uint64_t end = client->interval > 0 ? deadline + LATE_STARTS : deadline;
    if (!client->over && (*start >= deadline || now >= end)) {
        end_starts(client);
    }
    return !client->over;
}

/* Gives the lane its next request. False when none is due now, or ever. */
static bool assign(struct client *client, struct lane *lane, uint64_t now) {
    uint64_t start;
    if (!next_start(client, now, &start) || start > now) {
        return false;
    }
    if (!plan_next(client->plan, &client->random, &lane->subject)) {
        client->over = true;
        return false;
    }
    client->next_start += client->interval;
    lane->intended = lane->flow_start = start;
    return true;
}

static void dispatch(struct client *client) {
    while (client->free_count > 0) {
        struct lane *lane = client->free[client->free_count - 1];
        if (!assign(client, lane, monotonic_now())) {
            return;
        }
        client->free_count--;
        request(client, lane);
    }
}

static void take_reply(struct client *client, struct lane *lane) {
    struct http_reply reply;
    unsigned code = CODE_MISSING;
    switch (link_receive(&lane->link, &reply)) {
    case RECEIVED_PART:
        break;
    case RECEIVED_REPLY: {
        enum mismatch mismatch = check_reply(&reply, &lane->subject, &code);
        if (reply.close) {
            link_close(&lane->link);
        }
        conclude(client, lane, &reply, mismatch, code);
        break;
    }
    case RECEIVED_END:
        conclude(client, lane, NULL, MISMATCH_CLOSED, code);
        break;
    case RECEIVED_GARBAGE:
        conclude(client, lane, NULL, MISMATCH_FRAMING, code);
        break;
    }
}

static void handle(struct client *client, struct lane *lane, uint32_t events) {
    struct link *link = &lane->link;
    const uint32_t readable = EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    if (!lane->busy) {
        if ((events & readable) != 0) {
            link_close(link); /* the server does not keep it; the next request connects again */
        }
        return;
    }
    if ((events & EPOLLOUT) != 0 && !link_send_rest(link)) {
        conclude(client, lane, NULL, MISMATCH_CLOSED, CODE_MISSING);
    } else if ((events & readable) != 0) {
        take_reply(client, lane);
    }
}

static void expire(struct client *client, uint64_t now) {
    uint64_t patience = (uint64_t)(client->options->timeout * (double)NANOSECONDS_PER_SECOND);
    for (size_t i = 0; i < client->lane_count; i++) {
        struct lane *lane = &client->lanes[i];
        if (lane->busy && now > lane->sent_at + patience) {
            conclude(client, lane, NULL, MISMATCH_TIMEOUT, CODE_MISSING);
        }
    }
}

static void set_timer(const struct client *client) {
    if (client->interval > 0 && !client->over && client->free_count > 0) {
        struct itimerspec at = {.it_value = {.tv_sec = (time_t)(client->next_start / NANOSECONDS_PER_SECOND),
                                             .tv_nsec = (long)(client->next_start % NANOSECONDS_PER_SECOND)}};
        timerfd_settime(client->timer, TFD_TIMER_ABSTIME, &at, NULL);
    }
}

static bool has_work(const struct client *client) {
    return client->busy_count > 0 || (!client->over && client->free_count > 0);
}

void client_run(struct client *client) {
    struct epoll_event events[EVENTS_AT_ONCE];
    uint64_t looked_round = client->plan->start;
    client->next_start = client->plan->start + client->phase;
    dispatch(client);
    while (has_work(client)) {
        set_timer(client);
        int count = epoll_wait(client->epoll, events, EVENTS_AT_ONCE, LOOK_ROUND_MS);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr != NULL) {
                handle(client, events[i].data.ptr, events[i].events);
            }
        }
        uint64_t now = monotonic_now();
        if (now > looked_round + LOOK_ROUND_MS * UINT64_C(1000000)) {
            looked_round = now;
            expire(client, now);
        }
        dispatch(client);
    }
}

static void connect_lanes(struct client *client) {
    for (size_t i = 0; i < client->lane_count; i++) {
        struct lane *lane = &client->lanes[i];
        lane->link.fd = -1;
        if (!attach(client, lane)) {
            fail("%s:%s: %m", client->options->host, client->options->port);
        }
        set_free(client, lane);
    }
}

struct client *client_create(struct plan *plan, const struct load_options *options, const struct address *address,
                             unsigned number) {
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        fail("out of memory");
    }
    client->plan = plan;
    client->options = options;
    client->address = address;
    client->maker = request_maker_create(options);
    client->tally = tally_create();
    client->random = plan_random(plan, number);
    client->lane_count = options->connections / options->threads + (number < options->connections % options->threads);
    client->lanes = calloc(client->lane_count, sizeof *client->lanes);
    client->free = calloc(client->lane_count, sizeof(struct lane *));
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    client->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event wake = {.events = EPOLLIN | EPOLLET};
    if (client->lanes == NULL || client->free == NULL || client->epoll < 0 || client->timer < 0 ||
        epoll_ctl(client->epoll, EPOLL_CTL_ADD, client->timer, &wake) != 0) {
        fail("%m");
    }
    if (options->rate > 0) {
        client->interval = (uint64_t)((double)NANOSECONDS_PER_SECOND * (double)options->threads / options->rate);
        client->phase = client->interval / options->threads * number;
    }
    connect_lanes(client);
    return client;
}

const struct tally *client_tally(const struct client *client) {
    return client->tally;
}

void client_destroy(struct client *client) {
    for (size_t i = 0; i < client->lane_count; i++) {
        link_close(&client->lanes[i].link);
    }
    close(client->epoll);
    close(client->timer);
    request_maker_destroy(client->maker);
    free(client->lanes);
    free(client->free);
    free(client->tally);
    free(client);
}
