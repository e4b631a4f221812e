/*
 * A web server gone mad: the input is what it writes to the worker. libfcgi takes every request that the inbox lets
 * through, what the worker writes back is whole FastCGI records, no file stays open, and a good request is answered.
 */
#include "api/worker/route.h"
#include "edge/exchange.h"
#include "edge/inbox.h"
#include "fuzz.h"
#include "service.h"

#include <fastcgi.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer {
    char received[512 * 1024];
    size_t size;
};

/* One after the other: begin, parameters REQUEST_METHOD=GET and REQUEST_URI=/healthz, no body. */
static const char GOOD[] = "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0"
                           "\1\4\0\1\0\50\0\0\16\3REQUEST_METHODGET\13\10REQUEST_URI/healthz"
                           "\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0";

/* As edge/serve.c does: the library reads the request from a file in memory, and writes to the connection. False: the
 * connection is closed. */
static bool serve_one(const struct inbox *inbox, size_t size, int connection) {
    static FCGX_Request fcgi;
    static struct arena *arena;
    static int sheet;
    struct exchange exchange;
    if (arena == NULL) {
        setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", true);
        arena = arena_create();
        sheet = memfd_create("request", MFD_CLOEXEC);
        assert(FCGX_Init() == 0 && FCGX_InitRequest(&fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0);
    }
    assert(pwrite(sheet, inbox->bytes, size, 0) == (ssize_t)size &&
           pwrite(sheet, "\0\0\0\0\0\0\0", 8, (off_t)size) == 8);
    assert(lseek(sheet, 0, SEEK_SET) == 0);
    fcgi.ipcFd = sheet;
    fcgi.keepConnection = 1;
    assert(FCGX_Accept_r(&fcgi) == 0);
    exchange_read(&exchange, &fcgi, fuzz_service(), arena, clock_monotonic());
    fcgi.ipcFd = connection;
    exchange_answer(&exchange, &fcgi);
    arena_reset(arena);
    bool kept = fcgi.ipcFd >= 0;
    fcgi.ipcFd = -1;
    return kept;
}

/* In pieces, as it may come. */
static void serve(struct text sent, int connection) {
    struct inbox inbox = {0};
    enum inbox_state state = INBOX_PART;
    bool kept = true;
    while (sent.size > 0 && state != INBOX_BROKEN && kept) {
        size_t piece = sent.size < 100 ? sent.size : 100, size;
        inbox_add(&inbox, sent.at, piece);
        sent = (struct text){sent.at + piece, sent.size - piece};
        while (kept && (state = inbox_look(&inbox, BODY_MAX, &size)) == INBOX_WHOLE) {
            kept = serve_one(&inbox, size, connection);
            inbox_take(&inbox, size);
        }
    }
    inbox_free(&inbox);
    if (kept) {
        close(connection);
    }
}

/* The socket takes all that is said at most in reply to so short an input, so that nobody needs to read meanwhile. */
static void converse(struct text sent, struct peer *peer) {
    const struct timeval at_most = {.tv_sec = 2};
    const int room = sizeof peer->received;
    int sockets[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    setsockopt(sockets[1], SOL_SOCKET, SO_SNDTIMEO, &at_most, sizeof at_most);
    serve(sent, sockets[1]);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct peer peer;
    fuzz_service();
    converse(TEXT(GOOD), &peer);
    int before = lowest_free_file();
    converse((struct text){(const char *)data, size}, &peer);
    check_records(&peer);
    converse(TEXT(GOOD), &peer);
    check_records(&peer);
    assert(memmem(peer.received, peer.size, "Status: 200", 11) != NULL);
    check_files(before);
    return 0;
}
