/* What a merchant says in JSON to a notification (specification, "POST {merchant_notification_url}"). */
#ifndef RECAUDO_WIRE_ACKNOWLEDGEMENT_H
#define RECAUDO_WIRE_ACKNOWLEDGEMENT_H

#include "base/text.h"

/*
 * True when the body is an object whose `status` is OK, key and value in any case: JSON, or the form the specification writes,
 * {status: OK}, with quotes of either kind or none. An object that says so and also something else does not.
 */
bool acknowledgement_says_ok(struct text body);

#endif
