#include "api/caller/request_signature.h"

#include "auth/signature.h"

enum { ID_MAX = 64, TIMESTAMP_DIGITS_MAX = 12, SIGNATURES_MAX = 4 };

static bool is_id(struct text id) {
    for (size_t i = 0; i < id.size; i++) {
        char c = id.at[i];
        if (!text_is_letter_or_digit(c) && c != '-' && c != '_') {
            return false;
        }
    }
    return id.size >= 1 && id.size <= ID_MAX;
}

/* Uses this host's clock, because asking for the database's would cost a round trip. */
static bool is_timely(struct text timestamp) {
    uint64_t seconds;
    if (timestamp.size > TIMESTAMP_DIGITS_MAX || !text_to_number(timestamp, &seconds)) {
        return false;
    }
    duration apart = clock_host() - (instant)seconds * SECOND;
    return apart >= -SIGNATURE_TOLERANCE && apart <= SIGNATURE_TOLERANCE;
}

/*
 * Returns what the signature covers besides id and timestamp: "METHOD target", a line feed and the body, as received.
 */
static struct text content(const struct call *call) {
    const struct request *request = call->request;
    const struct text parts[] = {request->method, TEXT(" "), request->target, TEXT("\n"), request->body};
    size_t room = 0;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        room += parts[i].size;
    }
    char *bytes = arena_alloc(call->arena, room), *end = bytes;
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (parts[i].size > 0) {
            memcpy(end, parts[i].at, parts[i].size);
        }
        end += parts[i].size;
    }
    return (struct text){bytes, room};
}

/*
 * Whether the header, a list of signatures separated by spaces, contains `expected`. Compares all of them, so that the
 * time does not depend on the position.
 */
static bool has_signature(struct text header, const char expected[SIGNATURE_SIZE]) {
    bool found = false;
    for (int i = 0; i < SIGNATURES_MAX; i++) {
        found |= signature_equal(text_next_word(&header), expected);
    }
    return found;
}

static bool is_right(const struct call *call, const struct secret_pair *secrets, duration now) {
    const struct request *request = call->request;
    char signature[SIGNATURE_SIZE];
    struct text signed_text = content(call);
    signature_compute(&secrets->current, request->signature_id, request->signature_timestamp, signed_text, signature);
    bool right = has_signature(request->signature, signature);
    if (secret_pair_has_old(secrets, now)) {
        signature_compute(&secrets->old, request->signature_id, request->signature_timestamp, signed_text, signature);
        right |= has_signature(request->signature, signature);
    }
    return right;
}

/* Returns the name of the first header that is missing or empty, or NULL. */
static const char *missing_header(const struct request *request) {
    if (request->signature.size == 0) {
        return "the header Recaudo-Signature";
    }
    if (request->signature_id.size == 0) {
        return "the header Recaudo-Id";
    }
    return request->signature_timestamp.size == 0 ? "the header Recaudo-Timestamp" : NULL;
}

bool request_signature_is_absent(const struct request *request) {
    return request->signature.size == 0 && request->signature_id.size == 0 && request->signature_timestamp.size == 0;
}

bool request_signature_judge(struct call *call, enum signature_rule rule, const struct secret_pair *secrets,
                             duration now) {
    const struct request *request = call->request;
    if (rule == SIGNATURE_OFF || (rule == SIGNATURE_ACCEPTED && request_signature_is_absent(request))) {
        return true;
    }
    const char *missing = missing_header(request);
    if (missing != NULL) {
        call->fault = (struct fault){
            .field = missing,
            .problem = "is missing or empty: a signed request has Recaudo-Id, Recaudo-Timestamp and Recaudo-Signature"};
    } else if (!is_id(request->signature_id)) {
        call->fault =
            (struct fault){.field = "the header Recaudo-Id", .problem = "must be 1 to 64 letters, digits, - and _"};
    } else if (!is_timely(request->signature_timestamp)) {
        call->fault = (struct fault){.field = "the header Recaudo-Timestamp",
                                     .problem = "must be seconds since 1970, at most 5 minutes from our clock"};
    } else if (!is_right(call, secrets, now)) {
        call->fault =
            (struct fault){.field = "the header Recaudo-Signature", .problem = "is not valid for this request"};
    } else {
        return true;
    }
    return false;
}
