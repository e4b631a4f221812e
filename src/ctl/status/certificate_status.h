/* The web server's certificate, for `status`. */
#ifndef RECAUDO_CTL_STATUS_CERTIFICATE_STATUS_H
#define RECAUDO_CTL_STATUS_CERTIFICATE_STATUS_H

#include "ctl/core/command.h"

/* Adds when it ends to the record, and a problem where that is soon or it cannot be read. Nothing if [security]
 * web_certificate names none. */
void certificate_look(const struct context *context, struct record *record, struct record_list *problems);

#endif
