#include "base/loop/accept.h"

#include "base/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define SAY_AGAIN MINUTE

/* Only one thread logs it. */
static void say_why(struct accepting *accepting, int error) {
    duration now = clock_monotonic(), said_at = accepting->said_at;
    if ((said_at == 0 || now >= said_at + SAY_AGAIN) &&
        atomic_compare_exchange_strong(&accepting->said_at, &said_at, now)) {
        log_line(LOG_ERROR, "cannot accept %s, which wait: %s", accepting->what, strerror(error));
    }
}

int accept_next(struct accepting *accepting, int flags) {
    int fd = accept4(accepting->listener, NULL, NULL, SOCK_CLOEXEC | flags);
    if (fd >= 0) {
        return fd;
    }
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) {
        return ACCEPTED_NONE;
    }
    say_why(accepting, errno);
    return ACCEPT_LATER;
}
