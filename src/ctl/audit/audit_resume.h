/* `audit resume`: lets sealing continue although the database's seals differ from those in the seal file. */
#ifndef RECAUDO_CTL_AUDIT_AUDIT_RESUME_H
#define RECAUDO_CTL_AUDIT_AUDIT_RESUME_H

#include "ctl/core/command.h"

extern const struct option_spec audit_resume_options[];

enum outcome audit_resume(struct context *context);

#endif
