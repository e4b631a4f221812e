/*
 * The order that a merchant offers in its answer to an external query, and how it is merged with the stored orders
 * (doc/protocol.md, "External query").
 */
#ifndef RECAUDO_DOMAIN_EXTERNAL_OFFER_H
#define RECAUDO_DOMAIN_EXTERNAL_OFFER_H

#include "base/arena.h"
#include "domain/order.h"

/* All fields have been checked. Fields that the merchant did not send are empty. */
struct offer {
    uint64_t merchant_id;
    struct text reference; /* the one that was looked up */
    struct text po_id;
    struct money amount; /* 0: open */
    bool has_limits;
    struct money least, most;
    struct text currency;
    struct text description, email, document, document_type, customer_name;
    instant due_at;
};

/* A stored order, with the texts that an offer may change. */
struct offered_order {
    bool exists;
    struct order order;
    struct text email, customer_name;
};

/* The stored orders that the offer concerns, read at one moment. */
struct offer_scene {
    instant now;
    struct offered_order same_number;    /* the merchant's order with this po_id */
    struct offered_order same_reference; /* the stored PENDIENTE order with this reference, of any merchant */
};

enum offer_act { OFFER_STANDS, OFFER_INSERT, OFFER_REFRESH };

struct offer_plan {
    enum refusal refusal;
    enum offer_act act;        /* OFFER_STANDS: no order is written for the offer */
    const struct order *order; /* with GRANTED and OFFER_STANDS, the order to reply with; points into the scene */
    const struct order *ends;  /* with GRANTED, the order that the offer replaces, which must be deleted; NULL: none */
};

/* Decides what to write for the offer, or refuses it. */
struct offer_plan offer_judge(const struct offer *offer, const struct offer_scene *scene);

/* Explains REFUSED_MERCHANT_ANSWER: words that follow the order's number. In the arena. */
struct text offer_conflict(const struct offer *offer, const struct offer_scene *scene, struct arena *arena);

/* The offered order as a network sees it once it is stored. */
struct order offer_as_order(const struct offer *offer);

#endif
