/* `audit resume`: sealing goes on although the database's seals are not those of the seal file. */
#ifndef RECAUDO_CTL_AUDIT_AUDIT_RESUME_H
#define RECAUDO_CTL_AUDIT_AUDIT_RESUME_H

#include "ctl/core/command.h"

extern const struct option_spec audit_resume_options[];

enum outcome audit_resume(struct context *context);

#endif
