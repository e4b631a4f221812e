/* Amounts, moments and references as people read them. */
#ifndef RECAUDO_PAGE_READABLE_H
#define RECAUDO_PAGE_READABLE_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "page/wording.h"

/*
 * 45.000,00 COP in Spanish, COP 45,000.00 in English, with the decimals of the currency. Spanish where the currency's
 * countries write a decimal point (Peru, Mexico, most of Central America): 45,000.00 PEN. The space does not break.
 */
struct text readable_amount(struct money amount, struct text currency, enum language language, struct arena *arena);

/* A reading of the local wall clock (base/zone/zone.h) with the place it is true for: 21 de noviembre de 2026, 23:59
 * (hora de Colombia). Where the country has no name here, the zone's: (America/Panama). */
struct text readable_moment(instant local, uint64_t country, struct text time_zone, enum language language,
                            struct arena *arena);

/* How many groups a reference is read in: of 4 digits, some of 3 so that none is left with less (below 6 digits: 1 or
 * 2). */
size_t readable_group_count(struct text reference);

/* The group with this number, from 0. */
struct text readable_group(struct text reference, size_t number);

#endif
