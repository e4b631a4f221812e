/*
 * A strict reading of JSON text before the library sees it, which by itself lets much pass (single quotes, NaN, raw
 * control characters, overlong UTF-8, trailing bytes): RFC 8259 grammar, RFC 3629 UTF-8, one object at the top, no NUL
 * (also not escaped), no lone surrogates, depth at most 8.
 */
#ifndef RECAUDO_WIRE_JSON_CHECK_H
#define RECAUDO_WIRE_JSON_CHECK_H

#include "base/text.h"

enum { JSON_DEPTH_MAX = 8 };

/* NULL when the text is one JSON object, else what is wrong with it. *members: members of all its objects together, so
 * that the caller sees duplicate keys by comparing with the parsed tree, in which the last one wins. */
const char *json_check(struct text text, size_t *members);

/* The value of the object's member number `index`, counted from 0, as it stands in the text, which json_check has found
 * to be good. */
struct text json_member_literal(struct text text, size_t index);

#endif
