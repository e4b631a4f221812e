/*
 * recaudo-loop: the floor once more, without libfcgi and without threads: one event loop, which asks the database
 * without blocking. It shows what blocking threads and libfcgi cost. See README.md.
 */

/* First, because its header includes mysql.h. */
#include "bench/floor/floor_data.h"

#include "bench/common/fail.h"
#include "bench/common/options.h"
#include "bench/floor/loop_wire.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096, MOST_CALLERS = 1024, MOST_SESSIONS = 256, EVENTS_AT_ONCE = 256 };

static const char usage[] =
    "Usage: recaudo-loop --socket PATH --database-socket PATH --database NAME "
    "--password-file FILE [--connections N]\n"
    "Answers like recaudo-floor, from one event loop, with N connections to the database (16).\n";

enum source_kind { SOURCE_LISTENER, SOURCE_CALLER, SOURCE_SESSION };

/* The beginning of everything that epoll tells of. */
struct source {
    enum source_kind kind;
    int fd;
};

/* A FastCGI connection of nginx. */
struct caller {
    struct source source;
    bool busy; /* its request waits or is with the database */
    bool gone; /* nginx has closed the connection meanwhile */
    size_t size;
    unsigned char bytes[LOOP_WIRE_SIZE];
    char gathered[LOOP_WIRE_SIZE];
    uint16_t id;
    struct floor_request request;
};

/* A connection to the database. */
struct session {
    struct source source;
    struct floor_data data;
    struct caller *caller; /* NULL: idle */
};

static struct {
    int epoll;
    struct session sessions[MOST_SESSIONS];
    struct session *idle[MOST_SESSIONS];
    unsigned idle_count;
    struct caller *waiting[MOST_CALLERS]; /* a ring; each caller stands in it at most once */
    unsigned first;
    unsigned waiting_count;
} loop;

static void watch(struct source *source) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
    if (epoll_ctl(loop.epoll, EPOLL_CTL_ADD, source->fd, &event) != 0) {
        fail("epoll_ctl: %m");
    }
}

static void drop(struct caller *caller) {
    close(caller->source.fd);
    free(caller);
}

static void reply(struct caller *caller, const struct floor_row *row) {
    char text[FLOOR_REPLY_SIZE];
    unsigned char out[LOOP_WIRE_SIZE];
    if (caller->gone) {
        drop(caller);
        return;
    }
    size_t size = floor_reply(&caller->request, row, text);
    size = loop_wire_reply(caller->id, (struct text){text, size}, out);
    if (send(caller->source.fd, out, size, MSG_NOSIGNAL) != (ssize_t)size) {
        shutdown(caller->source.fd, SHUT_RDWR); /* nginx has gone, or does not read */
    }
    caller->size = 0;
    caller->busy = false;
}

static void finish(struct session *session, int failed) {
    struct caller *caller = session->caller;
    if (failed) {
        fail("%s", mysql_error(session->data.mysql));
    }
    reply(caller, floor_data_take(&session->data, &caller->request));
    session->caller = NULL;
    loop.idle[loop.idle_count++] = session;
}

/* The statement needs something else than to be read: nothing that we send is so large that writing would block. */
static void expect_reading(int wait) {
    if ((wait & MYSQL_WAIT_READ) == 0) {
        fail("the client library waits for 0x%x", (unsigned)wait);
    }
}

static void ask(struct session *session, struct caller *caller) {
    int failed;
    session->caller = caller;
    MYSQL_STMT *statement = floor_data_bind(&session->data, &caller->request);
    int wait = mysql_stmt_execute_start(&failed, statement);
    if (wait == 0) {
        finish(session, failed);
    } else {
        expect_reading(wait);
    }
}

static void begin_waiting(void) {
    while (loop.idle_count > 0 && loop.waiting_count > 0) {
        struct caller *caller = loop.waiting[loop.first];
        loop.first = (loop.first + 1) % MOST_CALLERS;
        loop.waiting_count--;
        ask(loop.idle[--loop.idle_count], caller);
    }
}

static void go_on(struct session *session) {
    int failed;
    if (session->caller == NULL) {
        fail("the database has closed a connection");
    }
    int wait =
        mysql_stmt_execute_cont(&failed, session->data.statements[session->caller->request.operation], MYSQL_WAIT_READ);
    if (wait == 0) {
        finish(session, failed);
    } else {
        expect_reading(wait);
    }
}

static void take_request(struct caller *caller) {
    struct loop_request request;
    enum loop_state state = loop_wire_read(caller->bytes, caller->size, caller->gathered, &request);
    if (state == LOOP_PARTIAL && caller->size < LOOP_WIRE_SIZE) {
        return;
    }
    if (state != LOOP_WHOLE) {
        fail("a request that is no FastCGI, or too long");
    }
    caller->id = request.id;
    caller->busy = true;
    if (!floor_request_read(request.method, request.uri, request.body, &caller->request)) {
        reply(caller, NULL);
    } else if (loop.waiting_count == MOST_CALLERS) {
        fail("more than %d connections", MOST_CALLERS);
    } else {
        loop.waiting[(loop.first + loop.waiting_count++) % MOST_CALLERS] = caller;
    }
}

static void receive(struct caller *caller) {
    ssize_t got = recv(caller->source.fd, caller->bytes + caller->size, LOOP_WIRE_SIZE - caller->size, MSG_DONTWAIT);
    if (got <= 0 && caller->busy) {
        caller->gone = true;
        epoll_ctl(loop.epoll, EPOLL_CTL_DEL, caller->source.fd, NULL);
        return;
    }
    if (got <= 0) {
        drop(caller);
        return;
    }
    caller->size += (size_t)got;
    take_request(caller);
}

static void welcome(const struct source *listener) {
    struct caller *caller = calloc(1, sizeof *caller);
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
    if (caller == NULL || fd < 0) {
        fail("accept: %m");
    }
    caller->source = (struct source){SOURCE_CALLER, fd};
    watch(&caller->source);
}

static void handle(struct source *source) {
    switch (source->kind) {
    case SOURCE_LISTENER:
        welcome(source);
        break;
    case SOURCE_CALLER:
        receive((struct caller *)source);
        break;
    case SOURCE_SESSION:
        go_on((struct session *)source);
        break;
    }
}

static int listen_on(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof address.sun_path) {
        fail("%s: too long for a socket", path);
    }
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0) {
        fail("%s: %m", path);
    }
    return fd;
}

static void open_sessions(const struct floor_place *place, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        struct session *session = &loop.sessions[i];
        floor_data_open(&session->data, place, true);
        session->source = (struct source){SOURCE_SESSION, mysql_get_socket(session->data.mysql)};
        watch(&session->source);
        loop.idle[loop.idle_count++] = session;
    }
}

static void serve(void) {
    struct epoll_event events[EVENTS_AT_ONCE];
    for (;;) {
        int count = epoll_wait(loop.epoll, events, EVENTS_AT_ONCE, -1);
        for (int i = 0; i < count; i++) {
            handle(events[i].data.ptr);
        }
        begin_waiting();
    }
}

int main(int argc, char **argv) {
    const char *socket_path = NULL;
    struct floor_place place = {0};
    uint64_t connections = 16;
    const struct option_spec specs[] = {
        {"socket", OPTION_TEXT, &socket_path, 0, 0},
        {"database-socket", OPTION_TEXT, &place.socket, 0, 0},
        {"database", OPTION_TEXT, &place.database, 0, 0},
        {"password-file", OPTION_TEXT, &place.password_file, 0, 0},
        {"connections", OPTION_WHOLE, &connections, 1, MOST_SESSIONS},
    };
    options_parse(argc, argv, usage, specs, COUNT_OF(specs));
    if (socket_path == NULL || place.socket == NULL || place.database == NULL || place.password_file == NULL) {
        fail("an option is missing; see --help");
    }
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    struct source listener = {SOURCE_LISTENER, listen_on(socket_path)};
    open_sessions(&place, connections);
    watch(&listener);
    serve();
    return 0;
}
