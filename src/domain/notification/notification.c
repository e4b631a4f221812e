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

TEXT_DEFINE_PARSE(notification_status_parse, enum notification_status, STATUSES);

const char *notification_state_name(enum notification_state state) {
    return STATES[state];
}

TEXT_DEFINE_PARSE(notification_state_parse, enum notification_state, STATES);

TEXT_DEFINE_PARSE(notification_digest_parse, enum notification_digest, DIGESTS);

TEXT_DEFINE_PARSE(acknowledgement_parse, enum acknowledgement, ACKNOWLEDGEMENTS);
