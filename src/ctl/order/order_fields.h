/* The fields of a new order, from the command line or a file, and their rules. */
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

/* The names of the options and of a file's columns. */
extern const char *const order_field_names[ORDER_FIELDS];

/* Whether the field is required. */
bool order_field_is_required(enum order_field field);

/*
 * Reads the fields into *out; an empty text is a field that was not given. Returns NULL if all are valid, else what is
 * wrong with each: "amount: is not an amount; due: is missing". The caller sets merchant, origin and a missing
 * reference.
 */
const char *order_fields_read(struct arena *arena, const struct text fields[ORDER_FIELDS],
                              const struct currency_choice *currencies, struct new_order *out);

/* After this many generated references were taken, hardly any can be free. */
enum { ASSIGNMENTS_MAX = 1000 };

/* Generates a random reference. Returns false if the system gives no random bytes. */
MUST_USE bool order_fields_assign_reference(struct arena *arena, struct text *out);

#endif
