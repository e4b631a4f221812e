/* Which URLs a request may be sent to. */
#ifndef RECAUDO_OUTBOUND_HTTP_URL_H
#define RECAUDO_OUTBOUND_HTTP_URL_H

#include "base/text.h"

/* True for http or https with a host and without user or password. A NUL must follow `url`, not counted in its size. */
bool http_url_is_fit(struct text url);

#endif
