/* A merchant's reply to a notification, in JSON (specification, "POST {merchant_notification_url}"). */
#ifndef RECAUDO_WIRE_MERCHANT_ACKNOWLEDGEMENT_H
#define RECAUDO_WIRE_MERCHANT_ACKNOWLEDGEMENT_H

#include "domain/notification/delivery.h"

/*
 * Reads `status` of the body's object, key and value in any case, with quotes of either kind or none, and with JSON's
 * escapes. The rest need not be JSON: the specification writes {status: OK}, and a shop plugin sends {"status":"ok"
 * "type":"..."}. Inner objects and arrays do not count.
 * REPLY_SAYS_ERROR: a `status` begins with the word ERROR, even behind other text or in an object without an end.
 * REPLY_SAYS_OK: the whole body is an object, its `status` is OK, and no other `status` says something else.
 * REPLY_SAYS_NOTHING: everything else.
 */
enum reply_says acknowledgement_says(struct text body);

#endif
