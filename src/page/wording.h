/* What the payment slip says, in Spanish and in English. */
#ifndef RECAUDO_PAGE_WORDING_H
#define RECAUDO_PAGE_WORDING_H

#include "base/text.h"
#include "domain/refusal.h"

enum language { SPANISH, ENGLISH, LANGUAGE_COUNT };

/* "en" is English, everything else Spanish, the language that orders have when they say nothing. */
enum language wording_language(struct text code);

struct words {
    const char *code; /* attribute lang */
    const char *title;
    const char *reference, *merchant, *description, *order, *due;
    const char *barcode, *qr_code; /* each before the reference */
    const char *as_of;             /* before the moment at which the page was made */
    const char *any_amount;
    const char *months[12];
};

const struct words *wording_in(enum language language);

/* How the slip presents an order in a condition. */
struct state_words {
    const char *style; /* class in the style sheet */
    struct {
        const char *state, *advice, *amount;
    } in[LANGUAGE_COUNT];
};

/* For an order that can be paid (GRANTED), and for each reason why it cannot: REFUSED_HELD, _PAID, _EXPIRED, _DELETED,
 * _REFUNDED, and _NOT_AUTHORISED when its merchant is disabled. */
const struct state_words *wording_of_state(enum refusal payable);

/* The name of a country that merchants register orders in; NULL: none is known. */
const char *wording_country(uint64_t code, enum language language);

#endif
