#include "base/loop/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

static void rest(struct acceptor *acceptor) {
    timer_set(&acceptor->rests, clock_monotonic() + ACCEPT_REST);
}

static void has_rested(struct timer *rests) {
    struct acceptor *acceptor = OWNER_OF(rests, struct acceptor, rests);
    if (!watch_begin(&acceptor->watch, acceptor->events)) {
        rest(acceptor);
    }
}

static void let_others_go_first(struct acceptor *acceptor) {
    if (!watch_to_the_end(&acceptor->watch, acceptor->events)) {
        rest(acceptor);
    }
}

/* While this process rests, others may accept the connection. */
static void accept_one(struct watch *watch, uint32_t events) {
    struct acceptor *acceptor = OWNER_OF(watch, struct acceptor, watch);
    (void)events;
    int fd = accept_next(&acceptor->accepting, SOCK_NONBLOCK);
    if (fd >= 0) {
        let_others_go_first(acceptor);
        acceptor->came(acceptor, fd);
    } else if (fd == ACCEPT_LATER) {
        watch_end(&acceptor->watch);
        rest(acceptor);
    }
}

bool acceptor_begin(struct acceptor *acceptor) {
    int listener = acceptor->accepting.listener, flags = fcntl(listener, F_GETFL);
    acceptor->watch = (struct watch){listener, accept_one};
    acceptor->rests.due = has_rested;
    return flags >= 0 && fcntl(listener, F_SETFL, flags | O_NONBLOCK) == 0 &&
           watch_begin(&acceptor->watch, acceptor->events);
}

void acceptor_end(struct acceptor *acceptor) {
    if (acceptor->rests.place == 0) {
        watch_end(&acceptor->watch);
    }
    timer_clear(&acceptor->rests);
}
