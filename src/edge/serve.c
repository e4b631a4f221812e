#include "edge/serve.h"

#include "api/worker/route.h"
#include "base/loop/acceptor.h"
#include "base/memory.h"
#include "base/process/file_limit.h"
#include "edge/exchange.h"
#include "edge/inbox.h"
#include "edge/request_file.h"
#include "edge/request_slots.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request that is not complete after this time is dropped: web servers send a request whole. */
#define STALLED (2 * SECOND)

/* Longest wait of a loop pass, so that an idle process still shows progress. */
#define BEAT SECOND

/* EPOLLEXCLUSIVE: the kernel wakes one process. */
#define HANDED_EVENTS (EPOLLIN | EPOLLEXCLUSIVE)

/* Requests in hand at once, including those that wait for merchants. Further requests wait until one ends. */
enum { REQUESTS_MAX = 1024 };

/* Reads of a connection in one pass; then others are served first. */
enum { READS_AT_ONCE = 16 };

enum { RESERVED_FILES = 128, READ_BYTES = 64 * 1024 };

/* Events of a connection. Edge-triggered. */
#define CLIENT_EVENTS (EPOLLIN | EPOLLET)

/* Send buffer of a connection. The kernel doubles it. */
static const int REPLY_ROOM = 208 * 1024;

struct server {
    struct acceptor acceptor;
    struct watch signals, handed;
    const struct handover *handover;
    struct service *service;
    size_t connections, connections_max, in_hand;
    bool stopping;
    bool hands_over;  /* while stopping: idle connections go to another process */
    int request_file; /* file in memory from which libfcgi reads a request */
    struct request_slots slots;
    struct client *clients;
    struct client *first_waiting, *last_waiting; /* they wait because REQUESTS_MAX are in hand */
};

/* A connection of the web server. */
struct client {
    struct watch watch;
    struct timer stalls;
    struct server *server;
    struct client *next, **link; /* in server->clients */
    struct client *next_waiting;
    struct inbox inbox;
    duration came_at; /* when the first byte in the inbox arrived */
    size_t request;   /* bytes of the complete request */
    bool is_busy;     /* with a complete request */
    bool has_more;    /* more bytes arrived than were read, or the last read may have left some */
};

/*
 * Serves a complete request. libfcgi reads it from the file in memory, so it never waits. It writes the reply to the
 * connection, whose buffer has room for it. If a web server does not read its replies, the buffer fills up and the
 * reply is lost with the connection. False: the connection was closed.
 */
static bool serve_request(struct client *client, struct request_slot *slot) {
    struct server *server = client->server;
    FCGX_Request *fcgi = &slot->fcgi;
    struct exchange exchange;
    fcgi->ipcFd = server->request_file;
    fcgi->keepConnection = 1;
    bool accepted =
        request_file_write(server->request_file, client->inbox.bytes, client->request) && FCGX_Accept_r(fcgi) == 0;
    inbox_take(&client->inbox, client->request);
    if (!accepted) {
        server->request_file =
            fcgi->ipcFd >= 0 ? fcgi->ipcFd : request_file_make(); /* libfcgi closes it if it cannot read */
        close(client->watch.fd);
        return false;
    }
    exchange_read(&exchange, fcgi, server->service, slot->arena, client->came_at);
    fcgi->ipcFd = client->watch.fd;
    fcgi->keepConnection = fcgi->keepConnection && (!server->stopping || server->hands_over);
    exchange_answer(&exchange, fcgi);
    return fcgi->ipcFd >= 0;
}

static void end_client(struct client *client) {
    timer_clear(&client->stalls);
    watch_end(&client->watch);
    client->server->connections--;
    *client->link = client->next;
    if (client->next != NULL) {
        client->next->link = client->link;
    }
    inbox_free(&client->inbox);
    free(client);
}

static void close_client(struct client *client) {
    int fd = client->watch.fd;
    end_client(client);
    close(fd);
}

/* Lets others be served first: watches for EPOLLOUT, so that the loop calls client_ready in its next pass. A connection
 * that cannot be written to, because its peer reads no replies, is closed after STALLED. */
static void read_later(struct client *client) {
    if (watch_change(&client->watch, CLIENT_EVENTS | EPOLLOUT)) {
        timer_set(&client->stalls, client->came_at + STALLED);
    } else {
        close_client(client);
    }
}

static void run_request(void *of_client);

static void begin_request(struct client *client) {
    client->server->in_hand++;
    task_start(run_request, client);
}

static void begin_next(struct server *server) {
    struct client *client = server->first_waiting;
    if (client != NULL) {
        server->first_waiting = client->next_waiting;
        begin_request(client);
    }
}

static void queue_request(struct client *client) {
    struct server *server = client->server;
    client->next_waiting = NULL;
    *(server->first_waiting == NULL ? &server->first_waiting : &server->last_waiting->next_waiting) = client;
    server->last_waiting = client;
}

static void run_request(void *of_client) {
    struct client *client = of_client;
    struct server *server = client->server;
    struct request_slot *slot = request_slots_take(&server->slots);
    bool kept = serve_request(client, slot);
    slot->fcgi.ipcFd = -1;
    request_slots_give(&server->slots, slot);
    server->in_hand--;
    begin_next(server);
    client->is_busy = false;
    client->came_at = clock_monotonic(); /* for bytes that arrived after the request */
    if (!kept) {
        end_client(client);
    } else if (client->has_more || client->inbox.size > 0) {
        read_later(client);
    }
}

/* Starts, queues or rejects the request in the inbox. False: it is incomplete; the timer `stalls` bounds the wait. */
static bool take_request(struct client *client) {
    switch (inbox_look(&client->inbox, BODY_MAX, &client->request)) {
    case INBOX_WHOLE:
        timer_clear(&client->stalls);
        client->is_busy = true;
        if (client->server->in_hand < REQUESTS_MAX) {
            begin_request(client);
        } else {
            queue_request(client);
        }
        return true;
    case INBOX_BROKEN:
        close_client(client);
        return true;
    case INBOX_PART:
        break;
    }
    return false;
}

/* Reads what has arrived. The watch is edge-triggered, so has_more records that bytes may be left. */
static void read_arrived(struct client *client) {
    static char bytes[READ_BYTES];
    ssize_t size = 0;
    if (client->inbox.size > 0 && take_request(client)) {
        return;
    }
    for (int reads = 0; reads < READS_AT_ONCE && (size = recv(client->watch.fd, bytes, sizeof bytes, 0)) > 0; reads++) {
        client->has_more = size == (ssize_t)sizeof bytes;
        client->came_at = client->inbox.size == 0 ? clock_monotonic() : client->came_at;
        inbox_add(&client->inbox, bytes, (size_t)size);
        if (take_request(client)) {
            return;
        }
    }
    client->has_more = false;
    if (size > 0) {
        read_later(client);
    } else if (size == 0 || errno != EAGAIN) {
        close_client(client);
    } else if (client->inbox.size > 0) {
        timer_set(&client->stalls, client->came_at + STALLED);
    } else {
        timer_clear(&client->stalls); /* read_later has set it */
    }
}

static void client_ready(struct watch *watch, uint32_t events) {
    struct client *client = OWNER_OF(watch, struct client, watch);
    if ((events & EPOLLOUT) != 0) {
        (void)watch_change(watch, CLIENT_EVENTS); /* else each reply that the peer reads would be an event */
    }
    client->has_more = true; /* more bytes, or an error, which recv reports */
    if (!client->is_busy) {
        read_arrived(client);
    }
}

static void client_stalled(struct timer *timer) {
    close_client(OWNER_OF(timer, struct client, stalls));
}

static void enlist(struct server *server, struct client *client) {
    client->link = &server->clients;
    client->next = server->clients;
    if (client->next != NULL) {
        client->next->link = &client->next;
    }
    server->clients = client;
}

static void add_client(struct server *server, int fd) {
    struct client *client = memory_zeroed(1, sizeof *client);
    *client = (struct client){.watch = {fd, client_ready}, .stalls.due = client_stalled, .server = server};
    server->connections++;
    enlist(server, client);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &REPLY_ROOM, sizeof REPLY_ROOM);
    if (!watch_begin(&client->watch, CLIENT_EVENTS)) {
        close_client(client);
    }
}

static void take_client(struct server *server, int fd) {
    if (server->connections < server->connections_max) {
        add_client(server, fd);
    } else {
        log_line(LOG_WARNING, "more than %zu connections: refusing one", server->connections_max);
        close(fd);
    }
}

static void take_accepted(struct acceptor *acceptor, int fd) {
    take_client(OWNER_OF(acceptor, struct server, acceptor), fd);
}

static void take_handed(struct watch *handed, uint32_t events) {
    struct server *server = OWNER_OF(handed, struct server, handed);
    int fds[HANDED_AT_ONCE];
    (void)events;
    size_t count = handover_take(server->handover, fds);
    if (!watch_to_the_end(handed, HANDED_EVENTS)) {
        log_line(LOG_ERROR, "takes no more connections of leaving processes: %s", strerror(errno));
    }
    for (size_t i = 0; i < count; i++) {
        take_client(server, fds[i]);
    }
}

static void hand_over_clients(const struct server *server, struct client *const *clients, size_t count) {
    int fds[HANDED_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        fds[i] = clients[i]->watch.fd;
    }
    if (count > 0 && !handover_give(server->handover, fds, count)) {
        log_line(LOG_WARNING, "closes %zu connections that it cannot hand over: %s", count, strerror(errno));
    }
    for (size_t i = 0; i < count; i++) {
        close_client(clients[i]);
    }
}

/* Skips connections with a request in hand or a partly received one; they are handed over after their reply. */
static void hand_over_idle_clients(const struct server *server) {
    struct client *idle[HANDED_AT_ONCE];
    size_t count = 0;
    for (struct client *client = server->clients, *next; client != NULL; client = next) {
        next = client->next; // NOLINT(clang-analyzer-unix.Malloc): closed clients have left the list
        if (!client->is_busy && client->inbox.size == 0) {
            idle[count++] = client;
        }
        if (count == HANDED_AT_ONCE) {
            hand_over_clients(server, idle, count);
            count = 0;
        }
    }
    hand_over_clients(server, idle, count);
}

/* May run twice: SIGTERM or SIGINT can follow a SIGHUP while connections are being handed over. */
static void stop(struct watch *signals, uint32_t events) {
    struct server *server = OWNER_OF(signals, struct server, signals);
    struct signalfd_siginfo signal;
    (void)events;
    ssize_t size = read(signals->fd, &signal, sizeof signal);
    server->stopping = true;
    server->hands_over = size == (ssize_t)sizeof signal && signal.ssi_signo == SIGHUP;
    acceptor_end(&server->acceptor);
    watch_end(&server->handed);
    if (!server->hands_over) {
        watch_end(&server->signals);
        handover_discard(server->handover);
    }
}

static int open_signals(bool can_hand_over) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (can_hand_over) {
        sigaddset(&signals, SIGHUP);
    }
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Several processes watch the listener, hence EPOLLEXCLUSIVE. acceptor_begin makes it non-blocking, so that a process
 * that comes too late does not wait in accept(2).
 */
static bool open_server(struct server *server, int listener) {
    server->connections_max = file_limit_raise(RESERVED_FILES);
    server->acceptor = (struct acceptor){.accepting = {listener, "connections of the web server", 0},
                                         .events = EPOLLIN | EPOLLEXCLUSIVE,
                                         .came = take_accepted};
    server->handed = (struct watch){server->handover->take, take_handed};
    bool can_hand_over = server->handover->take >= 0;
    server->signals = (struct watch){open_signals(can_hand_over), stop};
    server->request_file = request_file_make();
    bool opened = server->request_file >= 0 && server->signals.fd >= 0 && FCGX_Init() == 0 &&
                  acceptor_begin(&server->acceptor) && watch_begin(&server->signals, EPOLLIN) &&
                  (!can_hand_over || watch_begin(&server->handed, HANDED_EVENTS));
    if (!opened) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
    }
    return opened;
}

static void close_server(struct server *server) {
    for (struct client *client = server->clients, *next; client != NULL; client = next) {
        next = client->next;
        close_client(client);
    }
    request_slots_free(&server->slots);
    close(server->request_file);
    close(server->signals.fd);
}

static size_t turn(struct service *service, duration longest) {
    duration worked = loop_worked();
    counters_beat(service->beats);
    size_t count = loop_turn(longest);
    counters_note_work(service->counters, loop_worked() - worked);
    return count;
}

static bool has_work(const struct server *server) {
    return server->in_hand > 0 || (server->hands_over && server->connections > 0);
}

/* Answers the requests already received. Hands idle connections over, if that is possible. */
static void finish(struct server *server) {
    size_t count;
    do {
        if (server->hands_over) {
            hand_over_idle_clients(server);
        }
        count = turn(server->service, has_work(server) ? BEAT : 0);
    } while (count > 0 || has_work(server));
}

bool serve_until_stopped(const struct listener *listener, const struct handover *handover, struct service *service) {
    struct server server = {.service = service, .handover = handover};
    bool opened = open_server(&server, listener->socket);
    while (opened && !server.stopping) {
        (void)turn(service, BEAT);
    }
    if (opened) {
        finish(&server);
    }
    close_server(&server);
    return opened;
}
