#include "stub_behaviour.h"

#include <sys/socket.h>

enum ending { KEEP, CLOSE, RESET, HANG };

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"

struct behaviour {
    const char *path, *reply;
    enum ending ending;
};

static const struct behaviour BEHAVIOURS[] = {
    {"/ok", OK_REPLY, KEEP},
    {"/gather", OK_REPLY, KEEP},
    {"/ok-and-close", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK", CLOSE},
    {"/ok-and-vanish", OK_REPLY, CLOSE},
    {"/http10", "HTTP/1.0 200 OK\r\nServer: old\r\n\r\nOK. old", CLOSE},
    {"/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nO\r\n1\r\nK\r\n0\r\nTrailer: x\r\n\r\n",
     KEEP},
    {"/continue", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK_REPLY, KEEP},
    {"/created", "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/no-content", "HTTP/1.1 204 No Content\r\n\r\n", KEEP},
    {"/error", "HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\nERROR", KEEP},
    {"/error-200", "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\nERROR. no room", KEEP},
    {"/gone", "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/json", "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"status\": \"OK\"}", KEEP},
    {"/redirect", "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/redirect-308", "HTTP/1.1 308 Permanent\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/unauthorized", "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-7", "HTTP/1.1 429 Slow down\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-0", "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-negative", "HTTP/1.1 503 Busy\r\nRetry-After: -5\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-nonsense", "HTTP/1.1 503 Busy\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-day", "HTTP/1.1 503 Busy\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-lower-case", "HTTP/1.1 503 Busy\r\nretry-after:7 \r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-early", "HTTP/1.1 103 Early Hints\r\nRetry-After: 7\r\n\r\n" OK_REPLY, KEEP},
    {"/wait-trailer", "HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\nRetry-After: 7\r\n\r\n",
     KEEP},
    {"/wait-fraction", "HTTP/1.1 503 Busy\r\nRetry-After: 7.5\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-ages", "HTTP/1.1 503 Busy\r\nRetry-After: 9223372036854775807\r\nContent-Length: 0\r\n\r\n", KEEP},
    {"/wait-past", "HTTP/1.1 503 Busy\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
     KEEP},
    {"/wait-though-fine", "HTTP/1.1 200 OK\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno", KEEP},
    {"/gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nOK", KEEP},
    {"/hang", "", HANG},
    {"/hang-in-headers", "HTTP/1.1 200 OK\r\nContent-Le", HANG},
    {"/hang-in-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nOK", HANG},
    {"/close", "", CLOSE},
    {"/close-in-headers", "HTTP/1.1 200 OK\r\nContent-Le", CLOSE},
    {"/close-in-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nOK", CLOSE},
    {"/close-in-chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n", CLOSE},
    {"/reset", "", RESET},
    {"/reset-in-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nOK", RESET},
    {"/broken-chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nOK\r\n", CLOSE},
    {"/huge-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\nOK", CLOSE},
    {"/bad-length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nOK", CLOSE},
    {"/no-http", "220 mail.example ready\r\n", CLOSE},
};

bool peer_send(struct peer *peer, struct text bytes) {
    while (bytes.size > 0) {
        ssize_t sent = peer->tls != NULL ? SSL_write(peer->tls, bytes.at, (int)bytes.size)
                                         : send(peer->socket, bytes.at, bytes.size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes = (struct text){bytes.at + sent, bytes.size - (size_t)sent};
    }
    return true;
}

size_t peer_receive(struct peer *peer, char *out, size_t size) {
    ssize_t received = peer->tls != NULL ? SSL_read(peer->tls, out, (int)size) : recv(peer->socket, out, size, 0);
    return received > 0 ? (size_t)received : 0;
}

static bool end(struct peer *peer, enum ending ending) {
    static const struct linger AT_ONCE = {.l_onoff = 1};
    char more;
    if (ending == RESET) {
        setsockopt(peer->socket, SOL_SOCKET, SO_LINGER, &AT_ONCE, sizeof AT_ONCE);
    }
    while (ending == HANG && peer_receive(peer, &more, 1) > 0) {
    }
    return ending == KEEP;
}

/* The same piece again and again, until the client has had enough; each after `pause` milliseconds. */
static bool repeat(struct peer *peer, struct text start, struct text piece, long pause) {
    const struct timespec between = {.tv_nsec = pause * 1000000};
    bool there = peer_send(peer, start);
    while (there) {
        there = peer_send(peer, piece);
        nanosleep(&between, NULL);
    }
    return false;
}

static bool send_large(struct peer *peer) {
    static char body[1024 * 1024];
    memset(body, 'x', sizeof body);
    memcpy(body, "OK ", 3);
    return peer_send(peer, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n")) &&
           peer_send(peer, (struct text){body, sizeof body});
}

static bool send_retry_date(struct peer *peer, time_t wait) {
    char reply[200], date[64];
    time_t then = time(NULL) + wait;
    struct tm parts;
    gmtime_r(&then, &parts);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    snprintf(reply, sizeof reply, "HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", date);
    return peer_send(peer, text_of(reply));
}

/* The last piece, which TLS sends as one, holds a second reply behind the end of the first. */
static bool send_more_than_announced(struct peer *peer) {
    return peer_send(peer, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nO")) &&
           peer_send(peer, TEXT("KHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"));
}

bool behave(struct peer *peer, struct text path) {
    static const struct text HEAD = {"HTTP/1.1 200 OK\r\n", 17};
    for (size_t i = 0; i < COUNT_OF(BEHAVIOURS); i++) {
        if (text_equal(path, text_of(BEHAVIOURS[i].path))) {
            return peer_send(peer, text_of(BEHAVIOURS[i].reply)) && end(peer, BEHAVIOURS[i].ending);
        }
    }
    if (text_equal(path, TEXT("/drip"))) {
        return repeat(peer, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), TEXT("."), 10);
    }
    if (text_equal(path, TEXT("/drip-headers"))) {
        return repeat(peer, HEAD, TEXT("X-A: b\r\n"), 10);
    }
    if (text_equal(path, TEXT("/endless"))) {
        return repeat(peer, TEXT("HTTP/1.1 200 OK\r\n\r\n"), TEXT("OK all the way "), 0);
    }
    if (text_equal(path, TEXT("/endless-headers"))) {
        return repeat(peer, HEAD, TEXT("X-Header: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"), 0);
    }
    if (text_equal(path, TEXT("/endless-line"))) {
        return repeat(peer, HEAD, TEXT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 0);
    }
    if (text_equal(path, TEXT("/endless-continue"))) {
        return repeat(peer, TEXT(""), TEXT("HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n"), 0);
    }
    if (text_equal(path, TEXT("/large"))) {
        return send_large(peer);
    }
    if (text_equal(path, TEXT("/more"))) {
        return send_more_than_announced(peer);
    }
    if (text_equal(path, TEXT("/wait-day-as-date"))) {
        return send_retry_date(peer, 24 * 60 * 60);
    }
    return text_equal(path, TEXT("/wait-date")) && send_retry_date(peer, 90);
}
