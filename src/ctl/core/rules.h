/* Rules for what people type. Each returns NULL for a right value, else what is wrong: "is longer than 40 characters".
 */
#ifndef RECAUDO_CTL_CORE_RULES_H
#define RECAUDO_CTL_CORE_RULES_H

#include "base/arena.h"

/* Any words: UTF-8 without control characters. */
const char *rules_text(struct arena *arena, struct text value, size_t longest);

/* Words that identify: besides, no blank at the ends. */
const char *rules_name(struct arena *arena, struct text value, size_t longest);

/* ^[a-zA-Z0-9_-]{1,200}$ */
const char *rules_order_number(struct text value);

/* ^[0-9A-Za-z-]{1,25}$ */
const char *rules_document(struct text value);

const char *rules_email(struct arena *arena, struct text value, size_t longest);

/* http or https, a host, nothing before it. */
const char *rules_url(struct arena *arena, struct text value, size_t longest);

#endif
