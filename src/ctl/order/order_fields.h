/* The fields of a new order as people give them, on the command line or in a file, and the rules they must keep. */
#ifndef RECAUDO_CTL_ORDER_ORDER_FIELDS_H
#define RECAUDO_CTL_ORDER_ORDER_FIELDS_H

#include "ctl/common/catalogue.h"
#include "store/order/orders.h"

enum order_field {
    ORDER_NUMBER,
    ORDER_AMOUNT,
    ORDER_CURRENCY,
    ORDER_REFERENCE,
    ORDER_DUE,
    ORDER_DESCRIPTION,
    ORDER_METHOD,
    ORDER_DI,
    ORDER_TYPE_DI,
    ORDER_NAME,
    ORDER_EMAIL,
    ORDER_FIELDS
};

/* Names of the options, and of the columns of a file. */
extern const char *const order_field_names[ORDER_FIELDS];

/* True for the fields that an order cannot do without. */
bool order_field_is_required(enum order_field field);

/*
 * Reads the fields into *out; an empty text is a field that was not given. NULL when all are right, else what is wrong
 * with each: "amount: is not an amount; due: is missing". Merchant, origin and an absent reference are the caller's to
 * set.
 */
const char *order_fields_read(struct arena *arena, const struct text fields[ORDER_FIELDS],
                              const struct currency_choice *currencies, struct new_order *out);

/* How often a reference is made up before it is certain that nearly none is free. */
enum { ASSIGNMENTS_MAX = 1000 };

/* A new reference, from randomness. False when the system gives none. */
MUST_USE bool order_fields_assign_reference(struct arena *arena, struct text *out);

#endif
