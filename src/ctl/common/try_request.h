/* One request to a merchant, sent while an operator waits, with the service's own rules about addresses, TLS and time.
 */
#ifndef RECAUDO_CTL_COMMON_TRY_REQUEST_H
#define RECAUDO_CTL_COMMON_TRY_REQUEST_H

#include "ctl/core/command.h"
#include "outbound/http.h"

/* Sends it and waits. Whatever comes of it is done; refused only when the configuration is wrong. */
enum outcome try_request_send(const struct context *context, const struct http_request *request,
                              struct http_reply *out);

/* Adds the request as it was sent, as `request`. */
void try_request_add(const struct context *context, const struct http_request *request, struct record *record);

#endif
