#include "unit.h"

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
    {START ",\"reference\":null,\"iva\":\"\",\"recurrent\":\"\"}", GRANTED, NULL, NULL},
    {START ",\"recurrent\":0}", GRANTED, NULL, NULL},
    {START ",\"recurrent\":true}", REFUSED_FIELD, "recurrent", "must be false: an order is paid once"},
    {START ",\"recurrent\":\"yes\"}", REFUSED_FIELD, "recurrent", "must be false: an order is paid once"},
    {START ",\"reference\":-1}", REFUSED_FIELD, "reference", "must be digits"},
    {START ",\"reference\":1.5}", REFUSED_FIELD, "reference", "must be digits"},
    {START ",\"reference\":12345678901234567890123456}", REFUSED_FIELD, "reference", "is too long"},
    {START ",\"reference\":[1]}", REFUSED_FIELD, "reference", "must be a string or a number"},
    {START ",\"reference\":true}", REFUSED_FIELD, "reference", "must be a string or a number"},
    {START ",\"method\":\"12345678901234567890123456789012345678901\"}", REFUSED_PAYMENT_MEANS, "method",
     "is too long"},
    {START ",\"language\":\"fr\"}", REFUSED_FIELD, "language", "must be es or en"},
    {START ",\"iva\":\"x\"}", REFUSED_FIELD, "iva", FORM_AMOUNT},
    {START ",\"redirect_timeout\":1e3}", REFUSED_FIELD, "redirect_timeout", "must be digits"},
    {"{\"merchant\":null}", REFUSED_FIELD, "merchant", "is missing"},
    {"{\"merchant\":\"\"}", REFUSED_FIELD, "merchant", "is missing"},
    {"{\"merchant\":\"a\",\"email\":\"b\"}", REFUSED_FIELD, "email", "must be NAME@HOST, without spaces"},
    {"{\"merchant\":\"a\",\"email\":\"b@c@d\"}", REFUSED_FIELD, "email", "must be NAME@HOST, without spaces"},
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

static const struct {
    const char *order, *query;
    enum refusal refusal;
    const char *field;
} QUERIES[] = {
    {"PO_1-a", "merchant=tienda+1&checksum=abc", GRANTED, NULL},
    {"PO.1", "merchant=tienda&checksum=abc", REFUSED_FIELD, "order"},
    {"", "merchant=tienda&checksum=abc", REFUSED_FIELD, "order"},
    {"PO-1", "checksum=abc", REFUSED_FIELD, "merchant"},
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

#define REFUND(rest) "{\"merchant\":\"tienda\",\"order\":7,\"amount\":45000.0,\"checksum\":\"abc\"" rest "}"

static const struct {
    const char *order, *body;
    enum refusal refusal;
    const char *field;
} REFUNDS[] = {
    {"7", REFUND(""), GRANTED, NULL},
    {"7", REFUND(",\"reason\":null"), GRANTED, NULL},
    {"07", REFUND(""), REFUSED_FIELD, "order"},
    {"7", REFUND(",\"reason\":{}"), REFUSED_FIELD, "reason"},
    {"7", "{\"merchant\":\"tienda\",\"order\":7,\"amount\":-1}", REFUSED_AMOUNT, "amount"},
};

START_TEST(judges_refunds) {
    struct porder_refund refund;
    enum refusal refusal =
        porder_messages_read_refund(text_of(REFUNDS[_i].order), text_of(REFUNDS[_i].body), arena, &refund, &fault);
    ck_assert_int_eq(refusal, REFUNDS[_i].refusal);
    if (refusal != GRANTED) {
        ck_assert_str_eq(fault.field, REFUNDS[_i].field);
    } else {
        assert_text(refund.amount, "45000.0");
        assert_text(refund.reason, "");
    }
}
END_TEST

TCase *porder_messages_tests(void) {
    TCase *tests = unit_case("porder_messages");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, reads_a_request);
    add_table_test(tests, judges_requests, REQUESTS);
    add_table_test(tests, judges_queries, QUERIES);
    add_table_test(tests, judges_refunds, REFUNDS);
    return tests;
}
