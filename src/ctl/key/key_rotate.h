/* `key show` and `key rotate`: which keys there are, what is encrypted with each, and the change from one to the next.
 */
#ifndef RECAUDO_CTL_KEY_KEY_ROTATE_H
#define RECAUDO_CTL_KEY_KEY_ROTATE_H

#include "ctl/core/command.h"

enum outcome key_show(struct context *context);
enum outcome key_rotate(struct context *context);

#endif
