#include "wire/merchant/porder_messages.h"

#include "domain/currency.h"
#include "domain/instant.h"
#include "domain/order.h"
#include "domain/reference.h"
#include "wire/object.h"
#include "wire/uri.h"

enum { MERCHANT_MAX = 50, REASON_MAX = 250 };

static bool is_number(struct text value) {
    uint64_t number;
    return text_to_number(value, &number);
}

static bool is_language(struct text value) {
    return text_equal_any_case(value, TEXT("es")) || text_equal_any_case(value, TEXT("en"));
}

static bool is_day(struct text value) {
    instant day;
    return porder_parse_expiration(value, &day);
}

static bool is_false(struct text value) {
    return text_equal_any_case(value, TEXT("false")) || text_equal(value, TEXT("0"));
}

#define AT(member) offsetof(struct porder_request, member)

static const struct field FIELDS[] = {
    {"merchant", FIELD_REQUIRED, false, MERCHANT_MAX, REFUSED_FIELD, NULL, AT(merchant), NULL},
    {"email", FIELD_REQUIRED, false, 100, REFUSED_FIELD, order_email_is_valid, AT(email),
     "must be NAME@HOST, without spaces"},
    {"country", FIELD_REQUIRED, false, 5, REFUSED_COUNTRY, is_number, AT(country),
     "must be the number of a country, like 343"},
    {"order", FIELD_REQUIRED, false, ORDER_NUMBER_MAX, REFUSED_FIELD, order_number_is_valid, AT(order), FORM_ORDER},
    {"reference", FIELD_OPTIONAL, false, REFERENCE_MAX, REFUSED_FIELD, reference_is_valid, AT(reference),
     "must be digits"},
    {"money", FIELD_REQUIRED, false, 0, REFUSED_CURRENCY, currency_is_known, AT(money), FORM_CURRENCY},
    {"amount", FIELD_REQUIRED, false, 0, REFUSED_AMOUNT, money_is_valid, AT(amount), FORM_AMOUNT},
    {"description", FIELD_REQUIRED, false, 250, REFUSED_FIELD, NULL, AT(description), NULL},
    {"method", FIELD_OPTIONAL, false, 40, REFUSED_PAYMENT_MEANS, NULL, AT(method), NULL},
    {"language", FIELD_OPTIONAL, false, 2, REFUSED_FIELD, is_language, AT(language), "must be es or en"},
    {"recurrent", FIELD_OPTIONAL, true, 5, REFUSED_FIELD, NULL, AT(recurrent), NULL},
    {"expiration", FIELD_REQUIRED, false, 0, REFUSED_EXPIRATION_FORM, is_day, AT(expiration),
     "must be a day of the calendar as DD/MM/YYYY, like 31/12/2026"},
    {"iva", FIELD_OPTIONAL, false, 0, REFUSED_FIELD, money_is_valid, AT(vat), FORM_AMOUNT},
    {"user_di", FIELD_OPTIONAL, false, 15, REFUSED_FIELD, NULL, AT(document), NULL},
    {"user_type_di", FIELD_OPTIONAL, false, 40, REFUSED_FIELD, NULL, AT(document_type), NULL},
    {"user_name", FIELD_OPTIONAL, false, 150, REFUSED_FIELD, NULL, AT(customer_name), NULL},
    {"redirect_timeout", FIELD_OPTIONAL, false, 10, REFUSED_FIELD, is_number, AT(redirect_timeout), "must be digits"},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, AT(checksum), FORM_CHECKSUM},
};

static enum refusal read_order(struct text body, const struct field *fields, struct arena *arena,
                               struct porder_request *out, struct fault *fault) {
    *out = (struct porder_request){0};
    enum refusal refusal = object_read_tolerant(body, fields, COUNT_OF(FIELDS), arena, out, fault);
    if (refusal == GRANTED && out->recurrent.size > 0 && !is_false(out->recurrent)) {
        *fault = (struct fault){.field = "recurrent", .problem = "must be false: an order is paid once"};
        return REFUSED_FIELD;
    }
    return refusal;
}

enum refusal porder_messages_read(struct text body, struct arena *arena, struct porder_request *out,
                                  struct fault *fault) {
    return read_order(body, FIELDS, arena, out, fault);
}

enum refusal porder_messages_read_plugin(struct text body, struct arena *arena, struct porder_request *out,
                                         struct fault *fault) {
    struct field fields[COUNT_OF(FIELDS)];
    memcpy(fields, FIELDS, sizeof fields);
    for (size_t i = 0; i < COUNT_OF(FIELDS); i++) {
        if (fields[i].at == AT(country) || fields[i].at == AT(money)) {
            fields[i].need = FIELD_OPTIONAL;
        }
    }
    return read_order(body, fields, arena, out, fault);
}

#define KEYS(member) offsetof(struct plugin_keys, member)

static const struct field PLUGIN_KEYS_FIELDS[] = {
    {"Pv_po_id", FIELD_OPTIONAL, false, 20, REFUSED_FIELD, is_number, KEYS(number), "must be digits"},
    {"Po_id", FIELD_REQUIRED, false, ORDER_NUMBER_MAX, REFUSED_FIELD, order_number_is_valid, KEYS(order), FORM_ORDER},
    {"Status", FIELD_REQUIRED, false, 20, REFUSED_FIELD, NULL, KEYS(status), NULL},
    {"MerName", FIELD_REQUIRED, false, MERCHANT_MAX, REFUSED_FIELD, NULL, KEYS(merchant), NULL},
    {"Checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, KEYS(checksum), FORM_CHECKSUM},
};

enum refusal porder_messages_read_keys(struct text body, struct arena *arena, struct plugin_keys *out,
                                       struct fault *fault) {
    *out = (struct plugin_keys){0};
    return object_read_tolerant(body, PLUGIN_KEYS_FIELDS, COUNT_OF(PLUGIN_KEYS_FIELDS), arena, out, fault);
}

#define QUERY(member) offsetof(struct porder_query, member)

static const struct field ORDER_OF_PATH = {"order",       FIELD_REQUIRED,        false,        ORDER_NUMBER_MAX,
                                           REFUSED_FIELD, order_number_is_valid, QUERY(order), FORM_ORDER};

static const struct field QUERY_FIELDS[] = {
    {"merchant", FIELD_REQUIRED, false, MERCHANT_MAX, REFUSED_FIELD, NULL, QUERY(merchant), NULL},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, QUERY(checksum), FORM_CHECKSUM},
};

enum refusal porder_messages_read_query(struct text order, struct text query, struct arena *arena,
                                        struct porder_query *out, struct fault *fault) {
    *out = (struct porder_query){.order = order};
    enum refusal refusal = field_judge(&ORDER_OF_PATH, order, fault);
    return refusal == GRANTED ? uri_read_query(query, QUERY_FIELDS, COUNT_OF(QUERY_FIELDS), arena, out, fault)
                              : refusal;
}

#define REFUND(member) offsetof(struct porder_refund, member)

static const struct field REFUND_FIELDS[] = {
    {"merchant", FIELD_REQUIRED, false, MERCHANT_MAX, REFUSED_FIELD, NULL, REFUND(merchant), NULL},
    {"order", FIELD_REQUIRED, false, ORDER_NUMBER_MAX, REFUSED_FIELD, order_number_is_valid, REFUND(order), FORM_ORDER},
    {"amount", FIELD_REQUIRED, false, 0, REFUSED_AMOUNT, money_is_valid, REFUND(amount), FORM_AMOUNT},
    {"reason", FIELD_OPTIONAL, false, REASON_MAX, REFUSED_FIELD, NULL, REFUND(reason), NULL},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, REFUND(checksum), FORM_CHECKSUM},
};

enum refusal porder_messages_read_refund(struct text order, struct text body, struct arena *arena,
                                         struct porder_refund *out, struct fault *fault) {
    *out = (struct porder_refund){0};
    enum refusal refusal = object_read_tolerant(body, REFUND_FIELDS, COUNT_OF(REFUND_FIELDS), arena, out, fault);
    if (refusal == GRANTED && !text_equal(order, out->order)) {
        *fault = (struct fault){.field = "order", .problem = "is not the order of the path"};
        return REFUSED_FIELD;
    }
    return refusal;
}
