/*
 * recaudo-merchant: a merchant that answers external queries, with a thread for each connection. Requests to /answer
 * get a right answer after a fixed time, the same for the same reference every time; requests to anything else never
 * get one.
 */
#include "base/text.h"
#include "bench/common/fail.h"
#include "bench/common/options.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <unistd.h>

enum { REQUEST_SIZE = 8192, REPLY_SIZE = 2048, BACKLOG = 1024, DIGEST_SIZE = 64, REFERENCE_SIZE = 32 };

static const char usage[] = "Usage: recaudo-merchant --port N --hash-file FILE [--delay MS] [--amount TEXT]\n"
                            "Answers external queries on 127.0.0.1 until it is ended by a signal.\n";

static struct {
    uint64_t port;
    double delay; /* milliseconds */
    const char *hash_file, *amount;
    char *hash;
    char end[24]; /* timestamp_end of every order */
} merchant = {.amount = "45000.00"};

struct connection {
    int socket;
    size_t size;
    char bytes[REQUEST_SIZE];
};

static void print_checksum(const char *order, char out[2 * DIGEST_SIZE + 1]) {
    unsigned char digest[DIGEST_SIZE];
    char text[512];
    int size = snprintf(text, sizeof text, "%s%s%s%s", order, merchant.amount, merchant.end, merchant.hash);
    if (EVP_Digest(text, (size_t)size, digest, NULL, EVP_sha512(), NULL) != 1) {
        fail("SHA-512 does not work");
    }
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
}

/* False when the request has no reference. */
static bool read_reference(const char *body, char out[REFERENCE_SIZE]) {
    const char *at = strstr(body, "\"reference\"");
    at = at == NULL ? NULL : strpbrk(at + strlen("\"reference\""), "0123456789");
    size_t size = at == NULL ? 0 : strspn(at, "0123456789");
    if (size == 0 || size >= REFERENCE_SIZE) {
        return false;
    }
    memcpy(out, at, size);
    out[size] = '\0';
    return true;
}

static int print_reply(const char *body, char out[REPLY_SIZE]) {
    char reference[REFERENCE_SIZE], order[REFERENCE_SIZE + 8], checksum[2 * DIGEST_SIZE + 1], json[REPLY_SIZE / 2];
    if (!read_reference(body, reference)) {
        return snprintf(out, REPLY_SIZE, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    }
    snprintf(order, sizeof order, "bench-%s", reference);
    print_checksum(order, checksum);
    int size = snprintf(json, sizeof json,
                        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"order\":\"%s\",\"amount\":\"%s\","
                        "\"description\":\"Pedido\",\"email\":\"ana@example.com\",\"timestamp_end\":\"%s\","
                        "\"checksum\":\"%s\"}}",
                        order, merchant.amount, merchant.end, checksum);
    return snprintf(out, REPLY_SIZE,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", size, json);
}

/* The body of the next whole request, NUL after it. NULL: the connection has ended. */
static char *read_request(struct connection *connection) {
    connection->size = 0;
    for (;;) {
        connection->bytes[connection->size] = '\0';
        char *body = strstr(connection->bytes, "\r\n\r\n");
        const char *length = strcasestr(connection->bytes, "\r\nContent-Length:");
        if (body != NULL && length != NULL) {
            size_t wanted = strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
            if (connection->size >= (size_t)(body + 4 - connection->bytes) + wanted) {
                return body + 4;
            }
        }
        size_t room = sizeof connection->bytes - 1 - connection->size;
        ssize_t size = room == 0 ? 0 : read(connection->socket, connection->bytes + connection->size, room);
        if (size <= 0) {
            return NULL;
        }
        connection->size += (size_t)size;
    }
}

static void *serve(void *of_connection) {
    struct connection *connection = of_connection;
    char reply[REPLY_SIZE];
    const char *body;
    while ((body = read_request(connection)) != NULL) {
        if (strncmp(connection->bytes, "POST /answer ", strlen("POST /answer ")) != 0) {
            continue;
        }
        int size = print_reply(body, reply);
        usleep((useconds_t)(merchant.delay * 1000));
        if (write(connection->socket, reply, (size_t)size) != size) {
            break;
        }
    }
    close(connection->socket);
    free(connection);
    return NULL;
}

static int listen_on(uint16_t port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, BACKLOG) != 0) {
        fail("port %u: %m", port);
    }
    return listener;
}

static void accept_all(int listener) {
    for (;;) {
        int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC), yes = 1;
        struct connection *connection = malloc(sizeof *connection);
        pthread_t thread;
        if (accepted < 0 || connection == NULL) {
            fail("no connection: %m");
        }
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        connection->socket = accepted;
        if (pthread_create(&thread, NULL, serve, connection) != 0) {
            fail("a thread cannot be started");
        }
        pthread_detach(thread);
    }
}

int main(int argc, char **argv) {
    const struct option_spec specs[] = {
        {"port", OPTION_WHOLE, &merchant.port, 1, 65535},
        {"hash-file", OPTION_TEXT, &merchant.hash_file, 0, 0},
        {"delay", OPTION_DECIMAL, &merchant.delay, 0, 60000},
        {"amount", OPTION_TEXT, &merchant.amount, 0, 0},
    };
    options_parse(argc, argv, usage, specs, COUNT_OF(specs));
    if (merchant.port == 0 || merchant.hash_file == NULL) {
        fail("--port and --hash-file are needed; see --help");
    }
    merchant.hash = options_secret(merchant.hash_file);
    snprintf(merchant.end, sizeof merchant.end, "%lld", (long long)time(NULL) + 7 * 24 * 3600);
    accept_all(listen_on((uint16_t)merchant.port));
    return 0;
}
