#include "bench/load/load_idle.h"

#include "bench/common/fail.h"
#include "bench/load/load_check.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static void await_reply(struct link *link, const struct subject *subject, int patience_ms) {
    struct http_reply reply;
    enum received received = RECEIVED_PART;
    while (received == RECEIVED_PART) {
        struct pollfd ready = {.fd = link->fd, .events = POLLIN};
        if (poll(&ready, 1, patience_ms) != 1) {
            fail("an idle connection's request got no reply");
        }
        received = link_receive(link, &reply);
    }
    unsigned code;
    if (received != RECEIVED_REPLY || check_reply(&reply, subject, &code) != MISMATCH_NONE || reply.close) {
        fail("an idle connection's request got a wrong reply");
    }
}

void idle_open(struct idle *idle, const struct plan *plan, const struct load_options *options,
               const struct address *address) {
    struct request_maker *maker = request_maker_create(options);
    static struct link link;
    struct subject subject = {.operation = OPERATION_LOOKUP, .order = orders_at(&plan->orders, 0)};
    idle->count = options->idle;
    idle->fds = calloc(idle->count + 1, sizeof *idle->fds);
    if (idle->fds == NULL) {
        fail("out of memory");
    }
    for (size_t i = 0; i < idle->count; i++) {
        link.out_length = request_make(maker, &subject, link.out);
        if (!link_open(&link, address) || !link_send(&link)) {
            fail("an idle connection cannot be opened: %m");
        }
        await_reply(&link, &subject, (int)(options->timeout * 1000));
        idle->fds[i] = link.fd;
    }
    request_maker_destroy(maker);
}

size_t idle_still_open(const struct idle *idle) {
    size_t open = 0;
    char byte;
    for (size_t i = 0; i < idle->count; i++) {
        open += recv(idle->fds[i], &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
    }
    return open;
}

void idle_close(struct idle *idle) {
    for (size_t i = 0; i < idle->count; i++) {
        close(idle->fds[i]);
    }
    free(idle->fds);
}
