/* Rules for what people type. Each returns NULL for a right value, else what is wrong: "is longer than 40 characters".
 */
#ifndef RECAUDO_CTL_CORE_VALIDATION_H
#define RECAUDO_CTL_CORE_VALIDATION_H

#include "base/arena.h"

/* Any words: UTF-8 without control characters. */
const char *validation_text(struct arena *arena, struct text value, size_t longest);

/* Words that identify: besides, no blank at the ends. */
const char *validation_name(struct arena *arena, struct text value, size_t longest);

/* ^[a-zA-Z0-9_-]{1,200}$ */
const char *validation_order_number(struct text value);

/* ^[0-9A-Za-z-]{1,25}$ */
const char *validation_document(struct text value);

const char *validation_email(struct arena *arena, struct text value, size_t longest);

/* http or https, a host, nothing before it. */
const char *validation_url(struct arena *arena, struct text value, size_t longest);

#endif
