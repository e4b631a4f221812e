/* `key create`: the first key of a system. */
#ifndef RECAUDO_CTL_KEY_KEY_CREATE_H
#define RECAUDO_CTL_KEY_KEY_CREATE_H

#include "ctl/core/command.h"

extern const struct option_spec key_create_options[];

enum outcome key_create(struct context *context);

#endif
