#include "console/core/outlet.h"

#include "base/reason_phrase.h"

/* Header lines of every reply: nothing is loaded from other sites, no script runs, the page cannot be framed, it is not
 * cached, and its address is not sent as Referer. */
static const char ALWAYS[] = "Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self'; "
                             "form-action 'self'; frame-ancestors 'none'; base-uri 'none'\r\n"
                             "X-Content-Type-Options: nosniff\r\n"
                             "Referrer-Policy: no-referrer\r\n"
                             "Cross-Origin-Opener-Policy: same-origin\r\n"
                             "Cross-Origin-Resource-Policy: same-origin\r\n"
                             "X-Robots-Tag: noindex, nofollow\r\n";

enum { HEAD_SIZE = 2048, LENGTH_SIZE = 48 };

static void send_bytes(struct outlet *outlet, struct text bytes) {
    outlet->has_failed = outlet->has_failed || !outlet->send(outlet->context, bytes);
}

void outlet_begin(struct outlet *outlet, int status, const char *content_type, struct text headers, size_t size) {
    char head[HEAD_SIZE], length[LENGTH_SIZE] = "";
    if (size != OUTLET_STREAM) {
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
    }
    int used = snprintf(head, sizeof head, "Status: %d %s\r\nContent-Type: %s\r\n%s%s", status, reason_phrase(status),
                        content_type, length, ALWAYS);
    outlet->has_begun = true;
    outlet->status = status;
    send_bytes(outlet, (struct text){head, (size_t)used});
    send_bytes(outlet, headers);
    send_bytes(outlet, TEXT("\r\n"));
}

bool outlet_send(struct outlet *outlet, struct text bytes) {
    if (!outlet->is_head) {
        send_bytes(outlet, bytes);
    }
    return !outlet->has_failed && !outlet->is_head;
}

bool outlet_is_wanted(const struct outlet *outlet) {
    return !outlet->has_failed && outlet->is_wanted(outlet->context);
}

void outlet_begin_csv(struct outlet *outlet, const char *file_name) {
    char headers[200];
    int used = snprintf(headers, sizeof headers,
                        "Cache-Control: no-store\r\nContent-Disposition: attachment; filename=\"%s\"\r\n", file_name);
    outlet_begin(outlet, 200, "text/csv; charset=utf-8; header=present", (struct text){headers, (size_t)used},
                 OUTLET_STREAM);
}
