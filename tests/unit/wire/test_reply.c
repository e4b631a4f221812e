#include "unit.h"

#include "wire/reply.h"

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static void check_reply(struct reply reply, int status, const char *code, const char *body) {
    ck_assert_int_eq(reply.http_status, status);
    ck_assert_str_eq(reply.code, code);
    assert_text(reply.body, body);
}

static const struct {
    const char *amount, *currency, *printed;
} AMOUNTS[] = {
    {"45000", "COP", "45000.00"},
    {"45000.5", "COP", "45000.50"},
    {"1234567.89", "COP", "1234567.89"},
    {"0", "COP", "0.00"},
    {"0.01", "COP", "0.01"},
    {"0.1", "USD", "0.10"},
    {"999999999999999.99", "COP", "999999999999999.99"},
    {"999999999999999.9999", "CLF", "999999999999999.9999"},
    {"45000", "JPY", "45000"},
    {"5", "BHD", "5.000"},
    {"0.0001", "COP", "0.0001"}, /* stored decimals are never hidden */
};

START_TEST(prints_money_from_the_decimal) {
    struct transaction transaction = {.id = 1, .currency = text_of(AMOUNTS[_i].currency)};
    ck_assert(money_parse(text_of(AMOUNTS[_i].amount), &transaction.amount));
    struct reply reply = reply_registration(&transaction, TEXT("T"), arena);
    struct text expected =
        arena_print(arena, "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"AMOUNT\":%s,\"DESC", AMOUNTS[_i].printed);
    ck_assert_msg(text_begins(reply.body, expected), "%.*s", TEXT_ARGS(reply.body));
}
END_TEST

START_TEST(lookup_of_an_order) {
    struct order order = {.amount = {450000000},
                          .currency = TEXT("COP"),
                          .description = TEXT("Zapatos nº 5 \"rojos\" 1/2 \\"),
                          .document = TEXT("10203040"),
                          .document_type = TEXT("CC"),
                          .commerce = TEXT("Tienda Ñandú"),
                          .reference = TEXT("0012345678")};
    check_reply(
        reply_lookup_order(&order, arena), 200, "0000",
        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"LASTNAME1\":\"\",\"LASTNAME2\":\"\",\"AMOUNT\":45000.00,"
        "\"DESCRIPTION\":\"Zapatos nº 5 \\\"rojos\\\" 1/2 \\\\\",\"DI\":\"10203040\","
        "\"COMMERCE\":\"Tienda Ñandú\",\"REFERENCE\":\"0012345678\",\"TYPEDI\":\"CC\",\"NAME\":\"\"}}");
}
END_TEST

START_TEST(lookup_of_an_order_with_nothing_optional) {
    struct order order = {.currency = TEXT("COP"), .commerce = TEXT("T"), .reference = TEXT("1")};
    check_reply(
        reply_lookup_order(&order, arena), 200, "0000",
        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"LASTNAME1\":\"\",\"LASTNAME2\":\"\",\"AMOUNT\":0.00,"
        "\"DESCRIPTION\":\"\",\"DI\":\"\",\"COMMERCE\":\"T\",\"REFERENCE\":\"1\",\"TYPEDI\":\"\",\"NAME\":\"\"}}");
}
END_TEST

START_TEST(lookup_of_an_account) {
    struct account account = {.document = TEXT("10203040"),
                              .document_type = TEXT("CC"),
                              .name = TEXT("Ana María"),
                              .lastname1 = TEXT("Paz"),
                              .lastname2 = TEXT("Sol"),
                              .currency = TEXT("COP")};
    check_reply(
        reply_lookup_account(&account, TEXT("recaudo"), arena), 200, "0000",
        "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"LASTNAME1\":\"Paz\",\"LASTNAME2\":\"Sol\",\"AMOUNT\":0.00,"
        "\"DESCRIPTION\":\"\",\"DI\":\"10203040\",\"COMMERCE\":\"recaudo\",\"REFERENCE\":\"10203040\","
        "\"TYPEDI\":\"CC\",\"NAME\":\"Ana María\"}}");
}
END_TEST

START_TEST(registration) {
    struct transaction transaction = {.id = UINT64_MAX,
                                      .amount = {12345678900},
                                      .currency = TEXT("COP"),
                                      .reference = TEXT("0012345678"),
                                      .commerce = TEXT("A/B"),
                                      .description = TEXT("x")};
    check_reply(reply_registration(&transaction, TEXT("TX/\"1\""), arena), 200, "0000",
                "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"AMOUNT\":1234567.89,\"DESCRIPTION\":\"x\","
                "\"REFERENCE\":\"0012345678\",\"IDTRANSACTION\":\"TX/\\\"1\\\"\","
                "\"IDSERVICE\":\"18446744073709551615\",\"COMMERCE\":\"A/B\"}}");
}
END_TEST

START_TEST(confirmation) {
    check_reply(reply_confirmation(TEXT("TX-1"), true, arena), 200, "0000",
                "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"IDTRANSACTION\":\"TX-1\",\"CONFIRM\":true}}");
    check_reply(reply_confirmation(TEXT("TX-1"), false, arena), 200, "0000",
                "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"IDTRANSACTION\":\"TX-1\",\"CONFIRM\":false}}");
}
END_TEST

START_TEST(success_without_data) {
    check_reply(reply_ok(arena), 200, "0000", "{\"CODE\":\"0000\",\"TEXT\":\"OK\"}");
}
END_TEST

static const struct {
    enum refusal refusal;
    struct fault fault;
    int status;
    const char *code, *body;
} REFUSALS[] = {
    {REFUSED_FIELD,
     {.field = "teller", .problem = "is missing"},
     200,
     "0011",
     "{\"CODE\":\"0011\",\"TEXT\":\"field not valid: teller is missing\"}"},
    {REFUSED_FIELD,
     {.field = "teller", .problem = "is too long", .most = 64},
     200,
     "0011",
     "{\"CODE\":\"0011\",\"TEXT\":\"field not valid: teller is too long: at most 64 characters\"}"},
    {REFUSED_PAID, {0}, 200, "0102", "{\"CODE\":\"0102\",\"TEXT\":\"already paid\"}"},
    {REFUSED_NOT_JSON,
     {.field = "the body", .problem = "has the same key twice"},
     400,
     "0140",
     "{\"CODE\":\"0140\",\"TEXT\":\"malformed request: the body has the same key twice\"}"},
    {REFUSED_TRY_AGAIN, {0}, 503, "0028", "{\"CODE\":\"0028\",\"TEXT\":\"try again in a moment\"}"},
    {REFUSED_PROCESSING_ERROR, {0}, 500, "0009", "{\"CODE\":\"0009\",\"TEXT\":\"processing error\"}"},
    {REFUSED_MEDIA_TYPE,
     {.field = "the body", .problem = NULL},
     415,
     "0143",
     "{\"CODE\":\"0143\",\"TEXT\":\"Content-Type must be application/json\"}"},
};

START_TEST(refusals) {
    check_reply(reply_refusal(REFUSALS[_i].refusal, &REFUSALS[_i].fault, arena), REFUSALS[_i].status, REFUSALS[_i].code,
                REFUSALS[_i].body);
}
END_TEST

TCase *reply_tests(void) {
    TCase *tests = unit_case("reply");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, prints_money_from_the_decimal, AMOUNTS);
    tcase_add_test(tests, lookup_of_an_order);
    tcase_add_test(tests, lookup_of_an_order_with_nothing_optional);
    tcase_add_test(tests, lookup_of_an_account);
    tcase_add_test(tests, registration);
    tcase_add_test(tests, confirmation);
    tcase_add_test(tests, success_without_data);
    add_table_test(tests, refusals, REFUSALS);
    return tests;
}
