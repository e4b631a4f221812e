#include "edge/serve.h"

#include "base/memory.h"
#include "edge/exchange.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* A request whose bytes stop coming, or whose reader stops reading, is given up after this time: web servers send a
 * request whole. */
static const struct timeval STALLED = {.tv_sec = 2};

/* A thread shows life so often while nothing comes. */
enum { BEAT_MILLISECONDS = 1000 };

enum { RESERVED_FILES = 128, DO_NOT_WAIT = 0 };

struct server {
    int listener, epoll, stop_event;
    size_t connections_max;
    _Atomic size_t connections;
    struct service *service;
};

struct thread {
    struct server *server;
    FCGX_Request fcgi;
    struct arena *arena;
};

static bool watch_connections(const struct server *server, int operation, int fd, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(server->epoll, operation, fd, &event) == 0;
}

static void accept_connection(struct server *server) {
    int connection = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) {
        return;
    }
    if (++server->connections > server->connections_max) {
        log_line(LOG_WARNING, "more than %zu connections: refusing one", server->connections_max);
    } else {
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &STALLED, sizeof STALLED);
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &STALLED, sizeof STALLED);
        if (watch_connections(server, EPOLL_CTL_ADD, connection, EPOLLIN | EPOLLONESHOT)) {
            return;
        }
    }
    server->connections--;
    close(connection);
}

/* libfcgi reads and writes the records; the connection is lent to it for one request, then watched again if it is to be
 * kept. */
static void serve_connection(struct thread *thread, int connection) {
    FCGX_Request *fcgi = &thread->fcgi;
    fcgi->ipcFd = connection;
    fcgi->keepConnection = 1;
    work_slots_begin_request(thread->server->service->work_slots);
    if (FCGX_Accept_r(fcgi) == 0) {
        exchange_serve(fcgi, thread->server->service, thread->arena);
        arena_reset(thread->arena);
    }
    bool kept = fcgi->ipcFd >= 0;
    if (!kept) {
        thread->server->connections--;
    } else if (!watch_connections(thread->server, EPOLL_CTL_MOD, connection, EPOLLIN | EPOLLONESHOT)) {
        thread->server->connections--;
        close(connection);
    }
    fcgi->ipcFd = -1;
    work_slots_end_request(thread->server->service->work_slots);
}

/* Told to stop, it serves what is ready already, until the stop event comes round again. */
static void *run_thread(void *of_thread) {
    struct thread *thread = of_thread;
    struct server *server = thread->server;
    bool stopping = false;
    work_slots_take(server->service->work_slots);
    for (;;) {
        struct epoll_event event;
        counters_beat(server->service->beats);
        int ready = epoll_wait(server->epoll, &event, 1, stopping ? DO_NOT_WAIT : BEAT_MILLISECONDS);
        if ((ready < 0 && errno == EINTR) || (ready == 0 && !stopping)) {
            continue;
        }
        if (ready <= 0) {
            return NULL;
        }
        if (event.data.fd == server->stop_event) {
            if (stopping) {
                return NULL;
            }
            stopping = true;
        } else if (event.data.fd != server->listener) {
            serve_connection(thread, event.data.fd);
        } else if (!stopping) {
            accept_connection(server);
        }
    }
}

static size_t raise_file_limit(void) {
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur > 2 * RESERVED_FILES ? limit.rlim_cur - RESERVED_FILES : RESERVED_FILES;
}

/* The stop event is never read, so every thread sees it. */
static bool open_server(struct server *server) {
    server->connections_max = raise_file_limit();
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->stop_event = eventfd(0, EFD_CLOEXEC);
    bool opened = server->epoll >= 0 && server->stop_event >= 0 && FCGX_Init() == 0 &&
                  watch_connections(server, EPOLL_CTL_ADD, server->listener, EPOLLIN | EPOLLEXCLUSIVE) &&
                  watch_connections(server, EPOLL_CTL_ADD, server->stop_event, EPOLLIN);
    if (!opened) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
    }
    return opened;
}

static void wait_for_stop_signal(void) {
    sigset_t signals;
    int received;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigwait(&signals, &received);
}

static size_t start_threads(struct server *server, struct thread *threads, pthread_t *ids, size_t count) {
    for (size_t i = 0; i < count; i++) {
        threads[i].server = server;
        threads[i].arena = arena_create();
        FCGX_InitRequest(&threads[i].fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR);
        if (pthread_create(&ids[i], NULL, run_thread, &threads[i]) != 0) {
            log_line(LOG_ERROR, "cannot start thread %zu of %zu", i + 1, count);
            arena_destroy(threads[i].arena);
            return i;
        }
    }
    return count;
}

bool serve_until_stopped(const struct listener *listener, struct service *service, size_t count) {
    struct server server = {.listener = listener->socket, .service = service};
    struct thread *threads = memory_zeroed(count, sizeof *threads);
    pthread_t *ids = memory_zeroed(count, sizeof *ids);
    bool opened = open_server(&server);
    size_t started = opened ? start_threads(&server, threads, ids, count) : 0;
    if (started > 0) {
        wait_for_stop_signal();
        eventfd_write(server.stop_event, 1);
        work_slots_stop(service->work_slots);
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
        arena_destroy(threads[i].arena);
    }
    close(server.stop_event);
    close(server.epoll);
    free(ids);
    free(threads);
    return started > 0;
}
