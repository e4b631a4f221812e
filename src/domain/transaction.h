/* Transactions, which networks register and confirm (doc/protocol.md, "Transactions"). */
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

/* A registration request as received; every text points into the request. Absent optional fields are empty. */
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

/* The words of the tables, "REGISTRADA" and so on. */
const char *transaction_state_name(enum transaction_state state);
MUST_USE bool transaction_state_parse(struct text name, enum transaction_state *out);

/*
 * Judges whether this registration may be stored. Returns GRANTED, a refusal of payable_resolve,
 * REFUSED_OTHER_COMMERCE, _CURRENCY, _AMOUNT or _ACCOUNT_FULL.
 */
enum refusal registration_judge(const struct registration *registration, const struct payable *payable,
                                struct text service_name);

/* The part of that judgement that needs only the request: REFUSED_AMOUNT if no order or account could take the amount,
 * given the decimals of its currency. Otherwise GRANTED. */
enum refusal registration_judge_request(const struct registration *registration);

enum confirmation_act { CONFIRMATION_STANDS, CONFIRMATION_CONFIRM, CONFIRMATION_CANCEL };

/* What the transaction pays, in its present state. */
struct paid_thing {
    const struct order *order; /* NULL: a top-up */
    struct money room;         /* of a top-up: amount that its account can still take */
};

/*
 * Decides what `confirm` (true or false) does to a transaction at `now`.
 * GRANTED: *act is what to write. CONFIRMATION_STANDS: nothing, because the transaction is in the requested state
 * already.
 * REFUSED_PAID, _EXPIRED, _DELETED, _REFUNDED, _HELD, _CURRENCY or _AMOUNT: the order has changed since the
 * registration.
 * Otherwise: REFUSED_ACCOUNT_FULL, _TRANSACTION_CANCELLED or _WINDOW_CLOSED.
 */
enum refusal confirmation_judge(bool confirm, const struct transaction *transaction, const struct paid_thing *paid,
                                instant now, enum confirmation_act *act);

#endif
