/*
 * Replies to merchants. They have the form of all replies, with DESC beside TEXT. The names in DATA are those that
 * merchants' clients read, misspelt ones included (doc/protocol.md, "Merchant orders").
 */
#ifndef RECAUDO_WIRE_MERCHANT_PORDER_REPLY_H
#define RECAUDO_WIRE_MERCHANT_PORDER_REPLY_H

#include "domain/porder.h"
#include "wire/reply.h"

struct reply porder_reply_refusal(enum refusal refusal, const struct fault *fault, struct arena *arena);

/*
 * Returns the reply that the WooCommerce plugin 3.2 reads before it registers an order: no token, and the plugin's
 * names of the environments.
 */
struct reply porder_reply_plugin_keys(struct arena *arena);

/* A stored order, and the address of its slip. */
struct porder_written {
    uint64_t id;
    struct text po_id, reference;
    struct money amount;
    struct text checkout; /* host/path?token=... */
};

/* `operation`: CREADA, ACTUALIZADO. */
struct reply porder_reply_stored(const struct porder_written *order, const char *operation, struct arena *arena);

/* `operation`: DELETED, REFUNDED. */
struct reply porder_reply_ended(const struct porder_written *order, const char *operation, struct arena *arena);

/* The state of an order for its merchant. Instants are local times of the order's country. */
struct porder_state {
    struct porder_written order;
    struct text currency, description, email, payment_means;
    enum order_state state;
    instant created_at, changed_at;
    duration lives; /* from registration to the due date */
    struct text notification_response;
    bool has_transaction; /* it was paid; the members below are set */
    uint64_t transaction_id;
    struct text network;
    struct money paid;
    instant paid_at;
};

struct reply porder_reply_state(const struct porder_state *state, struct arena *arena);

#endif
