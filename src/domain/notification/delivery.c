#include "domain/notification/delivery.h"

#include "base/utf8.h"

/* Jitter in steps of 1/100,000; at most a tenth. */
enum { JITTER_STEPS = 100000, JITTER_MOST = JITTER_STEPS / 10 };

static bool is_white(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct text delivery_reply_text(struct text body) {
    struct text mark = TEXT(UTF8_MARK);
    if (text_begins(body, mark)) {
        body.at += mark.size;
        body.size -= mark.size;
    }
    while (body.size > 0 && is_white(body.at[0])) {
        body.at++;
        body.size--;
    }
    while (body.size > 0 && is_white(body.at[body.size - 1])) {
        body.size--;
    }
    return body;
}

static bool begins_with_ok(struct text body) {
    struct text said = delivery_reply_text(body);
    return said.size >= 2 && text_equal_any_case((struct text){said.at, 2}, TEXT("OK")) &&
           (said.size == 2 || !text_is_letter_or_digit(said.at[2]));
}

enum delivery delivery_judge(enum acknowledgement acknowledgement, int http_status, struct text body,
                             enum reply_says says) {
    if (http_status < 200 || http_status > 299 || says == REPLY_SAYS_ERROR) {
        return TRY_LATER;
    }
    bool said = acknowledgement == ACKNOWLEDGE_ANY_2XX || says == REPLY_SAYS_OK || begins_with_ok(body);
    return said ? DELIVERED : TRY_LATER;
}

bool schedule_delay(const struct schedule *schedule, uint64_t attempts_made, uint32_t random, duration retry_after,
                    duration *out) {
    if (attempts_made > schedule->count) {
        return false;
    }
    duration delay = attempts_made == 0 ? 0 : schedule->delays[attempts_made - 1];
    duration asked = retry_after < RETRY_AFTER_MAX ? retry_after : RETRY_AFTER_MAX;
    delay = delay > asked ? delay : asked;
    *out = delay + delay * (duration)(random % (JITTER_MOST + 1)) / JITTER_STEPS;
    return true;
}
