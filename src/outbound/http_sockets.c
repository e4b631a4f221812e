#include "outbound/http_sockets.h"

#include "base/memory.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

struct http_socket {
    int socket;
    int port; /* 0: not known yet */
};

struct http_sockets {
    struct http_socket *list;
    size_t count, room;
};

struct http_sockets *http_sockets_create(void) {
    return memory_zeroed(1, sizeof(struct http_sockets));
}

void http_sockets_destroy(struct http_sockets *sockets) {
    free(sockets->list);
    free(sockets);
}

static struct http_socket *listed_socket(const struct http_sockets *sockets, int socket) {
    for (size_t i = 0; i < sockets->count; i++) {
        if (sockets->list[i].socket == socket) {
            return &sockets->list[i];
        }
    }
    return NULL;
}

/*
 * The library closes a socket that never got connected without http_sockets_close, so its number may still be listed.
 */
static void add_socket(struct http_sockets *sockets, int socket) {
    struct http_socket *stale = listed_socket(sockets, socket);
    if (stale != NULL) {
        stale->port = 0;
        return;
    }
    if (sockets->count == sockets->room) {
        sockets->room = 2 * sockets->room + 1;
        struct http_socket *grown = memory_grown(sockets->list, sockets->room, sizeof *grown);
        sockets->list = grown;
    }
    sockets->list[sockets->count++] = (struct http_socket){.socket = socket};
}

int http_sockets_open(struct http_sockets *sockets, const struct curl_sockaddr *to) {
    int made = socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    if (made >= 0) {
        add_socket(sockets, made);
    }
    return made;
}

int http_sockets_close(void *of_sockets, curl_socket_t socket) {
    struct http_sockets *sockets = of_sockets;
    struct http_socket *found = listed_socket(sockets, socket);
    if (found != NULL) {
        *found = sockets->list[--sockets->count];
    }
    return close(socket);
}

static int port_of(int socket) {
    struct sockaddr_in6 local = {0}; /* its port has the same offset as in sockaddr_in */
    socklen_t size = sizeof local;
    return getsockname(socket, (struct sockaddr *)&local, &size) == 0 ? ntohs(local.sin6_port) : 0;
}

bool http_sockets_have_input(struct http_sockets *sockets, int local_port) {
    bool found = false;
    for (size_t i = 0; i < sockets->count && !found; i++) {
        struct http_socket *one = &sockets->list[i];
        char byte;
        if (one->port == 0) {
            one->port = port_of(one->socket);
        }
        found = one->port == local_port && recv(one->socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) >= 0;
    }
    return found;
}
