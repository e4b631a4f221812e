#include "bench/load/load_link.h"

#include "bench/common/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

struct address address_of(const struct load_options *options) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    struct address address = {0};
    int error = getaddrinfo(options->host, options->port, &hints, &found);
    if (error != 0) {
        fail("%s:%s: %s", options->host, options->port, gai_strerror(error));
    }
    memcpy(&address.at, found->ai_addr, found->ai_addrlen);
    address.size = found->ai_addrlen;
    freeaddrinfo(found);
    return address;
}

bool link_open(struct link *link, const struct address *address) {
    const int yes = 1;
    const struct timeval patience = {.tv_sec = 2};
    link->fd = socket(address->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->fd < 0) {
        return false;
    }
    setsockopt(link->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); /* bounds connect() */
    setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(link->fd, (const struct sockaddr *)&address->at, address->size) != 0 ||
        fcntl(link->fd, F_SETFL, O_NONBLOCK) != 0) {
        link_close(link);
        return false;
    }
    return true;
}

void link_close(struct link *link) {
    if (link->fd >= 0) {
        close(link->fd);
        link->fd = -1;
    }
}

bool link_send(struct link *link) {
    link->out_sent = 0;
    link->in_length = 0;
    return link_send_rest(link);
}

bool link_send_rest(struct link *link) {
    while (link->out_sent < link->out_length) {
        ssize_t sent = send(link->fd, link->out + link->out_sent, link->out_length - link->out_sent, MSG_NOSIGNAL);
        if (sent < 0) {
            return errno == EAGAIN;
        }
        link->out_sent += (size_t)sent;
    }
    return true;
}

enum received link_receive(struct link *link, struct http_reply *reply) {
    for (;;) {
        ssize_t got = recv(link->fd, link->in + link->in_length, REPLY_SIZE - link->in_length, 0);
        if (got < 0 && errno == EAGAIN) {
            return RECEIVED_PART;
        }
        if (got <= 0) {
            return RECEIVED_END;
        }
        link->in_length += (size_t)got;
        link->in[link->in_length] = '\0';
        enum http_state state = http_read(link->in, link->in_length, reply);
        if (state == HTTP_WHOLE) {
            return RECEIVED_REPLY;
        }
        if (state == HTTP_BROKEN || link->in_length == REPLY_SIZE) {
            return RECEIVED_GARBAGE;
        }
    }
}
