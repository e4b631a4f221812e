#include "bench/load/load_tally.h"

#include "bench/common/fail.h"

struct tally *tally_create(void) {
    struct tally *tally = calloc(1, sizeof *tally);
    if (tally == NULL) {
        fail("out of memory");
    }
    return tally;
}

static void keep_failure(struct tally *tally, const struct http_reply *reply, const struct subject *subject,
                         enum mismatch mismatch) {
    struct text body = reply == NULL ? TEXT("") : reply->body;
    int shown = body.size < FAILURE_TEXT_SIZE / 2 ? (int)body.size : FAILURE_TEXT_SIZE / 2;
    snprintf(tally->first_failure, sizeof tally->first_failure,
             "%s of %s (transaction %s): %s is wrong, status %u: %.*s", operation_name(subject->operation),
             subject->order.reference, subject->transaction, mismatch_name(mismatch), reply == NULL ? 0 : reply->status,
             shown, body.at);
}

void tally_reply(struct tally *tally, const struct http_reply *reply, const struct subject *subject, unsigned code,
                 enum mismatch mismatch) {
    tally->statuses[reply == NULL || reply->status >= STATUS_COUNT ? 0 : reply->status]++;
    tally->codes[code]++;
    tally->mismatches[mismatch]++;
    if (mismatch != MISMATCH_NONE && tally->first_failure[0] == '\0') {
        keep_failure(tally, reply, subject, mismatch);
    }
}

static void add(uint64_t *into, const uint64_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        into[i] += from[i];
    }
}

void tally_merge(struct tally *into, const struct tally *from) {
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        histogram_merge(&into->latency[operation], &from->latency[operation]);
    }
    add(into->codes, from->codes, COUNT_OF(into->codes));
    add(into->statuses, from->statuses, COUNT_OF(into->statuses));
    add(into->mismatches, from->mismatches, COUNT_OF(into->mismatches));
    into->reconnects += from->reconnects;
    into->unsent += from->unsent;
    if (from->last_end > into->last_end) {
        into->last_end = from->last_end;
    }
    if (into->first_failure[0] == '\0') {
        memcpy(into->first_failure, from->first_failure, sizeof into->first_failure);
    }
}

uint64_t tally_wrong(const struct tally *tally) {
    uint64_t wrong = 0;
    for (unsigned mismatch = MISMATCH_NONE + 1; mismatch < MISMATCHES; mismatch++) {
        wrong += tally->mismatches[mismatch];
    }
    return wrong;
}
