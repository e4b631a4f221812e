/* `audit verify`: checks the event log against its seals. */
#ifndef RECAUDO_CTL_AUDIT_AUDIT_VERIFY_H
#define RECAUDO_CTL_AUDIT_AUDIT_VERIFY_H

#include "ctl/core/command.h"

extern const struct option_spec audit_verify_options[];

enum outcome audit_verify(struct context *context);

#endif
