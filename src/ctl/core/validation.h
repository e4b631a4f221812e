/* Rules for values on the command line. Each function returns NULL if the value is valid, else the problem: "is longer
 * than 40 characters". */
#ifndef RECAUDO_CTL_CORE_VALIDATION_H
#define RECAUDO_CTL_CORE_VALIDATION_H

#include "base/arena.h"

/* Free text: UTF-8 without control characters. */
const char *validation_text(struct arena *arena, struct text value, size_t longest);

/* Identifying text: in addition, no blank at either end. */
const char *validation_name(struct arena *arena, struct text value, size_t longest);

/* ^[a-zA-Z0-9_-]{1,200}$ */
const char *validation_order_number(struct text value);

/* ^[0-9A-Za-z-]{1,25}$ */
const char *validation_document(struct text value);

const char *validation_email(struct arena *arena, struct text value, size_t longest);

/* http or https with a host; no user information, blank or fragment. */
const char *validation_url(struct arena *arena, struct text value, size_t longest);

#endif
