/* The web server's certificate, for `status`. */
#ifndef RECAUDO_CTL_STATUS_CERTIFICATE_STATUS_H
#define RECAUDO_CTL_STATUS_CERTIFICATE_STATUS_H

#include "ctl/core/command.h"

/* Adds the certificate's expiry to the record, and a problem if it expires soon or cannot be read. Adds nothing if
 * [security] web_certificate names no file. */
void certificate_look(const struct context *context, struct record *record, struct record_list *problems);

#endif
