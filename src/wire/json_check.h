/*
 * Checks JSON text strictly before the library parses it, because the library accepts single quotes, NaN, raw control
 * characters, overlong UTF-8 and trailing bytes. Required: RFC 8259 grammar, RFC 3629 UTF-8, one object at the top, no
 * NUL (not even escaped), no lone surrogates, at most 8 levels.
 */
#ifndef RECAUDO_WIRE_JSON_CHECK_H
#define RECAUDO_WIRE_JSON_CHECK_H

#include "base/text.h"
#include "wire/fault.h"

enum { JSON_DEPTH_MAX = 8 };

/* Returns whether the text is valid, and sets problem, remedy and byte of *fault: what is wrong, and where. *members is
 * the number of members of all its objects together. The parsed tree has fewer if a key was repeated, because there the
 * last one wins. */
bool json_check(struct text text, size_t *members, struct fault *fault);

/* Returns the value of the top object's member number `index` (from 0), as written. json_check must have accepted the
 * text. */
struct text json_member_literal(struct text text, size_t index);

#endif
