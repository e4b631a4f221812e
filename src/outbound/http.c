#include "outbound/http.h"

#include "base/loop/loop.h"
#include "base/memory.h"
#include "outbound/http_loop.h"
#include "outbound/http_transfer.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>

enum { HTTP_TOO_MANY_REQUESTS = 429, HTTP_SERVER_ERROR = 500 };

struct http_client {
    CURLM *multi;
    struct http_sockets *sockets;
    struct http_loop *loop;  /* NULL: the client belongs to no loop */
    void (*ended)(void *of); /* called when replies have arrived; NULL: wake the waiting tasks */
    void *of_ended;
    struct http_transfer *transfers; /* one more than in_flight_max: the caller is reading its reply */
    size_t size, in_flight;
    struct http_transfer *idle;
    struct http_transfer *ready, **ready_end; /* replies in the order of arrival */
    struct http_transfer *lent;
};

static const char *const ERROR_NAMES[] = {[HTTP_FINE] = "none",
                                          [HTTP_BAD_URL] = "url",
                                          [HTTP_DNS] = "dns",
                                          [HTTP_ADDRESS_REFUSED] = "address",
                                          [HTTP_CONNECT] = "connect",
                                          [HTTP_CERTIFICATES] = "certificates",
                                          [HTTP_TLS] = "tls",
                                          [HTTP_TLS_EXPIRED] = "tls_expired",
                                          [HTTP_TLS_NAME] = "tls_name",
                                          [HTTP_TLS_AUTHORITY] = "tls_authority",
                                          [HTTP_TLS_VERSION] = "tls_version",
                                          [HTTP_TLS_ABSENT] = "tls_absent",
                                          [HTTP_TIMEOUT] = "timeout",
                                          [HTTP_PROTOCOL] = "protocol",
                                          [HTTP_TOO_LARGE] = "too_large",
                                          [HTTP_FILES] = "files"};

static pthread_once_t library_is_ready = PTHREAD_ONCE_INIT;

bool http_reply_is_failure(const struct http_reply *reply) {
    bool refuses = reply->status == HTTP_TOO_MANY_REQUESTS || reply->status >= HTTP_SERVER_ERROR;
    return reply->error == HTTP_FINE ? refuses : reply->error != HTTP_TOO_LARGE && reply->error != HTTP_FILES;
}

const char *http_error_name(enum http_error error) {
    return ERROR_NAMES[error];
}

/* TLS uses plain write(2), and the library blocks SIGPIPE only if it may handle signals. */
static void make_library_ready(void) {
    signal(SIGPIPE, SIG_IGN);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        abort();
    }
}

static void check_curl(CURLMcode result) {
    if (result != CURLM_OK) {
        abort();
    }
}

static void put_idle(struct http_client *client, struct http_transfer *transfer) {
    transfer->next = client->idle;
    client->idle = transfer;
}

static void put_ready(struct http_client *client, struct http_transfer *transfer) {
    transfer->next = NULL;
    *client->ready_end = transfer;
    client->ready_end = &transfer->next;
}

static struct http_transfer *take_ready(struct http_client *client) {
    struct http_transfer *transfer = client->ready;
    if (transfer != NULL) {
        client->ready = transfer->next;
        client->ready_end = client->ready == NULL ? &client->ready : client->ready_end;
        client->in_flight--;
    }
    return transfer;
}

static void take_back(struct http_client *client) {
    if (client->lent != NULL) {
        put_idle(client, client->lent);
        client->lent = NULL;
    }
}

static void requests_went_on(void *of_client);

struct http_client *http_client_create(const struct address_guard *guard, size_t in_flight_max, const char *ca_file) {
    pthread_once(&library_is_ready, make_library_ready);
    struct http_client *client = memory_zeroed(1, sizeof *client);
    struct http_transfer *transfers = memory_zeroed(in_flight_max + 1, sizeof *transfers);
    CURLM *multi = memory_needed(curl_multi_init());
    *client = (struct http_client){
        .multi = multi, .sockets = http_sockets_create(), .transfers = transfers, .size = in_flight_max + 1};
    client->ready_end = &client->ready;
    client->loop = loop_is_open() ? http_loop_begin(multi, requests_went_on, client) : NULL;
    check_curl(curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)in_flight_max));
    for (size_t i = 0; i < client->size; i++) {
        http_transfer_open(&transfers[i], guard, client->sockets, ca_file);
        put_idle(client, &transfers[i]);
    }
    return client;
}

void http_client_destroy(struct http_client *client) {
    if (client == NULL) {
        return;
    }
    for (size_t i = 0; i < client->size; i++) {
        check_curl(curl_multi_remove_handle(client->multi, client->transfers[i].easy));
        http_transfer_close(&client->transfers[i]);
    }
    curl_multi_cleanup(client->multi);
    http_sockets_destroy(client->sockets);
    if (client->loop != NULL) {
        http_loop_end(client->loop);
    }
    free(client->transfers);
    free(client);
}

/* NULL: as many as permitted are in flight. */
static struct http_transfer *start(struct http_client *client, const struct http_request *request, void *tag) {
    if (client->in_flight + 1 == client->size) {
        return NULL;
    }
    struct http_transfer *transfer = client->idle;
    client->idle = transfer->next;
    client->in_flight++;
    transfer->tag = tag;
    if (http_transfer_prepare(transfer, request)) {
        check_curl(curl_multi_add_handle(client->multi, transfer->easy));
    } else {
        put_ready(client, transfer);
    }
    return transfer;
}

bool http_client_start(struct http_client *client, const struct http_request *request, void *tag) {
    return start(client, request, tag) != NULL;
}

static void collect(struct http_client *client) {
    int left;
    const CURLMsg *message;
    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        struct http_transfer *transfer;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
        if (http_transfer_begin_anew(transfer)) {
            check_curl(curl_multi_remove_handle(client->multi, easy));
            check_curl(curl_multi_add_handle(client->multi, easy));
            continue;
        }
        http_transfer_finish(transfer, result);
        check_curl(curl_multi_remove_handle(client->multi, easy));
        put_ready(client, transfer);
    }
}

static void drive(struct http_client *client) {
    int left;
    check_curl(curl_multi_perform(client->multi, &left));
    collect(client);
}

static int milliseconds(duration wait) {
    duration rounded = (wait + MILLISECOND - 1) / MILLISECOND;
    return rounded < INT_MAX ? (int)rounded : INT_MAX;
}

bool http_client_wait(struct http_client *client, duration timeout, int wake_fd) {
    struct curl_waitfd wake = {.fd = wake_fd, .events = CURL_WAIT_POLLIN};
    duration now = clock_monotonic(), ends_at = now + timeout;
    take_back(client);
    drive(client);
    do {
        duration wait = client->ready != NULL || now >= ends_at ? 0 : ends_at - now;
        duration longest = client->in_flight > 0 && wait > HTTP_NUDGE ? HTTP_NUDGE : wait;
        check_curl(curl_multi_poll(client->multi, &wake, wake_fd >= 0, milliseconds(longest), NULL));
        drive(client);
        now = clock_monotonic();
    } while (client->ready == NULL && wake.revents == 0 && now < ends_at);
    return wake.revents != 0;
}

bool http_client_next(struct http_client *client, void **tag, struct http_reply *out) {
    take_back(client);
    struct http_transfer *transfer = take_ready(client);
    if (transfer == NULL) {
        return false;
    }
    client->lent = transfer;
    *tag = transfer->tag;
    *out = transfer->reply;
    return true;
}

size_t http_client_in_flight(const struct http_client *client) {
    return client->in_flight;
}

/* The tag of a task's request. */
struct asking {
    struct task *task;
    bool is_answered;
};

static void wake_tasks(struct http_client *client) {
    struct http_transfer *transfer;
    while ((transfer = take_ready(client)) != NULL) {
        struct asking *asking = transfer->tag;
        asking->is_answered = true;
        if (asking->task != task_running()) {
            task_wake(asking->task);
        }
    }
}

/* Called by the loop when the transfers have made progress. */
static void requests_went_on(void *of_client) {
    struct http_client *client = of_client;
    collect(client);
    if (client->ended == NULL) {
        wake_tasks(client);
    } else if (client->ready != NULL) {
        client->ended(client->of_ended);
    }
}

void http_client_tell(struct http_client *client, void (*ended)(void *of), void *of) {
    client->ended = ended;
    client->of_ended = of;
}

static void break_off(struct http_client *client, struct http_transfer *transfer) {
    check_curl(curl_multi_remove_handle(client->multi, transfer->easy));
    client->in_flight--;
    put_idle(client, transfer);
}

bool http_perform_for(struct http_client *client, const struct http_asker *asker, const struct http_request *request,
                      struct arena *arena, struct http_reply *out) {
    struct asking asking = {.task = task_running()};
    struct http_transfer *transfer = start(client, request, &asking);
    if (transfer == NULL) {
        abort();
    }
    wake_tasks(client); /* a malformed URL has its reply already */
    while (!asking.is_answered && asker->is_there(asker->of)) {
        (void)task_pause(INT64_MAX);
    }
    if (!asking.is_answered) {
        break_off(client, transfer);
        return false;
    }
    *out = transfer->reply;
    out->body = arena_copy(arena, out->body);
    put_idle(client, transfer);
    return true;
}

static bool stays(void *unused) {
    (void)unused;
    return true;
}

static void perform_in_loop(struct http_client *client, const struct http_request *request, struct arena *arena,
                            struct http_reply *out) {
    const struct http_asker asker = {stays, NULL};
    (void)http_perform_for(client, &asker, request, arena, out);
}

static void perform_alone(struct http_client *client, const struct http_request *request, struct arena *arena,
                          struct http_reply *out) {
    void *tag;
    if (!http_client_start(client, request, NULL)) {
        abort();
    }
    do {
        (void)http_client_wait(client, request->timeout, -1);
    } while (!http_client_next(client, &tag, out));
    out->body = arena_copy(arena, out->body);
}

void http_perform(struct http_client *client, const struct http_request *request, struct arena *arena,
                  struct http_reply *out) {
    (client->loop != NULL ? perform_in_loop : perform_alone)(client, request, arena, out);
}
