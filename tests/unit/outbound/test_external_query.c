#include "unit.h"

#include "auth/checksum.h"
#include "outbound/external_query.h"

#define NOW (1795253400 * SECOND)
#define END "1795257000"

/* "{}" stands for the checksum of the answer's values. */
#define ANSWER(data) "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{" data "}}"
#define ORDER        "\"order\":\"PO_1-a\""
#define AMOUNT       ",\"amount\":\"45000\""
#define DESCRIPTION  ",\"description\":\"Zapatos ñ_1-2\""
#define EMAIL        ",\"email\":\"a@b.c\""
#define UNTIL        ",\"timestamp_end\":\"" END "\""
#define LIMITS       ",\"min\":\"10\",\"max\":\"2000\""
#define CHECKSUM     ",\"checksum\":\"{}\""
#define CUSTOMER     ",\"user_di\":\"1020304050\",\"user_type_di\":\"CC\",\"user_name\":\"Ana\""
#define USUAL        ORDER AMOUNT DESCRIPTION EMAIL UNTIL
#define TEN          "aaaaaaaaaa"
#define TEN_WIDE     "ññññññññññ"
#define FIFTY        TEN TEN TEN TEN TEN
#define HUNDRED      FIFTY FIFTY

static struct arena *arena;
static struct secret_pair hash;
static struct integration integration;
static struct query_result result;
static struct rule_checks checks;

static void set_up(void) {
    arena = arena_create();
    ck_assert(secret_set(&hash.current, TEXT("secret")));
    integration = (struct integration){.merchant_id = 7, .currency = TEXT("COP"), .currency_code = 1};
}

static void tear_down(void) {
    arena_destroy(arena);
}

/* Puts the checksum over these values in place of {}. */
static struct text signed_over(const char *answer, const char *values) {
    const struct text parts[] = {text_of(values), TEXT(""), TEXT("")};
    char checksum[CHECKSUM_HEX_MAX + 1];
    checksum_compute(CHECKSUM_ANSWER, parts, &hash.current, checksum);
    const char *hole = strstr(answer, "{}");
    if (hole == NULL) {
        return text_of(answer);
    }
    return arena_print(arena, "%.*s%s%s", (int)(hole - answer), answer, checksum, hole + 2);
}

static void judge(const char *answer, const char *values) {
    const struct external_query query = {.integration = &integration, .reference = TEXT("770000001"), .now = NOW};
    const struct http_reply reply = {.status = 200, .address = "127.0.0.1", .body = signed_over(answer, values)};
    memset(&result, 0, sizeof result);
    memset(&checks, 0, sizeof checks);
    external_query_judge(&query, &hash, &reply, arena, &result);
    external_query_examine(&query, &hash, &reply, arena, &checks);
}

static size_t count_checks(enum rule_state state) {
    size_t count = 0;
    for (size_t i = 0; i < checks.count; i++) {
        count += checks.list[i].state == state;
    }
    return count;
}

static const char *first_broken(void) {
    for (size_t i = 0; i < checks.count; i++) {
        if (checks.list[i].state == RULE_BROKEN) {
            return checks.list[i].field;
        }
    }
    return NULL;
}

/* Returns the state of a rule; fails and returns RULE_UNSEEN if there is no such rule. */
static enum rule_state state_of(const char *field, const char *rule) {
    for (size_t i = 0; i < checks.count; i++) {
        if (strcmp(checks.list[i].field, field) == 0 && strcmp(checks.list[i].rule, rule) == 0) {
            return checks.list[i].state;
        }
    }
    ck_abort_msg("there is no rule: %s %s", field, rule);
}

static void judge_usual(const char *answer) {
    judge(answer, "PO_1-a45000" END);
}

START_TEST(an_answer_becomes_an_offer) {
    judge_usual(ANSWER(USUAL CHECKSUM CUSTOMER));
    ck_assert_int_eq(result.outcome, QUERY_ANSWERED);
    const struct offer *offer = &result.offer;
    ck_assert_uint_eq(offer->merchant_id, 7);
    ck_assert_uint_eq(offer->amount.units, 450000000);
    ck_assert_int_eq(offer->due_at, 1795257000 * SECOND);
    ck_assert(!offer->has_limits);
    assert_text(offer->reference, "770000001");
    assert_text(offer->po_id, "PO_1-a");
    assert_text(offer->description, "Zapatos ñ_1-2");
    assert_text(offer->email, "a@b.c");
    assert_text(offer->document, "1020304050");
    assert_text(offer->document_type, "CC");
    assert_text(offer->customer_name, "Ana");
    assert_text(result.address, "127.0.0.1");
    ck_assert_uint_eq(count_checks(RULE_BROKEN), 0);
}
END_TEST

static const struct {
    const char *answer, *values;
    uint64_t least, most;
} LIMITED[] = {
    {ANSWER(ORDER ",\"amount\":\"0\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a0" END, 0, 9999999990000},
    {ANSWER(ORDER ",\"amount\":\"0\"" DESCRIPTION EMAIL UNTIL LIMITS CHECKSUM), "PO_1-a0102000" END, 100000, 20000000},
    {ANSWER(USUAL LIMITS CHECKSUM), "PO_1-a45000102000" END, 100000, 20000000},
};

START_TEST(limits_are_part_of_the_checksum_when_they_are_sent) {
    judge(LIMITED[_i].answer, LIMITED[_i].values);
    ck_assert_int_eq(result.outcome, QUERY_ANSWERED);
    ck_assert(result.offer.has_limits);
    ck_assert_uint_eq(result.offer.least.units, LIMITED[_i].least);
    ck_assert_uint_eq(result.offer.most.units, LIMITED[_i].most);
}
END_TEST

/* Each field with its greatest length, in characters, and other values at their bounds. */
static const struct {
    const char *answer, *values;
} VALID[] = {
    {ANSWER("\"order\":\"" HUNDRED HUNDRED "\"" AMOUNT DESCRIPTION EMAIL UNTIL CHECKSUM), HUNDRED HUNDRED "45000" END},
    {ANSWER(ORDER ",\"amount\":\"999999999999999.99\"" DESCRIPTION EMAIL UNTIL CHECKSUM),
     "PO_1-a999999999999999.99" END},
    {ANSWER(ORDER ",\"amount\":\"000000000045000.00\"" DESCRIPTION EMAIL UNTIL CHECKSUM),
     "PO_1-a000000000045000.00" END},
    {ANSWER(ORDER AMOUNT ",\"description\":\"" TEN_WIDE TEN_WIDE TEN_WIDE TEN_WIDE "\"" EMAIL UNTIL CHECKSUM),
     "PO_1-a45000" END},
    {ANSWER(ORDER AMOUNT ",\"description\":\" \"" EMAIL UNTIL CHECKSUM), "PO_1-a45000" END},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"" FIFTY TEN TEN TEN TEN "aaaaaa@b.c\"" UNTIL CHECKSUM),
     "PO_1-a45000" END},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":\"9999999999\"" CHECKSUM), "PO_1-a450009999999999"},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":\"1795253401\"" CHECKSUM), "PO_1-a450001795253401"},
    {ANSWER(USUAL ",\"min\":\"5\",\"max\":\"5\"" CHECKSUM), "PO_1-a4500055" END},
    {ANSWER(USUAL ",\"min\":\"0\",\"max\":\"0\"" CHECKSUM),
     "PO_1-a4500000" END}, /* the customer cannot choose an amount */
    {ANSWER(ORDER ",\"amount\":\"0\"" DESCRIPTION EMAIL UNTIL ",\"min\":\"0\",\"max\":\"0.01\"" CHECKSUM),
     "PO_1-a000.01" END},
    {ANSWER(USUAL ",\"min\":\"0.10\",\"max\":\"999999999999999.99\"" CHECKSUM),
     "PO_1-a450000.10999999999999999.99" END},
    {ANSWER(USUAL CHECKSUM ",\"user_di\":\"" TEN_WIDE "\""), "PO_1-a45000" END},
    {ANSWER(USUAL CHECKSUM ",\"user_type_di\":\"" TEN_WIDE TEN_WIDE TEN_WIDE TEN_WIDE "\""), "PO_1-a45000" END},
    {ANSWER(USUAL CHECKSUM ",\"user_name\":\"" HUNDRED TEN_WIDE TEN_WIDE TEN_WIDE TEN_WIDE TEN_WIDE "\""),
     "PO_1-a45000" END},
    {ANSWER(USUAL CHECKSUM ",\"user_di\":\"\",\"user_type_di\":\"\",\"user_name\":\"\""), "PO_1-a45000" END},
    {"{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"more\":1,\"DATA\":{\"more\":{\"a\":[]}," USUAL CHECKSUM "}}",
     "PO_1-a45000" END},
};

START_TEST(what_is_just_right) {
    judge(VALID[_i].answer, VALID[_i].values);
    ck_assert_int_eq(result.outcome, QUERY_ANSWERED);
    ck_assert_ptr_null(result.fault.field);
    ck_assert_uint_eq(count_checks(RULE_BROKEN), 0);
}
END_TEST

/* The checksum is right in each answer, so only the named field is wrong. */
static const struct {
    const char *answer, *values, *field;
} INVALID[] = {
    {"", "", "the body"},
    {"[]", "", "the body"},
    {ANSWER(USUAL CHECKSUM) "x", "", "the body"},
    {ANSWER(USUAL AMOUNT CHECKSUM), "", "the body"},
    {"{\"TEXT\":\"OK\"}", "", "CODE"},
    {"{\"CODE\":0,\"TEXT\":\"OK\"}", "", "CODE"},
    {"{\"CODE\":\"00000\",\"TEXT\":\"OK\"}", "", "CODE"},
    {"{\"CODE\":\"000\",\"TEXT\":\"OK\"}", "", "CODE"},
    {"{\"CODE\":\"0_00\",\"TEXT\":\"OK\"}", "", "CODE"},
    {"{\"CODE\":\"\",\"TEXT\":\"OK\"}", "", "CODE"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"\",\"DATA\":{ }}", "", "TEXT"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"ok\",\"DATA\":{ }}", "", "TEXT"},
    {"{\"CODE\":\"0000\"}", "", "TEXT"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"NO\",\"DATA\":{ }}", "", "TEXT"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"OK\"}", "", "DATA"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":[]}", "", "DATA"},
    {ANSWER("\"amount\":\"45000\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "45000" END, "order"},
    {ANSWER("\"order\":\"\"" AMOUNT DESCRIPTION EMAIL UNTIL CHECKSUM), "45000" END, "order"},
    {ANSWER("\"order\":\"a.b\"" AMOUNT DESCRIPTION EMAIL UNTIL CHECKSUM), "a.b45000" END, "order"},
    {ANSWER("\"order\":\"ñ\"" AMOUNT DESCRIPTION EMAIL UNTIL CHECKSUM), "ñ45000" END, "order"},
    {ANSWER("\"order\":\"" HUNDRED HUNDRED "a\"" AMOUNT DESCRIPTION EMAIL UNTIL CHECKSUM), HUNDRED HUNDRED "a45000" END,
     "order"},
    {ANSWER(ORDER DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a" END, "amount"},
    {ANSWER(ORDER ",\"amount\":45000" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a45000" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\"-1\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a-1" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\"1e3\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a1e3" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\"1.001\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a1.001" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\"45.000\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a45.000" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\"\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\" 1\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a 1" END, "amount"},
    {ANSWER(ORDER ",\"amount\":\"1234567890123456\"" DESCRIPTION EMAIL UNTIL CHECKSUM), "PO_1-a1234567890123456" END,
     "amount"},
    {ANSWER(ORDER ",\"amount\":\"000000000000000000001\"" DESCRIPTION EMAIL UNTIL CHECKSUM),
     "PO_1-a000000000000000000001" END, "amount"},
    {ANSWER(ORDER AMOUNT EMAIL UNTIL CHECKSUM), "PO_1-a45000" END, "description"},
    {ANSWER(ORDER AMOUNT ",\"description\":\"\"" EMAIL UNTIL CHECKSUM), "PO_1-a45000" END, "description"},
    {ANSWER(ORDER AMOUNT ",\"description\":null" EMAIL UNTIL CHECKSUM), "PO_1-a45000" END, "description"},
    {ANSWER(ORDER AMOUNT ",\"description\":\"" TEN_WIDE TEN_WIDE TEN_WIDE TEN_WIDE "a\"" EMAIL UNTIL CHECKSUM),
     "PO_1-a45000" END, "description"},
    {ANSWER(ORDER AMOUNT ",\"description\":\"a.b\"" EMAIL UNTIL CHECKSUM), "PO_1-a45000" END, "description"},
    {ANSWER(ORDER AMOUNT ",\"description\":\"a\\n\"" EMAIL UNTIL CHECKSUM), "PO_1-a45000" END, "description"},
    {ANSWER(ORDER AMOUNT ",\"description\":\"" TEN TEN TEN TEN "a\"" EMAIL UNTIL CHECKSUM), "PO_1-a45000" END,
     "description"},
    {ANSWER(ORDER AMOUNT DESCRIPTION UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"a\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"@b\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"" HUNDRED "@b\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"a@\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"a b@c\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION ",\"email\":\"a@b@c\"" UNTIL CHECKSUM), "PO_1-a45000" END, "email"},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":" END CHECKSUM), "PO_1-a45000" END, "timestamp_end"},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":\"\"" CHECKSUM), "PO_1-a45000", "timestamp_end"},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL CHECKSUM), "PO_1-a45000", "timestamp_end"},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":\"12345678901\"" CHECKSUM), "PO_1-a4500012345678901",
     "timestamp_end"},
    {ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":\"-1\"" CHECKSUM), "PO_1-a45000-1", "timestamp_end"},
    {ANSWER(USUAL ",\"min\":\"1\"" CHECKSUM), "PO_1-a450001" END, "max"},
    {ANSWER(USUAL ",\"max\":\"1\"" CHECKSUM), "PO_1-a450001" END, "min"},
    {ANSWER(USUAL ",\"min\":\"x\",\"max\":\"1\"" CHECKSUM), "PO_1-a45000x1" END, "min"},
    {ANSWER(USUAL ",\"min\":\"1\",\"max\":\"x\"" CHECKSUM), "PO_1-a450001x" END, "max"},
    {ANSWER(USUAL ",\"min\":\"2\",\"max\":\"1\"" CHECKSUM), "PO_1-a4500021" END, "min"},
    {ANSWER(USUAL ",\"min\":\"0.001\",\"max\":\"1\"" CHECKSUM), "PO_1-a450000.0011" END, "min"},
    {ANSWER(USUAL ",\"min\":\"1\",\"max\":\"1.001\"" CHECKSUM), "PO_1-a4500011.001" END, "max"},
    {ANSWER(USUAL ",\"min\":1,\"max\":\"2\"" CHECKSUM), "PO_1-a4500012" END, "min"},
    {ANSWER(USUAL ",\"min\":\"1\",\"max\":2" CHECKSUM), "PO_1-a4500012" END, "max"},
    {ANSWER(USUAL ",\"min\":\"-1\",\"max\":\"2\"" CHECKSUM), "PO_1-a45000-12" END, "min"},
    {ANSWER(USUAL ",\"min\":\"1\",\"max\":\"-2\"" CHECKSUM), "PO_1-a450001-2" END, "max"},
    {ANSWER(USUAL ",\"min\":\"000000000000000000001\",\"max\":\"2\"" CHECKSUM), "PO_1-a450000000000000000000000012" END,
     "min"},
    {ANSWER(USUAL ",\"min\":\"1\",\"max\":\"000000000000000000002\"" CHECKSUM), "PO_1-a450001000000000000000000002" END,
     "max"},
    {ANSWER(ORDER ",\"amount\":\"0\"" DESCRIPTION EMAIL UNTIL ",\"min\":\"1\"" CHECKSUM), "PO_1-a01" END, "max"},
    {ANSWER(ORDER ",\"amount\":\"0\"" DESCRIPTION EMAIL UNTIL ",\"max\":\"1\"" CHECKSUM), "PO_1-a01" END, "min"},
    {ANSWER(ORDER ",\"amount\":\"0\"" DESCRIPTION EMAIL UNTIL ",\"min\":\"2\",\"max\":\"1\"" CHECKSUM), "PO_1-a021" END,
     "min"},
    {ANSWER(ORDER ",\"amount\":\"0.00\"" DESCRIPTION EMAIL UNTIL ",\"min\":\"0\",\"max\":\"0\"" CHECKSUM),
     "PO_1-a0.0000" END, "max"},
    {ANSWER(USUAL), "", "checksum"},
    {ANSWER(USUAL ",\"checksum\":\"\""), "", "checksum"},
    {ANSWER(USUAL ",\"checksum\":7"), "", "checksum"},
    {ANSWER(USUAL ",\"checksum\":\"" HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED TEN "aaa\""), "", "checksum"},
    {ANSWER(USUAL CHECKSUM), "PO_1-a450000999999999" END, "checksum"}, /* computed with limits that were not sent */
    {ANSWER(USUAL ",\"min\":\"10.0\",\"max\":\"2000\"" CHECKSUM), "PO_1-a45000102000" END, "checksum"},
    {ANSWER(USUAL CHECKSUM), "PO_1-a45001" END, "checksum"},
    {ANSWER(USUAL LIMITS CHECKSUM), "PO_1-a45000" END, "checksum"},
    {ANSWER(USUAL ",\"checksum\":\"00\""), "", "checksum"},
    {ANSWER(USUAL CHECKSUM ",\"user_di\":\"12345678901\""), "PO_1-a45000" END, "user_di"},
    {ANSWER(USUAL CHECKSUM ",\"user_type_di\":\"" FIFTY "\""), "PO_1-a45000" END, "user_type_di"},
    {ANSWER(USUAL CHECKSUM ",\"user_name\":\"" HUNDRED FIFTY "a\""), "PO_1-a45000" END, "user_name"},
};

START_TEST(every_rule_is_looked_at) {
    judge(INVALID[_i].answer, INVALID[_i].values);
    ck_assert_int_eq(result.outcome, QUERY_INVALID);
    ck_assert_str_eq(result.fault.field, INVALID[_i].field);
    ck_assert_str_eq(first_broken(), INVALID[_i].field);
}
END_TEST

static const struct {
    const char *data, *field; /* field NULL: the answer is valid */
} OF_ECUADOR[] = {
    {CUSTOMER, NULL},
    {",\"user_di\":\"1\",\"user_type_di\":\"CEDULA DE IDENTIDAD\",\"user_name\":\"Ana\"", NULL},
    {",\"user_type_di\":\"CC\",\"user_name\":\"Ana\"", "user_di"},
    {",\"user_di\":\"1\",\"user_name\":\"Ana\"", "user_type_di"},
    {",\"user_di\":\"1\",\"user_type_di\":\"PP\",\"user_name\":\"Ana\"", "user_type_di"},
    {",\"user_di\":\"1\",\"user_type_di\":\"CC\"", "user_name"},
    {"", "user_di"},
    {",\"user_di\":\"\",\"user_type_di\":\"CC\",\"user_name\":\"Ana\"", "user_di"},
    {",\"user_di\":1,\"user_type_di\":\"CC\",\"user_name\":\"Ana\"", "user_di"},
    {",\"user_di\":\"12345678901\",\"user_type_di\":\"CC\",\"user_name\":\"Ana\"", "user_di"},
    {",\"user_di\":\"1\",\"user_type_di\":\"\",\"user_name\":\"Ana\"", "user_type_di"},
    {",\"user_di\":\"1\",\"user_type_di\":\"cc\",\"user_name\":\"Ana\"", "user_type_di"},
    {",\"user_di\":\"1\",\"user_type_di\":\"CC\",\"user_name\":\"\"", "user_name"},
    {",\"user_di\":\"1\",\"user_type_di\":\"CC\",\"user_name\":[]", "user_name"},
    {",\"user_di\":\"1\",\"user_type_di\":\"CC\",\"user_name\":\"" HUNDRED FIFTY "a\"", "user_name"},
};

START_TEST(some_countries_want_to_know_who_pays) {
    integration.identifies_customers = true;
    char answer[1000];
    snprintf(answer, sizeof answer, "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{%s%s}}", USUAL CHECKSUM,
             OF_ECUADOR[_i].data);
    judge_usual(answer);
    ck_assert_int_eq(result.outcome, OF_ECUADOR[_i].field == NULL ? QUERY_ANSWERED : QUERY_INVALID);
    if (OF_ECUADOR[_i].field != NULL) {
        ck_assert_str_eq(result.fault.field, OF_ECUADOR[_i].field);
        ck_assert_str_eq(first_broken(), OF_ECUADOR[_i].field);
    }
}
END_TEST

START_TEST(an_end_in_the_past) {
    judge(ANSWER(ORDER AMOUNT DESCRIPTION EMAIL ",\"timestamp_end\":\"1795253400\"" CHECKSUM), "PO_1-a450001795253400");
    ck_assert_int_eq(result.outcome, QUERY_EXPIRED);
    ck_assert_uint_eq(count_checks(RULE_BROKEN), 1);
    ck_assert_int_eq(state_of("timestamp_end", "is in the future"), RULE_BROKEN);
}
END_TEST

START_TEST(a_refusal_needs_no_more) {
    judge("{\"CODE\":\"0044\",\"TEXT\":\"No, thanks\"}", "");
    ck_assert_int_eq(result.outcome, QUERY_REFUSED);
    assert_text(result.refusal_code, "0044");
    assert_text(result.refusal_text, "No, thanks");
    ck_assert_ptr_null(result.fault.field);
    ck_assert_uint_eq(count_checks(RULE_BROKEN), 0);
    ck_assert_int_eq(state_of("CODE", "is 0000, or another, which refuses"), RULE_PASSED);
    ck_assert_int_eq(state_of("order", "is sent"), RULE_UNSEEN);
}
END_TEST

static const struct {
    struct http_reply reply;
    enum query_outcome outcome;
    bool is_failure;
} TRANSPORT[] = {
    {{.error = HTTP_TIMEOUT}, QUERY_SILENT, true},
    {{.error = HTTP_DNS}, QUERY_SILENT, true},
    {{.error = HTTP_FILES}, QUERY_SILENT, false},
    {{.error = HTTP_ADDRESS_REFUSED}, QUERY_SILENT, true},
    {{.error = HTTP_PROTOCOL, .status = 200}, QUERY_SILENT, true},
    {{.error = HTTP_TOO_LARGE, .status = 200}, QUERY_INVALID, false},
    {{.status = 200, .cut = true}, QUERY_INVALID, false},
    {{.status = 201}, QUERY_INVALID, false},
    {{.status = 302}, QUERY_INVALID, false},
    {{.status = 404}, QUERY_INVALID, false},
    {{.status = 429}, QUERY_SILENT, true},
    {{.status = 500}, QUERY_SILENT, true},
};

START_TEST(what_is_no_answer) {
    const struct external_query query = {.integration = &integration, .now = NOW};
    struct http_reply reply = TRANSPORT[_i].reply;
    reply.body = signed_over(ANSWER(USUAL CHECKSUM), "PO_1-a45000" END);
    memset(&result, 0, sizeof result);
    external_query_judge(&query, &hash, &reply, arena, &result);
    ck_assert_int_eq(result.outcome, TRANSPORT[_i].outcome);
    ck_assert_int_eq(http_reply_is_failure(&reply), TRANSPORT[_i].is_failure);
    ck_assert_ptr_nonnull(result.fault.field);
    memset(&checks, 0, sizeof checks);
    external_query_examine(&query, &hash, &reply, arena, &checks);
    ck_assert_uint_eq(count_checks(RULE_BROKEN), 1);
    ck_assert_int_eq(state_of("the body", "is one JSON object in UTF-8, with no key twice and nothing behind it"),
                     RULE_UNSEEN);
}
END_TEST

/* A broken rule of one field hides no rule of another, except rules about several fields. */
START_TEST(several_broken_rules) {
    judge(ANSWER(ORDER ",\"amount\":\"x\",\"description\":\"" FIFTY "\",\"email\":7" UNTIL CHECKSUM), "");
    ck_assert_uint_eq(count_checks(RULE_BROKEN), 3);
    ck_assert_int_eq(state_of("amount", "has at most 20 characters"), RULE_PASSED);
    ck_assert_int_eq(state_of("amount", "is an amount: 1 to 15 digits, a point and 1 to 4 digits may follow"),
                     RULE_BROKEN);
    ck_assert_int_eq(state_of("description", "has at most 40 characters"), RULE_BROKEN);
    ck_assert_int_eq(state_of("description", "has no control characters"), RULE_UNSEEN);
    ck_assert_int_eq(state_of("email", "is a string"), RULE_BROKEN);
    ck_assert_int_eq(state_of("min", "is a string"), RULE_UNSEEN);
    ck_assert_int_eq(state_of("min", "is not greater than max"), RULE_UNSEEN);
}
END_TEST

TCase *external_query_tests(void) {
    TCase *tests = unit_case("external_query");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_answer_becomes_an_offer);
    add_table_test(tests, limits_are_part_of_the_checksum_when_they_are_sent, LIMITED);
    add_table_test(tests, what_is_just_right, VALID);
    add_table_test(tests, every_rule_is_looked_at, INVALID);
    add_table_test(tests, some_countries_want_to_know_who_pays, OF_ECUADOR);
    tcase_add_test(tests, an_end_in_the_past);
    tcase_add_test(tests, a_refusal_needs_no_more);
    add_table_test(tests, what_is_no_answer, TRANSPORT);
    tcase_add_test(tests, several_broken_rules);
    return tests;
}
