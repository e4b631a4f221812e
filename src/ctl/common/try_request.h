/* Sends one request to a merchant while the operator waits, with the service's rules about addresses, TLS and time. */
#ifndef RECAUDO_CTL_COMMON_TRY_REQUEST_H
#define RECAUDO_CTL_COMMON_TRY_REQUEST_H

#include "ctl/core/command.h"
#include "outbound/http.h"

/* Sends the request and waits for the result. Refused only if the configuration is wrong; a failed request is
 * OUTCOME_DONE. */
enum outcome try_request_send(const struct context *context, const struct http_request *request,
                              struct http_reply *out);

/* Adds the request, as it was sent, under the key `request`. */
void try_request_add(const struct context *context, const struct http_request *request, struct record *record);

#endif
