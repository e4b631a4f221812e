#include "outbound/query/query_probe.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The time-out covers connect and send too, so a full accept queue counts as no answer. */
static int exchange_packets(int fd, const char *path, struct arena *arena, struct query_reply *out) {
    static const struct query_message QUESTION = {.kind = QUERY_USE};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct text question = query_message_write(&QUESTION, arena);
    char *packet = arena_alloc(arena, QUERY_REPLY_MAX);
    ssize_t size = -1;
    if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= sizeof address.sun_path) {
        return ENAMETOOLONG;
    }
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, question.at, question.size, MSG_NOSIGNAL) >= 0) { /* a packet is sent whole or not at all */
        size = recv(fd, packet, QUERY_REPLY_MAX, 0);
    }
    if (size < 0) {
        return errno == EAGAIN ? ETIMEDOUT : errno;
    }
    bool fits = query_reply_read((struct text){packet, (size_t)size}, out) && out->kind == QUERY_IN_USE;
    return fits ? 0 : EPROTO;
}

int query_probe(const char *path, duration patience, struct arena *arena, struct query_reply *out) {
    const struct timeval time = {.tv_sec = patience / SECOND, .tv_usec = patience % SECOND};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), result = errno;
    if (fd < 0) {
        return result;
    }
    bool set = setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0 &&
               setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0;
    result = set ? exchange_packets(fd, path, arena, out) : errno;
    close(fd);
    return result;
}
