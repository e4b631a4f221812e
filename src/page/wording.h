/* The texts of the payment slip, in Spanish and in English. */
#ifndef RECAUDO_PAGE_WORDING_H
#define RECAUDO_PAGE_WORDING_H

#include "base/text.h"
#include "domain/refusal.h"

enum language { SPANISH, ENGLISH, LANGUAGE_COUNT };

/* Returns ENGLISH for "en", otherwise SPANISH, which is the default language of orders. */
enum language wording_language(struct text code);

struct words {
    const char *code; /* attribute lang */
    const char *title;
    const char *reference, *merchant, *description, *order, *due;
    const char *barcode, *qr_code; /* titles; the reference follows */
    const char *as_of;             /* the time at which the page was made follows */
    const char *any_amount;
    const char *months[12];
};

const struct words *wording_in(enum language language);

/* How the slip presents an order in one state. */
struct state_words {
    const char *style; /* class in the style sheet */
    struct {
        const char *state, *advice, *amount;
    } in[LANGUAGE_COUNT];
};

/* Returns the texts for an order that can be paid (GRANTED) or that cannot: REFUSED_HELD, _PAID, _EXPIRED, _DELETED,
 * _REFUNDED, or _NOT_AUTHORISED, because its merchant is disabled. */
const struct state_words *wording_of_state(enum refusal payable);

/* Returns the name of a country in which merchants register orders; NULL: unknown. */
const char *wording_country(uint64_t code, enum language language);

#endif
