#include "ctl/common/attempt_records.h"

#include "base/utf8.h"
#include "ctl/common/reply_text.h"

static const struct {
    const char *reason, *words;
} REASONS[] = {
    {"acknowledged", "acknowledged"},
    {"status", "the HTTP status is not 2xx"},
    {"reply", "the reply is not OK: answer OK, nothing else"},
    {"secret", "the merchant's NOTIFICATION_HASH cannot be decrypted with our key: nothing was sent"},
    {"url", "the merchant's URL cannot be used"},
    {"dns", "the host name has no address"},
    {"address", "no address of the host may be connected to ([security] allow_addresses)"},
    {"connect", "no connection"},
    {"certificates",
     "our host has no certificates to trust ([security] ca_file, package ca-certificates): nothing was sent"},
    {"tls", "TLS failed"},
    {"tls_expired", "TLS failed: the certificate has expired, or is not valid yet"},
    {"tls_name", "TLS failed: the certificate is for another host name"},
    {"tls_authority", "TLS failed: the certificate is of no authority that we trust, or its chain is not complete"},
    {"tls_version", "TLS failed: the server speaks no TLS 1.2 or newer"},
    {"tls_absent", "TLS failed: the server speaks no TLS at this port"},
    {"timeout", "no whole reply in time"},
    {"protocol", "the connection ended before the reply did, or the reply is not HTTP"},
    {"too_large", "the headers of the reply are too large"},
    {"files", "our own process could open no more files (LimitNOFILE): nothing was sent"},
};

const char *attempt_records_words(struct text reason) {
    size_t at = 0;
    while (at + 1 < COUNT_OF(REASONS) && !text_equal(reason, text_of(REASONS[at].reason))) {
        at++;
    }
    return REASONS[at].words;
}

void attempt_records_verdict(struct record *record, struct text reason) {
    bool acknowledged = text_equal(reason, TEXT("acknowledged"));
    record_text(record, "verdict", acknowledged ? reason : TEXT("failed"));
    record_text_or_nothing(record, "error", acknowledged ? TEXT("") : reason);
    record_text(record, "reason", text_of(attempt_records_words(reason)));
}

void attempt_records_add(struct record_list *list, const struct attempt_row *attempt, bool whole) {
    struct record *record = record_list_add(list);
    record_number(record, "number", attempt->number);
    record_instant(record, "started_at", attempt->started_at);
    if (whole) {
        record_instant(record, "ended_at", attempt->started_at + attempt->took);
    }
    record_number(record, "duration_ms", (uint64_t)(attempt->took / MILLISECOND));
    record_text_or_nothing(record, "url", attempt->url);
    record_text_or_nothing(record, "address", attempt->address);
    record_number_or_nothing(record, "http_status", attempt->http_status);
    attempt_records_verdict(record, attempt->reason);
    record_text(record, "reply",
                whole ? utf8_repair(attempt->reply, list->arena) : reply_line(list->arena, attempt->reply));
    if (whole) {
        record_flag(record, "late", attempt->late);
        record_text_or_nothing(record, "dispatcher", attempt->dispatcher);
    }
}
