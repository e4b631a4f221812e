/* `key show` and `key rotate`: which keys exist, how many secrets each encrypts, and the rotation from one key to the
 * next. */
#ifndef RECAUDO_CTL_KEY_KEY_ROTATE_H
#define RECAUDO_CTL_KEY_KEY_ROTATE_H

#include "ctl/core/command.h"

enum outcome key_show(struct context *context);
enum outcome key_rotate(struct context *context);

#endif
