/*
 * What a merchant offers in its answer to an external query, and what becomes of it among the orders that are there
 * already (doc/protocol.md, "External query").
 */
#ifndef RECAUDO_DOMAIN_EXTERNAL_OFFER_H
#define RECAUDO_DOMAIN_EXTERNAL_OFFER_H

#include "domain/order.h"

/* Every field has been checked. What the merchant did not send is empty. */
struct offer {
    uint64_t merchant_id;
    struct text reference; /* that was looked up */
    struct text po_id;
    struct money amount; /* 0: open */
    bool has_limits;
    struct money least, most;
    struct text currency;
    struct text description, email, document, document_type, customer_name;
    instant due_at;
};

/* An order as far as an offer may change it. */
struct offered_order {
    bool exists;
    struct order order;
    struct text email, customer_name;
};

/* What stands in the tables at one moment. */
struct offer_scene {
    instant now;
    struct offered_order same_number; /* the merchant's order with this po_id */
    struct offered_order
        same_reference; /* the order that is PENDIENTE in the table with this reference, whosever it is */
};

enum offer_act { OFFER_STANDS, OFFER_INSERT, OFFER_REFRESH };

struct offer_plan {
    enum refusal refusal;
    enum offer_act act;        /* OFFER_STANDS: nothing is to be written for the offered order */
    const struct order *order; /* to answer from when OFFER_STANDS is granted; lies in the scene */
    const struct order *ends;  /* the order whose reference now stands for this one: it is deleted; NULL: none */
};

struct offer_plan offer_judge(const struct offer *offer, const struct offer_scene *scene);

/* The offered order as a network sees it, after it was written. */
struct order offer_as_order(const struct offer *offer);

#endif
