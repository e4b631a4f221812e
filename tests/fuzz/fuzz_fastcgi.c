/*
 * A web server gone mad: the input is what it writes to the worker. Whatever comes, what the worker writes back is
 * whole FastCGI records, no file stays open, and the next connection's good request is answered.
 */
#include "edge/exchange.h"
#include "fuzz.h"
#include "service.h"

#include <fastcgi.h>
#include <sys/socket.h>
#include <unistd.h>

/* The library loses 48 bytes with every FCGI_GET_VALUES, which no web server that we know sends. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void) {
    return "leak:libfcgi.so\n";
}

struct peer {
    char received[512 * 1024];
    size_t size;
};

/* One after the other: begin, parameters REQUEST_METHOD=GET and REQUEST_URI=/healthz, no body. */
static const char GOOD[] = "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0"
                           "\1\4\0\1\0\50\0\0\16\3REQUEST_METHODGET\13\10REQUEST_URI/healthz"
                           "\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0";

/* As edge/serve.c lends a connection to the library, until it ends. */
static void serve(int connection) {
    static FCGX_Request fcgi;
    static struct arena *arena;
    struct exchange exchange;
    if (arena == NULL) {
        setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", true);
        arena = arena_create();
        assert(FCGX_Init() == 0 && FCGX_InitRequest(&fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0);
    }
    fcgi.ipcFd = connection;
    do {
        fcgi.keepConnection = 1;
        if (FCGX_Accept_r(&fcgi) == 0) {
            exchange_read(&exchange, &fcgi, fuzz_service(), arena, clock_monotonic());
            exchange_answer(&exchange, &fcgi);
            arena_reset(arena);
        }
    } while (fcgi.ipcFd >= 0);
}

/* The socket takes all that is said at most in reply to so short an input, so that nobody needs to read meanwhile. */
static void converse(struct text sent, struct peer *peer) {
    const struct timeval at_most = {.tv_sec = 2};
    const int room = sizeof peer->received;
    int sockets[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    setsockopt(sockets[1], SOL_SOCKET, SO_SNDTIMEO, &at_most, sizeof at_most);
    assert(send(sockets[0], sent.at, sent.size, 0) == (ssize_t)sent.size && shutdown(sockets[0], SHUT_WR) == 0);
    serve(sockets[1]);
    peer->size = 0;
    for (ssize_t size = 1; size > 0; peer->size += size > 0 ? (size_t)size : 0) {
        size = recv(sockets[0], peer->received + peer->size, sizeof peer->received - peer->size, MSG_DONTWAIT);
    }
    close(sockets[0]);
}

static void check_records(const struct peer *peer) {
    size_t at = 0;
    while (at < peer->size) {
        const FCGI_Header *header = (const FCGI_Header *)(peer->received + at);
        assert(peer->size - at >= FCGI_HEADER_LEN && header->version == FCGI_VERSION_1);
        at +=
            FCGI_HEADER_LEN + (size_t)(header->contentLengthB1 << 8 | header->contentLengthB0) + header->paddingLength;
    }
    assert(at == peer->size);
}

static int lowest_free_file(void) {
    int file = dup(STDERR_FILENO);
    assert(file >= 0);
    close(file);
    return file;
}

/* The pool's keeper, which looks for the database, has a socket open for a moment. */
static void check_files(int before) {
    int rounds = 0;
    while (lowest_free_file() > before) {
        assert(++rounds < 2000);
        usleep(1000);
    }
}

/*
 * The library allocates whatever size of a parameter it is told, up to 4 GB: nothing without the sanitizer, seconds
 * with it. A size of four bytes begins with one above 0x7F; taken for 0x80 it is 16 MB at most.
 */
static struct text limit_sizes(const uint8_t *data, size_t size, struct arena *arena) {
    unsigned char *limited = arena_alloc(arena, size + 1);
    for (size_t i = 0; i < size; i++) {
        limited[i] = data[i] > 0x80 ? 0x80 : data[i];
    }
    return (struct text){(const char *)limited, size};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    static struct peer peer;
    fuzz_service();
    int before = lowest_free_file();
    converse(limit_sizes(data, size, arena), &peer);
    check_records(&peer);
    converse(TEXT(GOOD), &peer);
    check_records(&peer);
    assert(memmem(peer.received, peer.size, "Status: 200", 11) != NULL);
    check_files(before);
    arena_destroy(arena);
    return 0;
}
