/* Transactions: what a network registers and confirms (doc/protocol.md, "Transactions"). */
#ifndef RECAUDO_DOMAIN_TRANSACTION_H
#define RECAUDO_DOMAIN_TRANSACTION_H

#include "base/clock.h"
#include "domain/order.h"
#include "domain/payable.h"

enum { FINGERPRINT_BYTES = 32 };

enum transaction_state {
    TRANSACTION_REGISTRADA,
    TRANSACTION_CONFIRMADA,
    TRANSACTION_FINALIZADA,
    TRANSACTION_CANCELADA
};

struct transaction {
    uint64_t id; /* IDSERVICE */
    enum transaction_state state;
    uint64_t order_id;   /* 0: a top-up */
    uint64_t account_id; /* 0: an order's payment */
    struct text reference;
    struct money amount;
    struct text currency;
    struct text commerce;    /* as replied */
    struct text description; /* as replied */
    instant window_ends_at;  /* 0 until confirmed */
    unsigned char fingerprint[FINGERPRINT_BYTES];
};

/* A registration request as received; every text points into the request. Optional fields are empty when absent. */
struct registration {
    struct text name, reference, amount, transaction, commerce, teller, money, checksum;
    struct money value; /* of `amount` */
    struct text given_names, surname1, surname2;
};

/* A confirmation request as received. */
struct confirmation {
    struct text name, transaction, confirm_text, checksum;
    bool confirm;
};

MUST_USE bool transaction_state_parse(struct text name, enum transaction_state *out);

/*
 * May this registration be stored?
 * GRANTED, or what payable_resolve says, REFUSED_OTHER_COMMERCE, REFUSED_CURRENCY, REFUSED_AMOUNT,
 * REFUSED_ACCOUNT_FULL.
 */
enum refusal registration_judge(const struct registration *registration, const struct payable *payable,
                                struct text service_name);

/* What of that the request alone settles: REFUSED_AMOUNT for one that nothing takes, with the decimals of `money`. */
enum refusal registration_judge_request(const struct registration *registration);

enum confirmation_act { CONFIRMATION_STANDS, CONFIRMATION_CONFIRM, CONFIRMATION_CANCEL };

/* What a transaction pays, as it is now. */
struct paid_thing {
    const struct order *order; /* NULL: a top-up */
    struct money room;         /* of a top-up: what its account can still take */
};

/*
 * Decides what `confirm` true or false does to a transaction at `now`.
 * GRANTED: *act is what to write; CONFIRMATION_STANDS: nothing, the state is already the requested one. Otherwise:
 * REFUSED_PAID, _EXPIRED, _DELETED, _REFUNDED, _HELD, _CURRENCY or _AMOUNT (the order was changed since),
 * _ACCOUNT_FULL, _TRANSACTION_CANCELLED, _WINDOW_CLOSED.
 */
enum refusal confirmation_judge(bool confirm, const struct transaction *transaction, const struct paid_thing *paid,
                                instant now, enum confirmation_act *act);

#endif
