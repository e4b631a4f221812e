#include "domain/notification/notification.h"

static const char *const STATUSES[] = {[NOTIFY_APPROVED] = "approved", [NOTIFY_CANCELLED] = "cancelled"};
static const char *const STATES[] = {[NOTIFICATION_UNADDRESSED] = "unaddressed",
                                     [NOTIFICATION_WAITING] = "waiting",
                                     [NOTIFICATION_PENDING] = "pending",
                                     [NOTIFICATION_DELIVERED] = "delivered",
                                     [NOTIFICATION_EXHAUSTED] = "exhausted"};
static const char *const DIGESTS[] = {[DIGEST_SHA256] = "sha256", [DIGEST_SHA512] = "sha512"};
static const char *const ACKNOWLEDGEMENTS[] = {[ACKNOWLEDGE_STRICT] = "strict", [ACKNOWLEDGE_ANY_2XX] = "http2xx"};

/* The place of the name in the list; `count` when it is not there. */
static size_t place_of(struct text name, const char *const *names, size_t count) {
    size_t place = 0;
    while (place < count && !text_equal(name, text_of(names[place]))) {
        place++;
    }
    return place;
}

const char *notification_status_name(enum notification_status status) {
    return STATUSES[status];
}

bool notification_status_parse(struct text name, enum notification_status *out) {
    size_t place = place_of(name, STATUSES, COUNT_OF(STATUSES));
    *out = (enum notification_status)place;
    return place < COUNT_OF(STATUSES);
}

const char *notification_state_name(enum notification_state state) {
    return STATES[state];
}

bool notification_state_parse(struct text name, enum notification_state *out) {
    size_t place = place_of(name, STATES, COUNT_OF(STATES));
    *out = (enum notification_state)place;
    return place < COUNT_OF(STATES);
}

bool notification_digest_parse(struct text name, enum notification_digest *out) {
    size_t place = place_of(name, DIGESTS, COUNT_OF(DIGESTS));
    *out = (enum notification_digest)place;
    return place < COUNT_OF(DIGESTS);
}

bool acknowledgement_parse(struct text name, enum acknowledgement *out) {
    size_t place = place_of(name, ACKNOWLEDGEMENTS, COUNT_OF(ACKNOWLEDGEMENTS));
    *out = (enum acknowledgement)place;
    return place < COUNT_OF(ACKNOWLEDGEMENTS);
}
