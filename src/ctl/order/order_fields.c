#include "ctl/order/order_fields.h"

#include "ctl/core/validation.h"
#include "domain/currency.h"
#include "domain/instant.h"
#include "domain/reference.h"

enum { DESCRIPTION_MAX = 250, METHOD_MAX = 40, DI_MAX = 15, TYPE_DI_MAX = 40, NAME_MAX = 150, EMAIL_MAX = 100 };

const char *const order_field_names[ORDER_FIELDS] = {
    [ORDER_NUMBER] = "order",        [ORDER_AMOUNT] = "amount", [ORDER_CURRENCY] = "currency",
    [ORDER_REFERENCE] = "reference", [ORDER_DUE] = "due",       [ORDER_DESCRIPTION] = "description",
    [ORDER_METHOD] = "method",       [ORDER_DI] = "di",         [ORDER_TYPE_DI] = "type-di",
    [ORDER_NAME] = "name",           [ORDER_EMAIL] = "email",
};

/* The order that is being read, and the errors found so far. */
struct reading {
    struct arena *arena;
    const struct currency_choice *currencies;
    struct new_order *out;
    struct text amount; /* as given */
    struct text complaints;
};

bool order_field_is_required(enum order_field field) {
    return field == ORDER_NUMBER || field == ORDER_AMOUNT || field == ORDER_CURRENCY || field == ORDER_DUE;
}

static const char *read_order_number(struct reading *reading, struct text value) {
    reading->out->po_id = value;
    return validation_order_number(value);
}

static const char *read_order_amount(struct reading *reading, struct text value) {
    reading->amount = value;
    return money_parse(value, &reading->out->amount)
               ? NULL
               : "is not an amount: up to 15 digits, and after a point up to 4 decimals (0: the customer chooses)";
}

static const char *read_currency(struct reading *reading, struct text value) {
    reading->out->currency = value;
    if (catalogue_has_currency(reading->currencies, value)) {
        return NULL;
    }
    return arena_print(reading->arena, "must be one of %.*s", TEXT_ARGS(reading->currencies->words)).at;
}

static const char *read_reference(struct reading *reading, struct text value) {
    reading->out->reference = value;
    return reference_is_valid(value) ? NULL : "must be 1 to 25 digits";
}

static const char *read_due(struct reading *reading, struct text value) {
    return instant_parse(value, &reading->out->due_at)
               ? NULL
               : "is neither seconds since 1970 nor an instant in UTC like 2026-11-21T23:59:59Z";
}

static const char *read_description(struct reading *reading, struct text value) {
    reading->out->description = value;
    return validation_text(reading->arena, value, DESCRIPTION_MAX);
}

static const char *read_method(struct reading *reading, struct text value) {
    reading->out->payment_means = value;
    return validation_text(reading->arena, value, METHOD_MAX);
}

static const char *read_di(struct reading *reading, struct text value) {
    reading->out->document = value;
    return validation_text(reading->arena, value, DI_MAX);
}

static const char *read_type_di(struct reading *reading, struct text value) {
    reading->out->document_type = value;
    return validation_text(reading->arena, value, TYPE_DI_MAX);
}

static const char *read_name(struct reading *reading, struct text value) {
    reading->out->customer_name = value;
    return validation_text(reading->arena, value, NAME_MAX);
}

static const char *read_email(struct reading *reading, struct text value) {
    reading->out->email = value;
    return validation_email(reading->arena, value, EMAIL_MAX);
}

static const char *(*const READERS[ORDER_FIELDS])(struct reading *reading, struct text value) = {
    [ORDER_NUMBER] = read_order_number,
    [ORDER_AMOUNT] = read_order_amount,
    [ORDER_CURRENCY] = read_currency,
    [ORDER_REFERENCE] = read_reference,
    [ORDER_DUE] = read_due,
    [ORDER_DESCRIPTION] = read_description,
    [ORDER_METHOD] = read_method,
    [ORDER_DI] = read_di,
    [ORDER_TYPE_DI] = read_type_di,
    [ORDER_NAME] = read_name,
    [ORDER_EMAIL] = read_email,
};

static void complain_of_field(struct reading *reading, enum order_field field, const char *complaint) {
    reading->complaints = arena_print(reading->arena, "%.*s%s%s: %s", TEXT_ARGS(reading->complaints),
                                      reading->complaints.size == 0 ? "" : "; ", order_field_names[field], complaint);
}

/* The amount must not have more decimals than its currency, if that is known. */
static void judge_decimals(struct reading *reading) {
    const struct new_order *order = reading->out;
    if (catalogue_has_currency(reading->currencies, order->currency) && money_is_valid(reading->amount) &&
        !currency_allows(order->currency, reading->amount)) {
        complain_of_field(reading, ORDER_AMOUNT,
                          arena_print(reading->arena, "has more decimals than %.*s allows (%u)",
                                      TEXT_ARGS(order->currency), currency_decimals(order->currency))
                              .at);
    }
}

const char *order_fields_read(struct arena *arena, const struct text fields[ORDER_FIELDS],
                              const struct currency_choice *currencies, struct new_order *out) {
    struct reading reading = {.arena = arena, .currencies = currencies, .out = out};
    *out = (struct new_order){.merchant_id = 0};
    for (enum order_field field = 0; field < ORDER_FIELDS; field++) {
        const char *complaint = NULL;
        if (fields[field].size > 0) {
            complaint = READERS[field](&reading, fields[field]);
        } else if (order_field_is_required(field)) {
            complaint = "is missing";
        }
        if (complaint != NULL) {
            complain_of_field(&reading, field, complaint);
        }
    }
    judge_decimals(&reading);
    return reading.complaints.size == 0 ? NULL : reading.complaints.at;
}

bool order_fields_assign_reference(struct arena *arena, struct text *out) {
    unsigned char random[8];
    char digits[REFERENCE_ASSIGNED + 1];
    if (!secret_random(random, sizeof random)) {
        return false;
    }
    reference_assign(random, digits);
    *out = arena_copy(arena, text_of(digits));
    return true;
}
