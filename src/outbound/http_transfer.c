#include "outbound/http_transfer.h"

#include "base/memory.h"
#include "outbound/http_url.h"
#include "outbound/retry_after.h"
#include "outbound/trust.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Longest idle time in seconds after which a connection is reused. Servers close idle ones after 2 s or more, and a
 * request that meets the close is lost.
 */
#define IDLE_REUSE_SECONDS 1L

/* Seconds for which certificates stay cached, and may be trusted after they were removed. */
#define REMEMBER_CA_SECONDS 300L

/* CURLE_TOO_LARGE, for a header line of more than 100 kB; defined since version 8.6 of the library. */
#define TOO_LARGE ((CURLcode)100)

static const struct {
    CURLcode result;
    enum http_error error;
} ERRORS[] = {
    {CURLE_OK, HTTP_FINE},
    {CURLE_URL_MALFORMAT, HTTP_BAD_URL},
    {CURLE_COULDNT_RESOLVE_HOST, HTTP_DNS},
    {CURLE_COULDNT_CONNECT, HTTP_CONNECT},
    {CURLE_OPERATION_TIMEDOUT, HTTP_TIMEOUT},
    {CURLE_SSL_CONNECT_ERROR, HTTP_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, HTTP_TLS},
    {CURLE_SSL_CACERT_BADFILE, HTTP_CERTIFICATES},
    {CURLE_SSL_CERTPROBLEM, HTTP_TLS},
    {CURLE_SSL_CIPHER, HTTP_TLS},
    {CURLE_SSL_ISSUER_ERROR, HTTP_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, HTTP_TLS},
    {CURLE_OUT_OF_MEMORY, HTTP_TOO_LARGE}, /* before version 8.6: also a header line of more than 100 kB */
    {TOO_LARGE, HTTP_TOO_LARGE},
};

/* Aborts if the library does not know an option, because that guard would be missing. */
#define SET(easy, option, value)                                                                                       \
    do {                                                                                                               \
        if (curl_easy_setopt(easy, option, value) != CURLE_OK) {                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static curl_socket_t open_socket(void *of_transfer, curlsocktype purpose, struct curl_sockaddr *to) {
    struct http_transfer *transfer = of_transfer;
    struct address address;
    (void)purpose;
    bool permitted = address_of_socket(&to->addr, &address);
    if (permitted) {
        address_print(&address, transfer->reply.address);
        permitted = address_is_permitted(transfer->guard, &address);
    }
    if (!permitted) {
        transfer->was_refused = true;
        return CURL_SOCKET_BAD;
    }
    transfer->was_opened = true;
    int made = http_sockets_open(transfer->sockets, to);
    transfer->lacked_file = transfer->lacked_file || (made < 0 && (errno == EMFILE || errno == ENFILE));
    return made;
}

/* TLS reads whole records, so it may have buffered bytes after the end of a reply. */
static bool tls_has_input(CURL *easy) {
    struct curl_tlssessioninfo *tls = NULL;
    bool known = curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &tls) == CURLE_OK && tls != NULL &&
                 tls->backend == CURLSSLBACKEND_OPENSSL && tls->internals != NULL;
    return known && SSL_has_pending(tls->internals) == 1;
}

static bool has_leftovers(const struct http_transfer *transfer, int local_port) {
    return http_sockets_have_input(transfer->sockets, local_port) || tls_has_input(transfer->easy);
}

/*
 * Called when a connection is ready for the request, also before the library repeats the request on a new one, which is
 * not allowed once a byte was sent. Bytes that arrived after the last reply on a connection would be taken for this
 * reply.
 */
static int before_request(void *of_transfer, char *remote, char *local, int remote_port, int local_port) {
    struct http_transfer *transfer = of_transfer;
    long sent = 0;
    (void)local, (void)remote_port;
    snprintf(transfer->reply.address, sizeof transfer->reply.address, "%s", remote);
    bool known = curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent) == CURLE_OK;
    if (!known || sent > 0) {
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->needs_fresh = !transfer->was_opened && has_leftovers(transfer, local_port);
    return transfer->needs_fresh ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* Called for each line: status lines (several after 1xx), headers, the empty line that ends them, trailers. */
static size_t take_header(char *bytes, size_t one, size_t size, void *of_transfer) {
    struct http_transfer *transfer = of_transfer;
    struct text line = {bytes, one * size};
    bool starts = text_begins(line, TEXT("HTTP/"));
    transfer->headers_ended = line.at[0] == '\r' || line.at[0] == '\n' || (transfer->headers_ended && !starts);
    transfer->header_bytes += one * size;
    if (starts) {
        transfer->reply.retry_after = 0;
    } else if (!transfer->headers_ended) {
        (void)retry_after_read(line, clock_host(), &transfer->reply.retry_after);
    }
    return transfer->header_bytes > HTTP_REPLY_HEADERS_MAX ? 0 : one * size;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *of_transfer) {
    struct http_transfer *transfer = of_transfer;
    size_t room = transfer->reply_max - transfer->reply.body.size;
    size_t taken = one * size < room ? one * size : room;
    if (transfer->body == NULL) {
        transfer->body = arena_alloc(transfer->arena, transfer->reply_max);
        transfer->reply.body.at = transfer->body;
    }
    memcpy(transfer->body + transfer->reply.body.size, bytes, taken);
    transfer->reply.body.size += taken;
    transfer->reply.cut = taken < one * size;
    return taken;
}

/*
 * The library caches a file of certificates, but not a directory. With a directory it also reads the file again, which
 * costs 30 ms of processor time per connection.
 */
static void trust(CURL *easy, const char *ca_file) {
    const char *file = trust_file(ca_file);
    if (file != NULL) {
        SET(easy, CURLOPT_CAINFO, file);
        SET(easy, CURLOPT_CAPATH, NULL);
        SET(easy, CURLOPT_CA_CACHE_TIMEOUT, REMEMBER_CA_SECONDS);
    }
}

static void guard_handle(CURL *easy, struct http_transfer *transfer, const char *ca_file) {
    SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    SET(easy, CURLOPT_FOLLOWLOCATION, 0L);
    SET(easy, CURLOPT_PROXY, "");
    SET(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    SET(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(easy, CURLOPT_OPENSOCKETDATA, transfer);
    SET(easy, CURLOPT_CLOSESOCKETFUNCTION, http_sockets_close);
    SET(easy, CURLOPT_CLOSESOCKETDATA, transfer->sockets);
    trust(easy, ca_file);
}

void http_transfer_open(struct http_transfer *transfer, const struct address_guard *guard, struct http_sockets *sockets,
                        const char *ca_file) {
    CURL *easy = memory_needed(curl_easy_init());
    *transfer = (struct http_transfer){.easy = easy, .guard = guard, .sockets = sockets, .arena = arena_create()};
    guard_handle(easy, transfer, ca_file);
    SET(easy, CURLOPT_PRIVATE, transfer);
    SET(easy, CURLOPT_NOSIGNAL, 1L);
    SET(easy, CURLOPT_ERRORBUFFER, transfer->problem);
    SET(easy, CURLOPT_POST, 1L);
    SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(easy, CURLOPT_USERAGENT, "recaudo/" PACKAGE_VERSION);
    SET(easy, CURLOPT_MAXAGE_CONN, IDLE_REUSE_SECONDS);
    SET(easy, CURLOPT_PREREQFUNCTION, before_request);
    SET(easy, CURLOPT_PREREQDATA, transfer);
    SET(easy, CURLOPT_HEADERFUNCTION, take_header);
    SET(easy, CURLOPT_HEADERDATA, transfer);
    SET(easy, CURLOPT_WRITEFUNCTION, take_body);
    SET(easy, CURLOPT_WRITEDATA, transfer);
    /* Without it, aborting during name resolution would wait for its end and stop the whole client. */
    SET(easy, CURLOPT_QUICK_EXIT, 1L);
}

void http_transfer_close(struct http_transfer *transfer) {
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    arena_destroy(transfer->arena);
}

static void add_request_header(struct http_transfer *transfer, const char *line) {
    struct curl_slist *longer = memory_needed(curl_slist_append(transfer->headers, line));
    transfer->headers = longer;
}

static void set_headers(struct http_transfer *transfer, const struct http_request *request) {
    curl_slist_free_all(transfer->headers);
    transfer->headers = NULL;
    for (size_t i = 0; i < request->header_count; i++) {
        add_request_header(transfer, arena_copy(transfer->arena, request->headers[i]).at);
    }
    add_request_header(transfer, "Expect:");
    SET(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
}

bool http_transfer_prepare(struct http_transfer *transfer, const struct http_request *request) {
    arena_reset(transfer->arena);
    transfer->reply_max = request->reply_max;
    transfer->header_bytes = 0;
    transfer->body = NULL;
    transfer->was_refused = transfer->was_opened = transfer->lacked_file = transfer->headers_ended = false;
    transfer->needs_fresh = false;
    transfer->problem[0] = '\0';
    transfer->reply = (struct http_reply){.body = TEXT("")};
    struct text url = arena_copy(transfer->arena, request->url);
    if (!http_url_is_fit(url)) {
        transfer->reply.error = HTTP_BAD_URL;
        return false;
    }
    struct text body = arena_copy(transfer->arena, request->body);
    SET(transfer->easy, CURLOPT_URL, url.at);
    SET(transfer->easy, CURLOPT_POSTFIELDS, body.at);
    SET(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size);
    SET(transfer->easy, CURLOPT_TIMEOUT_MS, (long)((request->timeout + MILLISECOND - 1) / MILLISECOND));
    SET(transfer->easy, CURLOPT_FRESH_CONNECT, 0L);
    set_headers(transfer, request);
    return true;
}

bool http_transfer_begin_anew(struct http_transfer *transfer) {
    bool anew = transfer->needs_fresh;
    transfer->needs_fresh = false;
    if (anew) {
        SET(transfer->easy, CURLOPT_FRESH_CONNECT, 1L);
    }
    return anew;
}

/* The library's words have the number of OpenSSL's error, in some versions after words of their own:
 * "TLS connect error: error:0A00010B:SSL routines::wrong version number". */
static int tls_error_reason(const char *problem) {
    static const char MARK[] = "error:";
    for (const char *at = strstr(problem, MARK); at != NULL; at = strstr(at, MARK)) {
        char *end;
        at += strlen(MARK);
        unsigned long number = strtoul(at, &end, 16);
        if (end > at && *end == ':') {
            return ERR_GET_REASON(number);
        }
    }
    return 0;
}

/* In TLS 1.3 a server says that it wants a client's certificate when for the client the handshake has ended. */
static bool is_alert_before_reply(const struct http_transfer *transfer, CURLcode result) {
    return (result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR) && transfer->header_bytes == 0 &&
           tls_error_reason(transfer->problem) >= SSL_AD_REASON_OFFSET;
}

static enum http_error judge_result(const struct http_transfer *transfer, CURLcode result) {
    if (result == CURLE_COULDNT_CONNECT && transfer->was_refused && !transfer->was_opened) {
        return HTTP_ADDRESS_REFUSED;
    }
    if (result == CURLE_WRITE_ERROR) {
        return transfer->reply.cut ? HTTP_FINE : HTTP_TOO_LARGE;
    }
    if (is_alert_before_reply(transfer, result)) {
        return HTTP_TLS;
    }
    if (result == CURLE_OK && !transfer->headers_ended) {
        return HTTP_PROTOCOL; /* closed within the headers, which the library takes for their end */
    }
    for (size_t i = 0; i < COUNT_OF(ERRORS); i++) {
        if (ERRORS[i].result == result) {
            return ERRORS[i].error;
        }
    }
    return HTTP_PROTOCOL;
}

static enum http_error judge_peer_certificate(long verdict) {
    switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return HTTP_TLS_EXPIRED;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        return HTTP_TLS_AUTHORITY;
    case X509_V_OK:
    case X509_V_ERR_UNSPECIFIED: /* as the library leaves it where only the name does not match */
        return HTTP_TLS_NAME;
    default:
        return HTTP_TLS;
    }
}

static enum http_error judge_tls(const struct http_transfer *transfer, CURLcode result) {
    long verdict = X509_V_OK;
    if (result == CURLE_PEER_FAILED_VERIFICATION) {
        curl_easy_getinfo(transfer->easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
        return judge_peer_certificate(verdict);
    }
    switch (tls_error_reason(transfer->problem)) {
    case SSL_R_WRONG_VERSION_NUMBER:
        return HTTP_TLS_ABSENT;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
        return HTTP_TLS_VERSION;
    default:
        return HTTP_TLS;
    }
}

/* The library reports a lack of files as a failure to resolve a name or to connect, so test for it. */
static bool lacks_files(void) {
    int probe = eventfd(0, EFD_CLOEXEC);
    int error = errno;
    if (probe >= 0) {
        close(probe);
    }
    return probe < 0 && (error == EMFILE || error == ENFILE);
}

void http_transfer_finish(struct http_transfer *transfer, CURLcode result) {
    long status = 0;
    curl_off_t took = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->easy, CURLINFO_TOTAL_TIME_T, &took);
    struct http_reply *reply = &transfer->reply;
    reply->error = judge_result(transfer, result);
    if (reply->error == HTTP_TLS) {
        snprintf(reply->problem, sizeof reply->problem, "%s", transfer->problem);
        reply->error = judge_tls(transfer, result);
    }
    if (reply->error != HTTP_FINE && (transfer->lacked_file || lacks_files())) {
        reply->error = HTTP_FILES;
    }
    reply->status = (int)status;
    reply->took = took;
}
