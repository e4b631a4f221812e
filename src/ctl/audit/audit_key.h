/* `audit key`: the key that signs seals. */
#ifndef RECAUDO_CTL_AUDIT_AUDIT_KEY_H
#define RECAUDO_CTL_AUDIT_AUDIT_KEY_H

#include "ctl/core/command.h"

extern const struct option_spec audit_key_options[];

enum outcome audit_key(struct context *context);

#endif
