/*
 * What a reference stands for, and what a network is told about it (doc/protocol.md, "Resolution of a reference").
 *
 * In this order: an open order registered here; an account with that document number; an external query (asked by the
 * use case between finding and judging); the latest closed order; nothing.
 */
#ifndef RECAUDO_DOMAIN_PAYABLE_H
#define RECAUDO_DOMAIN_PAYABLE_H

#include "domain/order.h"

struct account {
    uint64_t id;
    struct text document, document_type;
    struct text name, lastname1, lastname2;
    struct text currency;
    struct money room; /* what it can still take, beside its balance and what is confirmed and not credited yet */
};

/* Everything that one reference finds at one moment. */
struct payable {
    instant now;    /* the database's clock when it was read */
    bool has_order; /* the order that is open with this reference, else the latest closed one */
    bool has_account;
    struct order order;
    struct account account;
};

enum payable_kind { PAYABLE_NOTHING, PAYABLE_ORDER, PAYABLE_ACCOUNT };

/* Which of what was found the reference stands for, and in *refusal whether it can be paid now. */
enum payable_kind payable_resolve(const struct payable *payable, enum refusal *refusal);

/* Is the merchant to be asked, if an integration fits the reference? An order that it offered before is asked about
 * again, unless it is held. */
bool payable_may_be_asked_about(const struct payable *payable);

#endif
