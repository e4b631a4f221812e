#include "bench/load/load_request.h"

#include "bench/common/fail.h"

#include <ctype.h>
#include <openssl/evp.h>

enum {
    DIGEST_SIZE = 64,
    HEX_SIZE = 2 * DIGEST_SIZE + 1,
    ENCODED_SIZE = 3 * 160 + 1,
    REFERENCE_SIZE = 64,
    AMOUNT_SIZE = 64
};

struct request_maker {
    const struct load_options *options;
    EVP_MD *sha512;
    EVP_MD_CTX *context;
    char network_in_url[ENCODED_SIZE];
};

static void encode_for_url(const char *text, char *out) {
    static const char digits[] = "0123456789ABCDEF";
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (isalnum(byte) || strchr("-._~", byte) != NULL) {
            *out++ = (char)byte;
        } else {
            *out++ = '%';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
        }
    }
    *out = '\0';
}

struct request_maker *request_maker_create(const struct load_options *options) {
    struct request_maker *maker = calloc(1, sizeof *maker);
    if (maker == NULL) {
        fail("out of memory");
    }
    maker->options = options;
    maker->sha512 = EVP_MD_fetch(NULL, "SHA512", NULL);
    maker->context = EVP_MD_CTX_new();
    if (maker->sha512 == NULL || maker->context == NULL) {
        fail("the cryptographic library has no SHA-512");
    }
    encode_for_url(options->network, maker->network_in_url);
    return maker;
}

void request_maker_destroy(struct request_maker *maker) {
    EVP_MD_CTX_free(maker->context);
    EVP_MD_free(maker->sha512);
    free(maker);
}

/* Over the parts up to the first NULL, followed by the network's hash. */
static void checksum(struct request_maker *maker, const char *const *parts, char hex[HEX_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST_SIZE];
    const char *hash = maker->options->network_hash;
    bool made = EVP_DigestInit_ex2(maker->context, maker->sha512, NULL) == 1;
    for (; *parts != NULL; parts++) {
        made = made && EVP_DigestUpdate(maker->context, *parts, strlen(*parts)) == 1;
    }
    made = made && EVP_DigestUpdate(maker->context, hash, strlen(hash)) == 1 &&
           EVP_DigestFinal_ex(maker->context, digest, NULL) == 1;
    if (!made) {
        fail("the cryptographic library failed");
    }
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[HEX_SIZE - 1] = '\0';
}

/* Makes a wrong checksum of a right one where that is asked for. */
static void spoil(const struct subject *subject, char hex[HEX_SIZE]) {
    if (subject->step.twist == TWIST_CHECKSUM) {
        hex[0] = hex[0] == '0' ? '1' : '0';
    }
}

static int make_lookup(struct request_maker *maker, const struct subject *subject, char *out) {
    char hex[HEX_SIZE];
    char reference[REFERENCE_SIZE];
    snprintf(reference, sizeof reference, "%s%s", subject->step.twist == TWIST_UNKNOWN_REFERENCE ? "99" : "",
             subject->order.reference);
    checksum(maker, (const char *[]){maker->options->network, reference, NULL}, hex);
    spoil(subject, hex);
    return snprintf(out, REQUEST_SIZE,
                    "GET /v1/orders/%s?name=%s&checksum=%s HTTP/1.1\r\n"
                    "Host: %s:%s\r\nContent-Type: application/json\r\n\r\n",
                    reference, maker->network_in_url, hex, maker->options->host, maker->options->port);
}

static int with_body(const struct request_maker *maker, const char *method, const char *body, char *out) {
    return snprintf(out, REQUEST_SIZE,
                    "%s /v1/transactions/ HTTP/1.1\r\n"
                    "Host: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                    method, maker->options->host, maker->options->port, strlen(body), body);
}

static int make_register(struct request_maker *maker, const struct subject *subject, char *out) {
    char hex[HEX_SIZE];
    char body[REQUEST_SIZE];
    char amount[AMOUNT_SIZE];
    const char *network = maker->options->network;
    const struct order_line *order = &subject->order;
    snprintf(amount, sizeof amount, "%s%s", subject->step.twist == TWIST_OTHER_AMOUNT ? "1" : "", order->amount);
    checksum(maker, (const char *[]){network, order->reference, amount, subject->transaction, NULL}, hex);
    snprintf(body, sizeof body,
             "{\"name\":\"%s\",\"reference\":\"%s\",\"amount\":\"%s\",\"transaction\":\"%s\",\"commerce\":\"%s\","
             "\"teller\":\"bench-1\",\"money\":\"%s\",\"checksum\":\"%s\"}",
             network, order->reference, amount, subject->transaction, order->commerce, order->money, hex);
    return with_body(maker, "POST", body, out);
}

/* The day after tomorrow, wherever the merchant is. */
static void print_expiration(char out[16]) {
    time_t then = time(NULL) + (time_t)2 * 24 * 60 * 60;
    struct tm parts;
    strftime(out, 16, "%d/%m/%Y", gmtime_r(&then, &parts));
}

static int make_porder(struct request_maker *maker, const struct subject *subject, char *out) {
    static const char email[] = "bench@example.com", country[] = "343";
    char hex[HEX_SIZE], expiration[16];
    char body[REQUEST_SIZE];
    const struct order_line *order = &subject->order;
    print_expiration(expiration);
    checksum(maker, (const char *[]){email, country, subject->transaction, order->money, order->amount, NULL}, hex);
    snprintf(body, sizeof body,
             "{\"merchant\":\"%s\",\"email\":\"%s\",\"country\":%s,\"order\":\"%s\",\"money\":\"%s\",\"amount\":\"%s\","
             "\"description\":\"bench\",\"language\":\"es\",\"expiration\":\"%s\",\"iva\":\"0\",\"checksum\":\"%s\"}",
             maker->options->network, email, country, subject->transaction, order->money, order->amount, expiration,
             hex);
    return snprintf(out, REQUEST_SIZE,
                    "POST /v1/porders HTTP/1.1\r\n"
                    "Host: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                    maker->options->host, maker->options->port, strlen(body), body);
}

static int make_consult(struct request_maker *maker, const struct subject *subject, char *out) {
    char hex[HEX_SIZE];
    const char *number = subject->order.reference;
    checksum(maker, (const char *[]){number, maker->options->network, NULL}, hex);
    return snprintf(out, REQUEST_SIZE, "GET /v1/porders/%s?merchant=%s&checksum=%s HTTP/1.1\r\nHost: %s:%s\r\n\r\n",
                    number, maker->network_in_url, hex, maker->options->host, maker->options->port);
}

static int make_confirm(struct request_maker *maker, const struct subject *subject, char *out) {
    char hex[HEX_SIZE];
    char body[REQUEST_SIZE];
    const char *network = maker->options->network;
    const char *confirm = subject->operation == OPERATION_CANCEL ? "false" : "true";
    checksum(maker, (const char *[]){network, subject->transaction, NULL}, hex);
    snprintf(body, sizeof body, "{\"name\":\"%s\",\"transaction\":\"%s\",\"confirm\":\"%s\",\"checksum\":\"%s\"}",
             network, subject->transaction, confirm, hex);
    return with_body(maker, "PATCH", body, out);
}

/* The same sizes as the dispatcher's, which has a URL of the merchant's own and signs with a digest half as long. */
static int make_notify(struct request_maker *maker, const struct subject *subject, char *out) {
    char hex[HEX_SIZE];
    char body[REQUEST_SIZE];
    const struct order_line *order = &subject->order;
    checksum(maker, (const char *[]){order->reference, "approved", NULL}, hex);
    int length =
        snprintf(body, sizeof body,
                 "{\"pv_po_id\":%s,\"po_id\":\"%s\",\"status\":\"approved\",\"pv_checksum\":\"%s\",\"amount\":\"%s\","
                 "\"iso_currency\":\"%s\",\"pv_payment\":\"%s\"}",
                 order->reference, order->reference, hex, order->amount, order->money, maker->options->network);
    return snprintf(
        out, REQUEST_SIZE,
        "POST /notifications HTTP/1.1\r\n"
        "Host: %s:%s\r\nContent-Type: application/json\r\nwebhook-id: ntf_%s\r\nwebhook-signature: v1,%.44s\r\n"
        "Content-Length: %d\r\n\r\n%s",
        maker->options->host, maker->options->port, order->reference, hex, length, body);
}

size_t request_make(struct request_maker *maker, const struct subject *subject, char out[REQUEST_SIZE]) {
    int length = 0;
    switch (subject->operation) {
    case OPERATION_LOOKUP:
        length = make_lookup(maker, subject, out);
        break;
    case OPERATION_REGISTER:
        length = make_register(maker, subject, out);
        break;
    case OPERATION_CONFIRM:
    case OPERATION_CANCEL:
        length = make_confirm(maker, subject, out);
        break;
    case OPERATION_NOTIFY:
        length = make_notify(maker, subject, out);
        break;
    case OPERATION_PORDER:
        length = make_porder(maker, subject, out);
        break;
    case OPERATION_CONSULT:
        length = make_consult(maker, subject, out);
        break;
    case OPERATION_FLOW:
    case OPERATION_MIX:
    case OPERATION_SELECT:
    case OPERATIONS:
        fail("%s is not one request", operation_name(subject->operation));
    }
    if (length <= 0 || length >= REQUEST_SIZE) {
        fail("the request for reference %s is too long", subject->order.reference);
    }
    return (size_t)length;
}
