#include "console/serve.h"

#include "base/loop/accept.h"
#include "base/memory.h"
#include "wire/uri.h"

#include <errno.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* A form is small; a list of payments to compare a settlement with is not. */
enum { BODY_MAX = 16 * 1024 * 1024, PIECE = 65536 };

/* A request whose bytes stop coming, or whose reader stops reading, is given up after this time. */
static const struct timeval STALLED = {.tv_sec = 5};

struct server {
    const struct console *console;
    struct accepting accepting;
    int stop_event;
};

struct thread {
    struct server *server;
    FCGX_Request fcgi;
    struct arena *arena;
    pthread_t id;
};

static struct text parameter(const FCGX_Request *fcgi, const char *name, struct arena *arena) {
    const char *value = FCGX_GetParam(name, fcgi->envp);
    return value == NULL ? TEXT("") : arena_copy(arena, text_of(value));
}

/* Reads to the end of the stream: an unread rest would be lost. */
static struct text read_body(FCGX_Request *fcgi, struct arena *arena, bool *too_large) {
    size_t room = PIECE, size = 0;
    char *bytes = arena_alloc(arena, room), rest[PIECE];
    int got;
    *too_large = false;
    while ((got = FCGX_GetStr(rest, sizeof rest, fcgi->in)) > 0) {
        *too_large = *too_large || size + (size_t)got > BODY_MAX;
        if (!*too_large && size + (size_t)got > room) {
            room *= 4;
            bytes = arena_enlarge(arena, bytes, size, room);
        }
        if (!*too_large) {
            memcpy(bytes + size, rest, (size_t)got);
            size += (size_t)got;
        }
    }
    return *too_large ? TEXT("") : (struct text){bytes, size};
}

static void split_target(FCGX_Request *fcgi, struct arena *arena, struct console_request *out) {
    out->query = parameter(fcgi, "REQUEST_URI", arena);
    struct text path = text_cut(&out->query, '?');
    if (path.size == 0 || path.at[0] != '/' || !uri_decode_path(path, arena, &out->path) ||
        text_has_control(out->path)) {
        out->path = TEXT("");
    }
}

static struct text request_id(const FCGX_Request *fcgi, struct arena *arena) {
    static _Atomic uint64_t counter;
    struct text given = parameter(fcgi, "REQUEST_ID", arena);
    return given.size > 0 && given.size <= 64
               ? given
               : arena_print(arena, "%016" PRIx64 "%08" PRIx64, (uint64_t)clock_host(), ++counter);
}

/* Two of them: a mistake in the web server's configuration, and nobody knows which one it has verified. */
static bool names_two_users(const FCGX_Request *fcgi) {
    static const char NAME[] = "REMOTE_USER=";
    size_t count = 0;
    for (char **one = fcgi->envp; *one != NULL; one++) {
        count += strncmp(*one, NAME, sizeof NAME - 1) == 0;
    }
    return count > 1;
}

/* REMOTE_USER is the web server's word; a header of that name would be HTTP_REMOTE_USER. */
static void read_request(FCGX_Request *fcgi, struct arena *arena, struct console_request *out) {
    uint64_t announced = 0;
    struct text length = parameter(fcgi, "CONTENT_LENGTH", arena), method = parameter(fcgi, "REQUEST_METHOD", arena);
    out->is_head = text_equal(method, TEXT("HEAD"));
    out->method = out->is_head ? TEXT("GET") : method;
    out->user = parameter(fcgi, "REMOTE_USER", arena);
    out->host = parameter(fcgi, "HTTP_HOST", arena);
    out->origin = parameter(fcgi, "HTTP_ORIGIN", arena);
    out->fetch_site = parameter(fcgi, "HTTP_SEC_FETCH_SITE", arena);
    out->cookie = parameter(fcgi, "HTTP_COOKIE", arena);
    out->accept_language = parameter(fcgi, "HTTP_ACCEPT_LANGUAGE", arena);
    out->content_type = parameter(fcgi, "CONTENT_TYPE", arena);
    out->id = request_id(fcgi, arena);
    split_target(fcgi, arena, out);
    out->body = read_body(fcgi, arena, &out->too_large);
    out->cut_short = (length.size > 0 &&
                      (!text_to_number(length, &announced) || (!out->too_large && announced != out->body.size))) ||
                     FCGX_GetError(fcgi->in) != 0;
    if (names_two_users(fcgi)) {
        log_line(LOG_ERROR, "the web server sends REMOTE_USER twice: let its configuration set it once");
        out->user = TEXT("");
    }
}

static bool send_to_web_server(void *context, struct text bytes) {
    FCGX_Request *fcgi = &((struct thread *)context)->fcgi;
    return FCGX_PutStr(bytes.at, (int)bytes.size, fcgi->out) == (int)bytes.size;
}

/* A web server that gives a request up closes its connection: POLLHUP comes unasked. */
static bool client_still_waits(void *context) {
    const struct thread *thread = context;
    struct pollfd ends[] = {{.fd = thread->fcgi.ipcFd}, {.fd = thread->server->stop_event, .events = POLLIN}};
    return poll(ends, COUNT_OF(ends), 0) <= 0;
}

static void serve_connection(struct thread *thread, int connection) {
    FCGX_Request *fcgi = &thread->fcgi;
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &STALLED, sizeof STALLED);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &STALLED, sizeof STALLED);
    fcgi->ipcFd = connection;
    fcgi->keepConnection = 1; /* for FCGX_Accept_r: there is a connection already */
    if (FCGX_Accept_r(fcgi) == 0) {
        struct console_request request = {.method = TEXT("")};
        struct outlet outlet = {.send = send_to_web_server, .is_wanted = client_still_waits, .context = thread};
        read_request(fcgi, thread->arena, &request);
        outlet.is_head = request.is_head;
        handle_request(thread->server->console, &request, &outlet, thread->arena);
        FCGX_Finish_r(fcgi);
        arena_reset(thread->arena);
    }
    if (fcgi->ipcFd >= 0) {
        FCGX_Free(fcgi, true);
    }
    fcgi->ipcFd = -1;
}

/* Until the server stops or, where connections are wanted, one comes, for `longest` milliseconds at most (-1: without
 * end). False: it stops. */
static bool goes_on(const struct server *server, bool wants_connection, int longest) {
    struct pollfd wanted[] = {{.fd = server->stop_event, .events = POLLIN},
                              {.fd = wants_connection ? server->accepting.listener : -1, .events = POLLIN}};
    if (poll(wanted, COUNT_OF(wanted), longest) < 0 && errno != EINTR) {
        log_line(LOG_ERROR, "cannot wait for requests: %s", strerror(errno));
        abort();
    }
    return wanted[0].revents == 0;
}

/* The listener does not block: another thread may have taken the connection. */
static void *run_thread(void *of_thread) {
    struct thread *thread = of_thread;
    struct server *server = thread->server;
    while (goes_on(server, true, -1)) {
        int connection = accept_next(&server->accepting, 0);
        if (connection >= 0) {
            serve_connection(thread, connection);
        } else if (connection == ACCEPT_LATER) {
            (void)goes_on(server, false, ACCEPT_REST / MILLISECOND);
        }
    }
    return NULL;
}

static void wait_for_stop_signal(void) {
    sigset_t signals;
    int received;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigwait(&signals, &received);
}

static bool start_worker_thread(struct server *server, struct thread *thread) {
    thread->server = server;
    thread->arena = arena_create();
    FCGX_InitRequest(&thread->fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR);
    int error = pthread_create(&thread->id, NULL, run_thread, thread);
    if (error != 0) {
        log_line(LOG_ERROR, "cannot start a thread: %s", strerror(error));
        arena_destroy(thread->arena);
        return false;
    }
    return true;
}

static bool open_server(struct server *server) {
    int listener = server->accepting.listener, flags = fcntl(listener, F_GETFL);
    server->stop_event = eventfd(0, EFD_CLOEXEC);
    bool opened =
        flags >= 0 && fcntl(listener, F_SETFL, flags | O_NONBLOCK) == 0 && server->stop_event >= 0 && FCGX_Init() == 0;
    if (!opened) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
    }
    return opened;
}

bool serve_console(const struct console *console, int listener, size_t count) {
    struct server server = {
        .console = console, .accepting = {listener, "connections of the web server", 0}, .stop_event = -1};
    struct thread *threads = memory_zeroed(count, sizeof *threads);
    bool opened = open_server(&server);
    size_t started = 0;
    while (opened && started < count && start_worker_thread(&server, &threads[started])) {
        started++;
    }
    if (started == count) {
        wait_for_stop_signal();
    }
    eventfd_write(server.stop_event, 1);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i].id, NULL);
        arena_destroy(threads[i].arena);
    }
    close(server.stop_event);
    free(threads);
    return started == count;
}
