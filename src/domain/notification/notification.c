#include "domain/notification/notification.h"

static const char *const STATUSES[] = {[NOTIFY_APPROVED] = "approved", [NOTIFY_CANCELLED] = "cancelled"};
static const char *const STATES[] = {[NOTIFICATION_UNADDRESSED] = "unaddressed",
                                     [NOTIFICATION_WAITING] = "waiting",
                                     [NOTIFICATION_PENDING] = "pending",
                                     [NOTIFICATION_DELIVERED] = "delivered",
                                     [NOTIFICATION_EXHAUSTED] = "exhausted"};
static const char *const DIGESTS[] = {[DIGEST_SHA256] = "sha256", [DIGEST_SHA512] = "sha512"};
static const char *const ACKNOWLEDGEMENTS[] = {[ACKNOWLEDGE_STRICT] = "strict", [ACKNOWLEDGE_ANY_2XX] = "http2xx"};

const char *notification_status_name(enum notification_status status) {
    return STATUSES[status];
}

bool notification_status_parse(struct text name, enum notification_status *out) {
    size_t place = text_place_in(name, STATUSES, COUNT_OF(STATUSES));
    *out = (enum notification_status)place;
    return place < COUNT_OF(STATUSES);
}

const char *notification_state_name(enum notification_state state) {
    return STATES[state];
}

bool notification_state_parse(struct text name, enum notification_state *out) {
    size_t place = text_place_in(name, STATES, COUNT_OF(STATES));
    *out = (enum notification_state)place;
    return place < COUNT_OF(STATES);
}

bool notification_digest_parse(struct text name, enum notification_digest *out) {
    size_t place = text_place_in(name, DIGESTS, COUNT_OF(DIGESTS));
    *out = (enum notification_digest)place;
    return place < COUNT_OF(DIGESTS);
}

bool acknowledgement_parse(struct text name, enum acknowledgement *out) {
    size_t place = text_place_in(name, ACKNOWLEDGEMENTS, COUNT_OF(ACKNOWLEDGEMENTS));
    *out = (enum acknowledgement)place;
    return place < COUNT_OF(ACKNOWLEDGEMENTS);
}
