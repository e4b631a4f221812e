#include "query/link.h"

#include "base/log.h"
#include "base/memory.h"
#include "outbound/query/query_message.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

struct link {
    struct watch watch;
    struct asker *asker;
    struct task *task;
    struct link *next, **back; /* in asker->links */
    bool is_busy;              /* a message is unanswered, or the end of an answered query has not come */
    bool is_ending;            /* another needs its place: close it once it is idle */
    duration idle_since;
};

static void link_ready(struct watch *watch, uint32_t events) {
    struct link *link = OWNER_OF(watch, struct link, watch);
    (void)events; /* recv reports errors */
    if (link->task != NULL) {
        task_wake(link->task);
    }
}

/*
 * Returns whether the worker is still there. It sends nothing before it has its reply, so readable input means that it
 * left.
 */
static bool is_there(void *of_link) {
    const struct link *link = of_link;
    char byte;
    return recv(link->watch.fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/*
 * Waits for the next message. False: it is malformed, the worker has left, or the idle link must close because the
 * asker leaves or needs its place.
 */
static bool next_message(struct link *link, struct arena *arena, struct query_message *out) {
    static char packet[QUERY_MESSAGE_MAX];
    ssize_t size;
    while ((size = recv(link->watch.fd, packet, sizeof packet, MSG_DONTWAIT)) < 0 && errno == EAGAIN) {
        if ((link->asker->is_leaving || link->is_ending) && !link->is_busy) {
            return false;
        }
        (void)task_pause(INT64_MAX);
    }
    return size > 0 && query_message_read(arena_copy(arena, (struct text){packet, (size_t)size}), out);
}

static bool send_reply(const struct link *link, const struct query_reply *reply, struct arena *arena) {
    struct text packet = query_reply_write(reply, arena);
    return send(link->watch.fd, packet.at, packet.size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)packet.size;
}

/* Lets the links that share a query see its new state. */
static void wake_busy(const struct asker *asker) {
    for (const struct link *link = asker->links; link != NULL; link = link->next) {
        if (link->is_busy && link->task != task_running()) {
            task_wake(link->task);
        }
    }
}

/* Waits until the worker has stored the answer and sends the outcome. False: the worker died before. */
static bool await_end(struct link *link, struct arena *arena, unsigned *outcome) {
    struct query_message message;
    bool told = next_message(link, arena, &message) && message.kind == QUERY_END;
    *outcome = told ? message.outcome : 0;
    return told;
}

/* Gives the query up for lack of files. Lookups that share it get QUERY_LOST too. False: the link is unusable. */
static bool give_query_up(struct link *link, const struct query_handle *handle, struct arena *arena) {
    log_line(LOG_ERROR, "merchants cannot be asked: this process may open no more files");
    query_limiter_leave(link->asker->limiter, handle);
    wake_busy(link->asker);
    return send_reply(link, &(struct query_reply){.kind = QUERY_LOST}, arena);
}

/* False: the link is unusable. */
static bool ask_merchant(struct link *link, const struct query_message *message, const struct query_handle *handle,
                         struct arena *arena) {
    struct asker *asker = link->asker;
    const struct http_asker worker = {is_there, link};
    struct query_reply reply = {.kind = QUERY_ASKED};
    struct terms *terms = terms_use(asker->terms);
    unsigned outcome;
    bool told = http_perform_for(terms->client, &worker, &message->request, arena, &reply.reply);
    terms_leave(terms);
    if (told && reply.reply.error == HTTP_FILES) {
        return give_query_up(link, handle, arena);
    }
    if (told) {
        reply.rests = query_limiter_answered(asker->limiter, handle, http_reply_is_failure(&reply.reply));
        told = send_reply(link, &reply, arena) && await_end(link, arena, &outcome);
    }
    if (told) {
        query_limiter_end(asker->limiter, handle, outcome);
    } else {
        query_limiter_leave(asker->limiter, handle);
    }
    wake_busy(asker);
    return told;
}

static bool share(struct link *link, const struct query_message *message, const struct query_handle *handle,
                  struct arena *arena) {
    struct asker *asker = link->asker;
    duration until = clock_monotonic() + message->request.timeout + QUERY_TIME_TO_STORE;
    struct query_reply reply = {.kind = QUERY_LOST};
    enum limiter_shared state;
    while ((state = query_limiter_look(asker->limiter, handle, &reply.outcome)) == SHARED_RUNS && is_there(link) &&
           clock_monotonic() < until) {
        (void)task_pause(until);
    }
    query_limiter_leave(asker->limiter, handle);
    reply.kind = state == SHARED_TOLD ? QUERY_SHARED : QUERY_LOST;
    return send_reply(link, &reply, arena);
}

static bool answer_ask(struct link *link, const struct query_message *message, struct arena *arena) {
    struct query_handle handle;
    switch (query_limiter_enter(link->asker->limiter, &message->query, &handle)) {
    case LIMITER_ASK:
        return ask_merchant(link, message, &handle, arena);
    case LIMITER_SHARE:
        return share(link, message, &handle, arena);
    case LIMITER_FULL:
        return send_reply(link, &(struct query_reply){.kind = QUERY_FULL}, arena);
    case LIMITER_RESTING:
        break;
    }
    return send_reply(link, &(struct query_reply){.kind = QUERY_RESTS}, arena);
}

static bool answer_message(struct link *link, const struct query_message *message, struct arena *arena) {
    switch (message->kind) {
    case QUERY_ASK:
        return answer_ask(link, message, arena);
    case QUERY_USE: {
        const struct query_reply reply = {.kind = QUERY_IN_USE,
                                          .use = query_limiter_use(link->asker->limiter),
                                          .reload_refused = link->asker->reload_refused};
        return send_reply(link, &reply, arena);
    }
    case QUERY_END:
        break;
    }
    return false;
}

static void end_link(struct link *link) {
    watch_end(&link->watch);
    close(link->watch.fd);
    link->asker->link_count--;
    *link->back = link->next;
    if (link->next != NULL) {
        link->next->back = link->back;
    }
    free(link);
}

static void serve_link(void *of_link) {
    struct link *link = of_link;
    struct arena *arena = arena_create();
    struct query_message message;
    bool goes_on = true;
    link->task = task_running();
    while (goes_on && next_message(link, arena, &message)) {
        link->is_busy = true;
        goes_on = answer_message(link, &message, arena);
        link->is_busy = false;
        link->idle_since = clock_monotonic();
        arena_reset(arena);
    }
    arena_destroy(arena);
    end_link(link);
}

static struct link *idle_longest(const struct asker *asker) {
    struct link *found = NULL;
    for (struct link *link = asker->links; link != NULL; link = link->next) {
        bool is_idle = !link->is_busy && !link->is_ending && link->task != NULL;
        if (is_idle && (found == NULL || link->idle_since < found->idle_since)) {
            found = link;
        }
    }
    return found;
}

/* Closes the link that has been idle longest. False: all are busy, which is logged once a minute. */
static bool make_place(struct asker *asker) {
    struct link *link = idle_longest(asker);
    duration now = clock_monotonic();
    if (link != NULL) {
        link->is_ending = true;
        task_wake(link->task);
    } else if (asker->refused_at == 0 || now >= asker->refused_at + MINUTE) {
        asker->refused_at = now;
        log_line(LOG_ERROR, "more than %zu queries at the same time: refusing some", asker->links_max);
    }
    return link != NULL;
}

void link_begin(struct asker *asker, int fd) {
    if (asker->link_count >= asker->links_max && !make_place(asker)) {
        close(fd);
        return;
    }
    struct link *link = memory_zeroed(1, sizeof *link);
    *link = (struct link){.watch = {fd, link_ready},
                          .asker = asker,
                          .next = asker->links,
                          .back = &asker->links,
                          .idle_since = clock_monotonic()};
    if (link->next != NULL) {
        link->next->back = &link->next;
    }
    asker->links = link;
    asker->link_count++;
    if (watch_begin(&link->watch, EPOLLIN | EPOLLRDHUP | EPOLLET)) {
        task_start(serve_link, link);
    } else {
        end_link(link);
    }
}

void links_leave(struct asker *asker) {
    for (const struct link *link = asker->links; link != NULL; link = link->next) {
        if (!link->is_busy) {
            task_wake(link->task);
        }
    }
}
