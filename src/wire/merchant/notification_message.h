/* The notification's body (specification, "Notification request"). */
#ifndef RECAUDO_WIRE_MERCHANT_NOTIFICATION_MESSAGE_H
#define RECAUDO_WIRE_MERCHANT_NOTIFICATION_MESSAGE_H

#include "base/arena.h"
#include "domain/notification/notification.h"

/* Returns the seven fields in the specification's order; pv_po_id is a number, all others are strings. `checksum` is
 * pv_checksum. */
struct text notification_message_render(const struct notification *notification, const char *checksum,
                                        struct arena *arena);

#endif
