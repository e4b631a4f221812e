/* Whether a form was sent by a page of the console, as far as the browser tells. */
#ifndef RECAUDO_CONSOLE_ORIGIN_H
#define RECAUDO_CONSOLE_ORIGIN_H

#include "console/core/request.h"

/*
 * Browsers tell Sec-Fetch-Site over https and on localhost, and Origin with every POST; with our Referrer-Policy some
 * send `null`. True when at least one of them says that the page is of this host, and none says otherwise.
 */
bool origin_is_own(const struct console_request *request);

#endif
