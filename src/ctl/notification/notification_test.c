#include "ctl/notification/notification_test.h"

#include "base/utf8.h"
#include "ctl/common/attempt_records.h"
#include "ctl/common/catalogue.h"
#include "ctl/common/try_request.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/shell_word.h"
#include "outbound/notify.h"

static enum outcome read_test_target(struct context *context, struct merchant_target *out) {
    struct text name = arguments_get(&context->arguments, "merchant");
    struct merchant_description merchant;
    enum outcome outcome = catalogue_merchant(context, name, &merchant);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    if (merchant.settings.notify_url.size == 0) {
        return refuse(context, "merchant %.*s has no notify_url: recaudoctl merchant set %s --notify-url URL",
                      TEXT_ARGS(name), shell_word(context->arena, name));
    }
    enum status status = merchants_find_target(context->connection, name, context->arena, out);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the merchant");
}

/* The message with its checksum and signature. */
static enum outcome write_message(const struct context *context, const struct merchant_target *target,
                                  struct http_request *out) {
    struct secret_pair hash;
    if (!secret_pair_open(context->vault, SECRET_OF_NOTIFICATIONS, target->name, &target->sealed_hash,
                          clock_monotonic(), &hash)) {
        return refuse(context, "the NOTIFICATION_HASH of %.*s " SECRET_UNOPENED, TEXT_ARGS(target->name));
    }
    const struct notify_test test = {.url = target->url, .currency = target->currency, .digest = target->digest};
    *out = notify_test_request(&test, &hash, target->now, context->config.notification.timeout, context->arena);
    secret_pair_wipe(&hash);
    return OUTCOME_DONE;
}

static void print_test_reply(const struct context *context, const struct merchant_target *target,
                             const struct http_request *request, const struct http_reply *reply,
                             const struct notify_verdict *verdict) {
    struct record *record = record_create(context->arena);
    record_text(record, "merchant", target->name);
    try_request_add(context, request, record);
    record_text_or_nothing(record, "address", text_of(reply->address));
    record_number_or_nothing(record, "http_status", (uint64_t)reply->status);
    record_number(record, "duration_ms", (uint64_t)(reply->took / MILLISECOND));
    record_text(record, "reply", utf8_repair(reply->body, context->arena));
    attempt_records_verdict(record, text_of(verdict->reason));
    output_record(record, context->json);
}

enum outcome notification_test(struct context *context) {
    struct merchant_target target = {0};
    struct http_request request;
    struct http_reply reply;
    enum outcome outcome = read_test_target(context, &target);
    if (outcome == OUTCOME_DONE) {
        outcome = write_message(context, &target, &request);
    }
    connection_close(context->connection); /* no connection is held while waiting for a merchant */
    context->connection = NULL;
    if (outcome == OUTCOME_DONE) {
        outcome = try_request_send(context, &request, &reply);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct notify_verdict verdict = notify_judge(target.acknowledgement, &reply);
    print_test_reply(context, &target, &request, &reply, &verdict);
    if (verdict.delivery != DELIVERED) {
        const char *separator = reply.problem[0] == '\0' ? "" : " - ";
        remark("not acknowledged: %s%s%s", attempt_records_words(text_of(verdict.reason)), separator, reply.problem);
    }
    return verdict.delivery == DELIVERED ? OUTCOME_DONE : OUTCOME_REFUSED;
}
