/* recaudoctl merchant rotate. */
#ifndef RECAUDO_CTL_MERCHANT_MERCHANT_ROTATE_H
#define RECAUDO_CTL_MERCHANT_MERCHANT_ROTATE_H

#include "ctl/core/command.h"

extern const struct option_spec merchant_rotate_options[];

enum outcome merchant_rotate(struct context *context);

#endif
