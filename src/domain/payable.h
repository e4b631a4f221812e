/*
 * Resolves a reference to what a network can pay (doc/protocol.md, "Resolution of a reference").
 *
 * The first that applies: an open order that is stored; an account with that document number; the answer to an external
 * query (which the use case makes between reading and judging); the latest closed order; nothing.
 */
#ifndef RECAUDO_DOMAIN_PAYABLE_H
#define RECAUDO_DOMAIN_PAYABLE_H

#include "domain/order.h"

struct account {
    uint64_t id;
    struct text document, document_type;
    struct text name, lastname1, lastname2;
    struct text currency;
    struct money room; /* what it can still take, beside its balance and confirmed top-ups */
};

/* All rows found for one reference at one moment. */
struct payable {
    instant now;    /* the database's clock when it was read */
    bool has_order; /* the open order with this reference, or else the latest closed one */
    bool has_account;
    bool is_others_offer; /* the order came by an external query, and was not offered to the network that asks now */
    struct order order;
    struct account account;
};

enum payable_kind { PAYABLE_NOTHING, PAYABLE_ORDER, PAYABLE_ACCOUNT };

/* Chooses the row that the reference stands for, and sets *refusal to whether it can be paid now. An order that was
 * offered to other networks alone is no row for this one. */
enum payable_kind payable_resolve(const struct payable *payable, enum refusal *refusal);

/* True if the order is open and came by an external query: then only networks that it was offered to can pay it. */
bool payable_is_offer(const struct payable *payable);

/* True if the merchant must be asked, provided an integration fits the reference. For an order from an earlier external
 * query the merchant is asked again, unless the order is held. */
bool payable_may_be_asked_about(const struct payable *payable);

#endif
