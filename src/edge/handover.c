#include "edge/handover.h"

#include "base/log.h"
#include "edge/service_manager.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Send buffer, with room for one message per request in hand. The kernel doubles it; net.core.wmem_max bounds it. */
static const int ROOM = 512 * 1024;

/* As many as FileDescriptorStoreMax of systemd/recaudo-fcgi.service.in has systemd keep. */
enum { KEPT_MAX = 512 };

/* A message with room for descriptors. */
struct parcel {
    struct msghdr message;
    struct iovec content;
    char byte;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(HANDED_AT_ONCE * sizeof(int))];
    } control;
};

static void lay_out_parcel(struct parcel *parcel) {
    memset(parcel, 0, sizeof *parcel);
    parcel->content = (struct iovec){&parcel->byte, sizeof parcel->byte};
    parcel->message = (struct msghdr){.msg_iov = &parcel->content,
                                      .msg_iovlen = 1,
                                      .msg_control = &parcel->control,
                                      .msg_controllen = sizeof parcel->control};
}

bool handover_open(struct handover *handover) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        return false;
    }
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &ROOM, sizeof ROOM);
    *handover = (struct handover){.give = ends[0], .take = ends[1]};
    return true;
}

void handover_close(struct handover *handover) {
    close(handover->give);
    close(handover->take);
}

bool handover_give(const struct handover *handover, const int *fds, size_t count) {
    struct parcel parcel;
    size_t size = count * sizeof *fds;
    lay_out_parcel(&parcel);
    parcel.message.msg_controllen = CMSG_SPACE(size);
    parcel.control.head =
        (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(size)};
    memcpy(CMSG_DATA(&parcel.control.head), fds, size);
    return sendmsg(handover->give, &parcel.message, MSG_NOSIGNAL) > 0;
}

size_t handover_take(const struct handover *handover, int fds[HANDED_AT_ONCE]) {
    struct parcel parcel;
    size_t size = 0;
    lay_out_parcel(&parcel);
    if (recvmsg(handover->take, &parcel.message, MSG_CMSG_CLOEXEC) > 0 && CMSG_FIRSTHDR(&parcel.message) != NULL) {
        size = parcel.control.head.cmsg_len - CMSG_LEN(0);
        memcpy(fds, CMSG_DATA(&parcel.control.head), size);
    }
    return size / sizeof *fds;
}

static void close_handed(const int *fds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        close(fds[i]);
    }
}

void handover_discard(const struct handover *handover) {
    int fds[HANDED_AT_ONCE];
    size_t count;
    while ((count = handover_take(handover, fds)) > 0) {
        close_handed(fds, count);
    }
}

void handover_leave(const struct handover *handover) {
    int fds[HANDED_AT_ONCE];
    size_t count;
    while ((count = handover_take(handover, fds)) > 0) {
        service_manager_keep(fds, count);
        close_handed(fds, count);
    }
}

void handover_take_up(const struct handover *handover) {
    int fds[KEPT_MAX];
    size_t count = service_manager_take_kept(fds, KEPT_MAX);
    for (size_t at = 0; at < count; at += HANDED_AT_ONCE) {
        size_t some = count - at < HANDED_AT_ONCE ? count - at : HANDED_AT_ONCE;
        if (!handover_give(handover, fds + at, some)) {
            log_line(LOG_WARNING, "closes %zu connections from before the restart: %s", some, strerror(errno));
        }
    }
    close_handed(fds, count);
}
