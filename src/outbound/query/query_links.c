#include "outbound/query/query_links.h"

#include "base/log.h"
#include "base/loop/loop.h"
#include "base/memory.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * A link that is idle for longer is closed. The worker does it, because recaudo-query cannot know whether a message is
 * on its way. recaudo-query closes an idle link only if it has no room left or is leaving.
 */
#define IDLE_MAX (10 * SECOND)

struct query_link {
    int fd;
    duration idle_since;
    struct query_link *next;
};

struct query_links {
    const char *path;
    size_t max, in_use;
    struct query_link *idle; /* the most recently used first */
    struct timer idle_ends;
};

static void close_link(struct query_link *link) {
    close(link->fd);
    free(link);
}

static void close_all(struct query_link *link) {
    while (link != NULL) {
        struct query_link *next = link->next;
        close_link(link);
        link = next;
    }
}

/* Closes the links that have been idle for too long, which are at the end of the list. */
static void end_idle(struct timer *idle_ends) {
    struct query_links *links = OWNER_OF(idle_ends, struct query_links, idle_ends);
    duration now = clock_monotonic(), next = INT64_MAX;
    struct query_link **place = &links->idle;
    while (*place != NULL && (*place)->idle_since + IDLE_MAX > now) {
        next = (*place)->idle_since + IDLE_MAX;
        place = &(*place)->next;
    }
    close_all(*place);
    *place = NULL;
    timer_set(idle_ends, next);
}

struct query_links *query_links_create(const char *path, size_t max) {
    struct query_links *links = memory_zeroed(1, sizeof *links);
    *links = (struct query_links){.path = path, .max = max, .idle_ends.due = end_idle};
    return links;
}

void query_links_destroy(struct query_links *links) {
    timer_clear(&links->idle_ends);
    close_all(links->idle);
    free(links);
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    return fd;
}

/* A link is unusable if recaudo-query has closed it, or sent something unasked. */
static bool is_fit(const struct query_link *link) {
    char byte;
    return recv(link->fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* NULL: failed; errno is set. */
static struct query_link *take_link(struct query_links *links, bool *was_idle) {
    struct query_link *link;
    *was_idle = true;
    while ((link = links->idle) != NULL) {
        links->idle = link->next;
        if (is_fit(link)) {
            return link;
        }
        close_link(link);
    }
    *was_idle = false;
    int fd = connect_to(links->path);
    if (fd < 0) {
        return NULL;
    }
    link = memory_zeroed(1, sizeof *link);
    link->fd = fd;
    return link;
}

static void give_link(struct query_links *links, struct query_link *link) {
    link->idle_since = clock_monotonic();
    if (links->idle_ends.place == 0) {
        timer_set(&links->idle_ends, link->idle_since + IDLE_MAX);
    }
    link->next = links->idle;
    links->idle = link;
    links->in_use--;
}

static void drop_link(struct query_links *links, struct query_link *link) {
    close_link(link);
    links->in_use--;
}

/* False: failed; errno is set. A packet is sent whole or not at all. */
static bool send_packet(const struct query_link *link, struct text packet) {
    return send(link->fd, packet.at, packet.size, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static const char NOT_TAKEN[] = "ended before it took the message";

/*
 * ECONNRESET, or EPIPE from sending, means that recaudo-query ended before it read the message. If it ends later, an
 * empty packet is received.
 */
static const char *link_fault(void) {
    return errno == ECONNRESET || errno == EPIPE ? NOT_TAKEN : strerror(errno);
}

/*
 * Returns NULL, or what is wrong: no reply, or not one to such a message. No other task runs between receiving into the
 * shared buffer and copying from it.
 */
static const char *receive_reply(const struct query_link *link, enum query_message_kind asked, duration until,
                                 struct arena *arena, struct query_reply *out) {
    static char packet[QUERY_REPLY_MAX];
    ssize_t size;
    while ((size = recv(link->fd, packet, sizeof packet, MSG_DONTWAIT)) < 0 && errno == EAGAIN) {
        if (task_wait_for_fd(link->fd, EPOLLIN, until) == 0 || clock_monotonic() >= until) {
            return "does not answer in time";
        }
    }
    if (size <= 0) {
        return size == 0 ? "ended while it asked" : link_fault();
    }
    if (!query_reply_read((struct text){packet, (size_t)size}, out) ||
        (out->kind == QUERY_IN_USE) != (asked == QUERY_USE)) {
        return "sent an impossible reply: it has another version, or is compromised";
    }
    out->reply.body = arena_copy(arena, out->reply.body);
    return NULL;
}

static enum query_links_result is_away(const struct query_links *links, const char *why) {
    log_line(LOG_ERROR, "merchants cannot be asked: recaudo-query at %s %s", links->path, why);
    return LINKS_AWAY;
}

static const char *ask_on(const struct query_link *link, const struct query_message *message, duration until,
                          struct arena *arena, struct query_reply *out) {
    return send_packet(link, query_message_write(message, arena))
               ? receive_reply(link, message->kind, until, arena, out)
               : link_fault();
}

enum query_links_result query_links_ask(struct query_links *links, const struct query_message *message, duration until,
                                        struct arena *arena, struct query_exchange *out) {
    *out = (struct query_exchange){.link = NULL};
    if (links->in_use == links->max) {
        return LINKS_FULL;
    }
    struct query_link *link;
    const char *fault;
    bool was_idle;
    links->in_use++;
    do { /* an idle link may be closed before the message is read; then use another */
        link = take_link(links, &was_idle);
        if (link == NULL) {
            fault = strerror(errno);
            break;
        }
        fault = ask_on(link, message, until, arena, &out->reply);
        if (fault != NULL) {
            close_link(link);
            link = NULL;
        }
    } while (fault == NOT_TAKEN && was_idle);
    if (link == NULL) {
        links->in_use--;
        return is_away(links, fault);
    }
    if (out->reply.kind == QUERY_ASKED) {
        out->link = link;
    } else {
        give_link(links, link);
    }
    return LINKS_ANSWERED;
}

void query_links_end(struct query_links *links, struct query_exchange *exchange, unsigned outcome,
                     struct arena *arena) {
    const struct query_message message = {.kind = QUERY_END, .outcome = outcome};
    struct query_link *link = exchange->link;
    exchange->link = NULL;
    if (send_packet(link, query_message_write(&message, arena))) {
        give_link(links, link);
    } else {
        drop_link(links, link);
    }
}
