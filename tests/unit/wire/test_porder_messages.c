#include "unit.h"

#include "field_rules.h"
#include "wire/field.h"
#include "wire/merchant/porder_messages.h"

static struct arena *arena;
static struct fault fault;

static void set_up(void) {
    arena = arena_create();
    fault = (struct fault){0};
}

static void tear_down(void) {
    arena_destroy(arena);
}

static enum refusal read_request(struct text body, struct arena *room, struct fault *out) {
    struct porder_request request;
    return porder_messages_read(body, room, &request, out);
}

static const struct field_rule REQUEST[] = {
    {"merchant", "tienda", true, false, 50, REFUSED_FIELD, NULL, NULL},
    {"email", "a@b.c", true, false, 100, REFUSED_FIELD, "a@b@c", "must be NAME@HOST, without spaces"},
    {"country", "343", true, false, 5, REFUSED_COUNTRY, "CO", "must be the number of a country, like 343"},
    {"order", "PO-1", true, false, 200, REFUSED_FIELD, "PO.1", FORM_ORDER},
    {"reference", "1", false, false, 25, REFUSED_FIELD, "1-2", "must be digits"},
    {"money", "COP", true, false, 0, REFUSED_CURRENCY, "cop", FORM_CURRENCY},
    {"amount", "45000.00", true, false, 0, REFUSED_AMOUNT, "1e3", FORM_AMOUNT},
    {"description", "x", true, false, 250, REFUSED_FIELD, NULL, NULL},
    {"method", "PSE", false, false, 40, REFUSED_PAYMENT_MEANS, NULL, NULL},
    {"language", "es", false, false, 2, REFUSED_FIELD, "fr", "must be es or en"},
    {"recurrent", "false", false, true, 5, REFUSED_FIELD, "1", "must be false: an order is paid once"},
    {"expiration", "21/11/2026", true, false, 0, REFUSED_EXPIRATION_FORM, "2026-11-21",
     "must be a day of the calendar as DD/MM/YYYY, like 31/12/2026"},
    {"iva", "19.50", false, false, 0, REFUSED_FIELD, "19%", FORM_AMOUNT},
    {"user_di", "10203040", false, false, 15, REFUSED_FIELD, NULL, NULL},
    {"user_type_di", "CC", false, false, 40, REFUSED_FIELD, NULL, NULL},
    {"user_name", "Ana", false, false, 150, REFUSED_FIELD, NULL, NULL},
    {"redirect_timeout", "300000", false, false, 10, REFUSED_FIELD, "1e3", "must be digits"},
    {"checksum", "abc", true, false, 0, REFUSED_CHECKSUM, NULL, FORM_CHECKSUM},
};

static const struct field_rules REQUEST_RULES = {REQUEST, COUNT_OF(REQUEST), read_request, true, "{", "}"};

START_TEST(keeps_the_rules_of_a_request) {
    field_rules_try(&REQUEST_RULES, (size_t)_i);
}
END_TEST

static enum refusal read_plugins_request(struct text body, struct arena *room, struct fault *out) {
    struct porder_request request;
    return porder_messages_read_plugin(body, room, &request, out);
}

/* Of a plugin's request country and money may be absent, and nothing else that is required. */
START_TEST(keeps_the_rules_of_a_plugins_request) {
    struct field_rule plugins[COUNT_OF(REQUEST)];
    memcpy(plugins, REQUEST, sizeof plugins);
    for (size_t i = 0; i < COUNT_OF(plugins); i++) {
        if (strcmp(plugins[i].name, "country") == 0 || strcmp(plugins[i].name, "money") == 0) {
            plugins[i].required = false;
        }
    }
    const struct field_rules rules = {plugins, COUNT_OF(plugins), read_plugins_request, true, "{", "}"};
    field_rules_try(&rules, (size_t)_i);
}
END_TEST

static enum refusal read_keys(struct text body, struct arena *room, struct fault *out) {
    struct plugin_keys keys;
    return porder_messages_read_keys(body, room, &keys, out);
}

static const struct field_rule KEYS[] = {
    {"Pv_po_id", "12", false, false, 20, REFUSED_FIELD, "PV-12", "must be digits"},
    {"Po_id", "PO-1", true, false, 200, REFUSED_FIELD, "PO.1", FORM_ORDER},
    {"Status", "paid", true, false, 20, REFUSED_FIELD, NULL, NULL},
    {"MerName", "tienda", true, false, 50, REFUSED_FIELD, NULL, NULL},
    {"Checksum", "abc", true, false, 0, REFUSED_CHECKSUM, NULL, FORM_CHECKSUM},
};

static const struct field_rules KEYS_RULES = {KEYS, COUNT_OF(KEYS), read_keys, true, "{", "}"};

START_TEST(keeps_the_rules_of_a_plugins_keys) {
    field_rules_try(&KEYS_RULES, (size_t)_i);
}
END_TEST

START_TEST(reads_a_plugins_keys) {
    struct plugin_keys keys;
    memset(&keys, 0xFF, sizeof keys);
    ck_assert_int_eq(
        porder_messages_read_keys(field_rules_message(&KEYS_RULES, "none", NULL, arena), arena, &keys, &fault),
        GRANTED);
    assert_text(keys.number, "12");
    assert_text(keys.order, "PO-1");
    assert_text(keys.status, "paid");
    assert_text(keys.merchant, "tienda");
    assert_text(keys.checksum, "abc");
    memset(&keys, 0xFF, sizeof keys);
    ck_assert_int_eq(
        porder_messages_read_keys(field_rules_message(&KEYS_RULES, "Pv_po_id", NULL, arena), arena, &keys, &fault),
        GRANTED);
    assert_text(keys.number, "");
}
END_TEST

static enum refusal read_refund(struct text body, struct arena *room, struct fault *out) {
    struct porder_refund refund;
    return porder_messages_read_refund(TEXT("7"), body, room, &refund, out);
}

static const struct field_rule REFUND[] = {
    {"merchant", "tienda", true, false, 50, REFUSED_FIELD, NULL, NULL},
    {"order", "7", true, false, 200, REFUSED_FIELD, "7.0", FORM_ORDER},
    {"amount", "45000.0", true, false, 0, REFUSED_AMOUNT, "-1", FORM_AMOUNT},
    {"reason", "torn", false, false, 250, REFUSED_FIELD, NULL, NULL},
    {"checksum", "abc", true, false, 0, REFUSED_CHECKSUM, NULL, FORM_CHECKSUM},
};

static const struct field_rules REFUND_RULES = {REFUND, COUNT_OF(REFUND), read_refund, true, "{", "}"};

START_TEST(keeps_the_rules_of_a_refund) {
    field_rules_try(&REFUND_RULES, (size_t)_i);
}
END_TEST

#define START                                                                                                          \
    "{\"merchant\":\"tienda\",\"email\":\"a@b.c\",\"country\":343,\"order\":\"PO-1\",\"money\":\"COP\",\"amount\":"    \
    "45000.00,"                                                                                                        \
    "\"description\":\"x\",\"expiration\":\"21/11/2026\",\"checksum\":\"abc\""

START_TEST(reads_a_request) {
    struct porder_request request;
    struct text body = TEXT(START ",\"reference\":1234567890123456789012345,\"method\":\"PSE\",\"language\":\"EN\","
                                  "\"recurrent\":false,\"iva\":19.50,\"user_di\":10203040,\"user_type_di\":\"CC\","
                                  "\"user_name\":\"Ana\",\"redirect_timeout\":300000}");
    ck_assert_int_eq(porder_messages_read(body, arena, &request, &fault), GRANTED);
    assert_text(request.merchant, "tienda");
    assert_text(request.email, "a@b.c");
    assert_text(request.country, "343");
    assert_text(request.order, "PO-1");
    assert_text(request.money, "COP");
    assert_text(request.amount, "45000.00");
    assert_text(request.description, "x");
    assert_text(request.expiration, "21/11/2026");
    assert_text(request.checksum, "abc");
    assert_text(request.reference, "1234567890123456789012345");
    assert_text(request.method, "PSE");
    assert_text(request.language, "EN");
    assert_text(request.recurrent, "false");
    assert_text(request.vat, "19.50");
    assert_text(request.document, "10203040");
    assert_text(request.document_type, "CC");
    assert_text(request.customer_name, "Ana");
    assert_text(request.redirect_timeout, "300000");
}
END_TEST

static const struct {
    const char *body;
    enum refusal refusal;
    const char *field, *problem;
} REQUESTS[] = {
    {START "}", GRANTED, NULL, NULL},
    {START ",\"language\":\"es\"}", GRANTED, NULL, NULL},
    {START ",\"language\":\"xx\"}", REFUSED_FIELD, "language", "must be es or en"},
    {START ",\"reference\":null,\"iva\":\"\",\"recurrent\":\"\"}", GRANTED, NULL, NULL},
    {START ",\"recurrent\":0}", GRANTED, NULL, NULL},
    {START ",\"recurrent\":true}", REFUSED_FIELD, "recurrent", "must be false: an order is paid once"},
    {START ",\"recurrent\":\"yes\"}", REFUSED_FIELD, "recurrent", "must be false: an order is paid once"},
    {START ",\"reference\":-1}", REFUSED_FIELD, "reference", "must be digits"},
    {START ",\"reference\":1.5}", REFUSED_FIELD, "reference", "must be digits"},
    {"[]", REFUSED_NOT_JSON, "the body", "is an array: send one object, {...}"},
    {"", REFUSED_NOT_JSON, "the body", "is empty"},
};

START_TEST(judges_requests) {
    struct porder_request request;
    ck_assert_int_eq(porder_messages_read(text_of(REQUESTS[_i].body), arena, &request, &fault), REQUESTS[_i].refusal);
    if (REQUESTS[_i].refusal != GRANTED) {
        ck_assert_str_eq(fault.field, REQUESTS[_i].field);
        ck_assert_str_eq(fault.problem, REQUESTS[_i].problem);
    }
}
END_TEST

#define TEN "aaaaaaaaaa"
#define N50 TEN TEN TEN TEN TEN

static const struct {
    const char *order, *query;
    enum refusal refusal;
    const char *field;
} QUERIES[] = {
    {"PO_1-a", "merchant=tienda+1&checksum=abc", GRANTED, NULL},
    {"PO.1", "merchant=tienda&checksum=abc", REFUSED_FIELD, "order"},
    {"", "merchant=tienda&checksum=abc", REFUSED_FIELD, "order"},
    {"PO-1", "checksum=abc", REFUSED_FIELD, "merchant"},
    {"PO-1", "merchant=" N50 "a&checksum=abc", REFUSED_FIELD, "merchant"},
    {N50 N50 N50 N50 "a", "merchant=tienda&checksum=abc", REFUSED_FIELD, "order"},
    {"PO-1", "merchant=tienda", REFUSED_FIELD, "checksum"},
    {"PO-1", "merchant=tienda&checksum=", REFUSED_CHECKSUM, "checksum"},
};

START_TEST(judges_queries) {
    struct porder_query query;
    enum refusal refusal =
        porder_messages_read_query(text_of(QUERIES[_i].order), text_of(QUERIES[_i].query), arena, &query, &fault);
    ck_assert_int_eq(refusal, QUERIES[_i].refusal);
    if (refusal != GRANTED) {
        ck_assert_str_eq(fault.field, QUERIES[_i].field);
    } else {
        assert_text(query.order, QUERIES[_i].order);
        assert_text(query.merchant, "tienda 1");
        assert_text(query.checksum, "abc");
    }
}
END_TEST

static const struct {
    const char *order_of_path, *field, *json;
    const char *problem; /* of the order; NULL: it is granted */
} REFUNDS[] = {
    {"7", "order", "7", NULL},
    {"7", "reason", "null", NULL},
    {"07", "order", "7", "is not the order of the path"},
    {"7", "order", "\"07\"", "is not the order of the path"},
};

START_TEST(judges_refunds) {
    struct porder_refund refund;
    struct text body = field_rules_message(&REFUND_RULES, REFUNDS[_i].field, REFUNDS[_i].json, arena);
    memset(&refund, 0xFF, sizeof refund);
    enum refusal refusal =
        porder_messages_read_refund(text_of(REFUNDS[_i].order_of_path), body, arena, &refund, &fault);
    if (REFUNDS[_i].problem != NULL) {
        ck_assert_int_eq(refusal, REFUSED_FIELD);
        ck_assert_str_eq(fault.field, "order");
        ck_assert_str_eq(fault.problem, REFUNDS[_i].problem);
    } else {
        ck_assert_int_eq(refusal, GRANTED);
        assert_text(refund.merchant, "tienda");
        assert_text(refund.order, "7");
        assert_text(refund.amount, "45000.0");
        assert_text(refund.checksum, "abc");
        assert_text(refund.reason, strcmp(REFUNDS[_i].field, "reason") == 0 ? "" : "torn");
    }
}
END_TEST

TCase *porder_messages_tests(void) {
    TCase *tests = unit_case("porder_messages");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, reads_a_request);
    add_table_test(tests, keeps_the_rules_of_a_request, REQUEST);
    add_table_test(tests, keeps_the_rules_of_a_plugins_request, REQUEST);
    add_table_test(tests, keeps_the_rules_of_a_plugins_keys, KEYS);
    add_table_test(tests, keeps_the_rules_of_a_refund, REFUND);
    tcase_add_test(tests, reads_a_plugins_keys);
    add_table_test(tests, judges_requests, REQUESTS);
    add_table_test(tests, judges_queries, QUERIES);
    add_table_test(tests, judges_refunds, REFUNDS);
    return tests;
}
