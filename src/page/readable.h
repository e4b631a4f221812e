/* Amounts, times and references in the form that people read. */
#ifndef RECAUDO_PAGE_READABLE_H
#define RECAUDO_PAGE_READABLE_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "page/wording.h"

/*
 * Returns 45.000,00 COP in Spanish, COP 45,000.00 in English, with the decimals of the currency. In Spanish, currencies
 * of countries that write a decimal point (Peru, Mexico, most of Central America) get 45,000.00 PEN. The space does not
 * break.
 */
struct text readable_amount(struct money amount, struct text currency, enum language language, struct arena *arena);

/*
 * Returns a local time (base/zone/zone.h) with its place: 21 de noviembre de 2026, 23:59 (hora de Colombia). If the
 * country has no name here, the place is its zone: (America/Panama).
 */
struct text readable_moment(instant local, uint64_t country, struct text time_zone, enum language language,
                            struct arena *arena);

/* Number of groups in which a reference is printed. Groups have 4 digits; some have 3 so that none has less. Below 6
 * digits there are 1 or 2 groups. */
size_t readable_group_count(struct text reference);

/* Returns group `number`, from 0. */
struct text readable_group(struct text reference, size_t number);

#endif
