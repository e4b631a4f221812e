#include "stub.h"

#include "stub_behaviour.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <unistd.h>

enum { REQUEST_MAX = 64 * 1024, TLS_HANDSHAKE = 22 };

struct stub {
    int listener;
    int newest; /* the socket of the connection that was accepted last */
    unsigned port;
    SSL_CTX *tls;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t connections, closed, requests, waiting, gather;
    char last[REQUEST_MAX];
    struct stub *next;
};

struct visit {
    struct stub *stub;
    struct peer peer;
};

static struct stub *stubs; /* all of them */

/* Up to the end of the body that Content-Length announces. Returns its size; 0 when the client has gone. */
static size_t read_request(struct peer *peer, char request[REQUEST_MAX]) {
    size_t size = 0, whole = 0;
    while (whole == 0 || size < whole) {
        size_t received = peer_receive(peer, request + size, REQUEST_MAX - 1 - size);
        if (received == 0) {
            return 0;
        }
        size += received;
        request[size] = '\0';
        if (request[0] == TLS_HANDSHAKE) {
            peer_send(peer, TEXT("HTTP/1.1 400 Not TLS\r\nContent-Length: 0\r\n\r\n"));
            return 0;
        }
        const char *body = strstr(request, "\r\n\r\n"), *length = strcasestr(request, "\r\nContent-Length: ");
        if (body != NULL) {
            whole = (size_t)(body + 4 - request) + (length == NULL ? 0 : strtoul(length + 18, NULL, 10));
        }
    }
    return size;
}

static struct text path_of(const char *request) {
    const char *start = strchr(request, ' ');
    const char *end = start == NULL ? NULL : strchr(start + 1, ' ');
    return end == NULL ? TEXT("") : (struct text){start + 1, (size_t)(end - start - 1)};
}

static void note(struct stub *stub, const char *request, size_t size, bool gathers) {
    pthread_mutex_lock(&stub->lock);
    stub->requests++;
    memcpy(stub->last, request, size + 1);
    stub->waiting += gathers;
    pthread_cond_broadcast(&stub->changed);
    while (gathers && stub->waiting < stub->gather) {
        pthread_cond_wait(&stub->changed, &stub->lock);
    }
    pthread_mutex_unlock(&stub->lock);
}

static void note_closed(struct stub *stub) {
    pthread_mutex_lock(&stub->lock);
    stub->closed++;
    pthread_cond_broadcast(&stub->changed);
    pthread_mutex_unlock(&stub->lock);
}

static bool shake_hands(struct visit *visit) {
    if (visit->stub->tls == NULL) {
        return true;
    }
    visit->peer.tls = SSL_new(visit->stub->tls);
    return visit->peer.tls != NULL && SSL_set_fd(visit->peer.tls, visit->peer.socket) == 1 &&
           SSL_accept(visit->peer.tls) == 1;
}

static void *serve(void *of_visit) {
    struct visit *visit = of_visit;
    char *request = malloc(REQUEST_MAX);
    size_t size;
    bool more = request != NULL && shake_hands(visit);
    while (more && (size = read_request(&visit->peer, request)) > 0) {
        struct text path = path_of(request);
        note(visit->stub, request, size, text_equal(path, TEXT("/gather")));
        more = behave(&visit->peer, path);
    }
    SSL_free(visit->peer.tls);
    OPENSSL_thread_stop();
    close(visit->peer.socket);
    note_closed(visit->stub);
    free(request);
    free(visit);
    return NULL;
}

static void *accept_all(void *of_stub) {
    static const int YES = 1;
    struct stub *stub = of_stub;
    int socket;
    while ((socket = accept(stub->listener, NULL, NULL)) >= 0) {
        struct visit *visit = calloc(1, sizeof *visit);
        pthread_t thread;
        *visit = (struct visit){stub, {socket, NULL}};
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &YES, sizeof YES);
        pthread_mutex_lock(&stub->lock);
        stub->connections++;
        stub->newest = socket;
        pthread_mutex_unlock(&stub->lock);
        ck_assert_int_eq(pthread_create(&thread, NULL, serve, visit), 0);
        pthread_detach(thread);
    }
    return NULL;
}

static int listen_on(const char *address, unsigned *port) {
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    ck_assert(is_v4 || inet_pton(AF_INET6, address, &v6.sin6_addr) == 1);
    struct sockaddr *to = is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
    int listener = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(bind(listener, to, size), 0);
    ck_assert_int_eq(listen(listener, 1024), 0);
    ck_assert_int_eq(getsockname(listener, to, &size), 0);
    *port = ntohs(is_v4 ? v4.sin_port : v6.sin6_port);
    return listener;
}

static SSL_CTX *load_certificate(const char *certificate, const char *key) {
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    ck_assert_ptr_nonnull(tls);
    ck_assert_int_eq(SSL_CTX_use_certificate_file(tls, certificate, SSL_FILETYPE_PEM), 1);
    ck_assert_int_eq(SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM), 1);
    return tls;
}

struct stub *stub_start(const char *address, const char *certificate, const char *key) {
    struct stub *stub = calloc(1, sizeof *stub);
    pthread_t thread;
    ck_assert_ptr_nonnull(stub);
    stub->next = stubs;
    stubs = stub;
    stub->listener = listen_on(address, &stub->port);
    stub->tls = certificate == NULL ? NULL : load_certificate(certificate, key);
    pthread_mutex_init(&stub->lock, NULL);
    pthread_cond_init(&stub->changed, NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, accept_all, stub), 0);
    pthread_detach(thread);
    return stub;
}

unsigned stub_port(const struct stub *stub) {
    return stub->port;
}

void stub_keep_silent_at(const struct stub *stub, const char *address) {
    enum { QUEUE = 1, ENOUGH = 4 };
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((in_port_t)stub->port)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(inet_pton(AF_INET, address, &at.sin_addr), 1);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    ck_assert_int_eq(listen(listener, QUEUE), 0);
    for (int i = 0; i < ENOUGH; i++) {
        int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        ck_assert_int_eq(connect(connection, (struct sockaddr *)&at, sizeof at), -1);
    }
}

static size_t read_count(struct stub *stub, const size_t *count) {
    pthread_mutex_lock(&stub->lock);
    size_t value = *count;
    pthread_mutex_unlock(&stub->lock);
    return value;
}

size_t stub_requests(struct stub *stub) {
    return read_count(stub, &stub->requests);
}

size_t stub_connections(struct stub *stub) {
    return read_count(stub, &stub->connections);
}

const char *stub_last_request(struct stub *stub) {
    static char last[REQUEST_MAX];
    pthread_mutex_lock(&stub->lock);
    memcpy(last, stub->last, sizeof last);
    pthread_mutex_unlock(&stub->lock);
    return last;
}

void stub_send(struct stub *stub, struct text bytes) {
    pthread_mutex_lock(&stub->lock);
    bool sent = peer_send(&(struct peer){stub->newest, NULL}, bytes);
    pthread_mutex_unlock(&stub->lock);
    ck_assert(sent);
}

void stub_gather(struct stub *stub, size_t count) {
    pthread_mutex_lock(&stub->lock);
    stub->gather = count;
    pthread_mutex_unlock(&stub->lock);
}

static void await(struct stub *stub, const size_t *count, size_t least) {
    pthread_mutex_lock(&stub->lock);
    while (*count < least) {
        pthread_cond_wait(&stub->changed, &stub->lock);
    }
    pthread_mutex_unlock(&stub->lock);
}

void stub_await_requests(struct stub *stub, size_t count) {
    await(stub, &stub->requests, count);
}

void stub_await_closed(struct stub *stub, size_t count) {
    await(stub, &stub->closed, count);
}

void stubs_end_tls(void) {
    for (struct stub *one = stubs; one != NULL; one = one->next) {
        if (one->tls != NULL) {
            shutdown(one->listener, SHUT_RDWR);
            stub_await_closed(one, stub_connections(one));
        }
    }
}

unsigned stub_closed_port(void) {
    unsigned port;
    close(listen_on("127.0.0.1", &port));
    return port;
}

unsigned stub_silent_port(void) {
    unsigned port;
    (void)listen_on("127.0.0.1", &port);
    return port;
}
