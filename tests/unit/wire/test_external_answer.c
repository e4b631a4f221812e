#include "unit.h"

#include "field_rules.h"
#include "wire/merchant/external_answer.h"

static enum refusal read_answer(struct text body, bool identifies_customers, struct arena *arena, struct fault *fault) {
    struct external_answer answer;
    memset(&answer, 0xFF, sizeof answer);
    return external_answer_read(body, identifies_customers, arena, &answer, fault) == ANSWER_GRANTS ? GRANTED
                                                                                                    : REFUSED_FIELD;
}

static enum refusal read_usual(struct text body, struct arena *arena, struct fault *fault) {
    return read_answer(body, false, arena, fault);
}

static enum refusal read_of_ecuador(struct text body, struct arena *arena, struct fault *fault) {
    return read_answer(body, true, arena, fault);
}

#define ORDER                                                                                                          \
    "\"order\":\"PO_1-a\",\"amount\":\"45000\",\"description\":\"Zapatos\",\"email\":\"a@b.c\","                       \
    "\"timestamp_end\":\"1795257000\",\"checksum\":\"ab\""
#define CUSTOMER ",\"user_di\":\"1\",\"user_type_di\":\"CC\",\"user_name\":\"Ana\""

static const struct field_rule TOP[] = {
    {"CODE", "0000", true, false, 4, REFUSED_FIELD, "_000", NULL},
    {"TEXT", "OK", true, false, 0, REFUSED_FIELD, NULL, NULL},
};

static const struct field_rules TOP_RULES = {TOP, COUNT_OF(TOP), read_usual, false, "{", ",\"DATA\":{" ORDER "}}"};

START_TEST(keeps_the_rules_of_code_and_text) {
    field_rules_try(&TOP_RULES, (size_t)_i);
}
END_TEST

#define DATA_OF_AN_ANSWER(needs_customer, wrong_type)                                                                  \
    {"order", "PO_1-a", true, false, 200, REFUSED_FIELD, "a.b", NULL},                                                 \
        {"amount", "45000", true, false, 20, REFUSED_FIELD, "1e3", NULL},                                              \
        {"description", "Zapatos", true, false, 40, REFUSED_FIELD, "a.b", NULL},                                       \
        {"email", "a@b.c", true, false, 100, REFUSED_FIELD, "a@", NULL},                                               \
        {"timestamp_end", "1795257000", true, false, 10, REFUSED_FIELD, "1:", NULL},                                   \
        {"min", "1", false, false, 20, REFUSED_FIELD, "-1", NULL},                                                     \
        {"max", "2", false, false, 20, REFUSED_FIELD, "-2", NULL},                                                     \
        {"checksum", "ab", true, false, 512, REFUSED_FIELD, NULL, NULL},                                               \
        {"user_di", "1", needs_customer, false, 10, REFUSED_FIELD, NULL, NULL},                                        \
        {"user_type_di", "CC", needs_customer, false, 40, REFUSED_FIELD, wrong_type, NULL},                            \
        {"user_name", "Ana", needs_customer, false, 150, REFUSED_FIELD, NULL, NULL},

static const struct field_rule DATA[] = {DATA_OF_AN_ANSWER(false, NULL)};
static const struct field_rule DATA_OF_ECUADOR[] = {DATA_OF_AN_ANSWER(true, "PP")};

#define BEFORE "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{"
#define AFTER  "}}"

static const struct field_rules DATA_RULES = {DATA, COUNT_OF(DATA), read_usual, false, BEFORE, AFTER};
static const struct field_rules DATA_RULES_OF_ECUADOR = {
    DATA_OF_ECUADOR, COUNT_OF(DATA_OF_ECUADOR), read_of_ecuador, false, BEFORE, AFTER};

START_TEST(keeps_the_rules_of_what_is_due) {
    field_rules_try(&DATA_RULES, (size_t)_i);
    field_rules_try(&DATA_RULES_OF_ECUADOR, (size_t)_i);
}
END_TEST

static const struct {
    const char *body, *field, *problem;
} UNUSABLE[] = {
    {"{\"CODE\":\"0000\",\"TEXT\":\"ok\",\"DATA\":{" ORDER "}}", "TEXT", "is not OK"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"OK\"}", "DATA", "is missing"},
    {"{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":[]}", "DATA", "is not an object"},
};

START_TEST(needs_ok_and_an_object) {
    struct arena *arena = arena_create();
    struct fault fault = {0};
    ck_assert_int_eq(read_usual(text_of(UNUSABLE[_i].body), arena, &fault), REFUSED_FIELD);
    ck_assert_str_eq(fault.field, UNUSABLE[_i].field);
    ck_assert_str_eq(fault.problem, UNUSABLE[_i].problem);
    arena_destroy(arena);
}
END_TEST

/* All rules, in the order in which developers read them. */
static const char *const RULES[] = {
    "the body: is one JSON object in UTF-8, with no key twice and nothing behind it",
    "CODE: is sent",
    "CODE: is a string",
    "CODE: is not empty",
    "CODE: has at most 4 characters",
    "CODE: has no control characters",
    "CODE: is 4 letters or digits",
    "TEXT: is sent",
    "TEXT: is a string",
    "TEXT: is not empty",
    "TEXT: has no control characters",
    "CODE: is 0000, or another, which refuses",
    "TEXT: is OK when CODE is 0000",
    "DATA: is sent, and an object",
    "order: is sent",
    "order: is a string",
    "order: is not empty",
    "order: has at most 200 characters",
    "order: has no control characters",
    "order: matches ^[a-zA-Z0-9_-]{1,200}$",
    "amount: is sent",
    "amount: is a string",
    "amount: is not empty",
    "amount: has at most 20 characters",
    "amount: has no control characters",
    "amount: is an amount: 1 to 15 digits, a point and 1 to 4 digits may follow",
    "description: is sent",
    "description: is a string",
    "description: is not empty",
    "description: has at most 40 characters",
    "description: has no control characters",
    "description: matches ^[\\w -]+$, with the letters of every alphabet",
    "email: is sent",
    "email: is a string",
    "email: is not empty",
    "email: has at most 100 characters",
    "email: has no control characters",
    "email: is an e-mail address",
    "timestamp_end: is sent",
    "timestamp_end: is a string",
    "timestamp_end: is not empty",
    "timestamp_end: has at most 10 characters",
    "timestamp_end: has no control characters",
    "timestamp_end: has digits only",
    "min: is a string",
    "min: has at most 20 characters",
    "min: has no control characters",
    "min: is an amount",
    "max: is a string",
    "max: has at most 20 characters",
    "max: has no control characters",
    "max: is an amount",
    "checksum: is sent",
    "checksum: is a string",
    "checksum: is not empty",
    "checksum: has at most 512 characters",
    "checksum: has no control characters",
};

static const char *const CUSTOMER_RULES[] = {
    "user_di: is a string",      "user_di: has at most 10 characters",      "user_di: has no control characters",
    "user_type_di: is a string", "user_type_di: has at most 40 characters", "user_type_di: has no control characters",
    "user_name: is a string",    "user_name: has at most 150 characters",   "user_name: has no control characters",
};

static const char *const CUSTOMER_RULES_OF_ECUADOR[] = {
    "user_di: is sent",
    "user_di: is a string",
    "user_di: is not empty",
    "user_di: has at most 10 characters",
    "user_di: has no control characters",
    "user_type_di: is sent",
    "user_type_di: is a string",
    "user_type_di: is not empty",
    "user_type_di: has at most 40 characters",
    "user_type_di: has no control characters",
    "user_type_di: is CC or CEDULA DE IDENTIDAD",
    "user_name: is sent",
    "user_name: is a string",
    "user_name: is not empty",
    "user_name: has at most 150 characters",
    "user_name: has no control characters",
};

#define NOTHING_SEEN "uuuuuu uuuuuu uuuuuu uuuuuu uuuuuu uuuu uuuu uuuuu uuu uuu uuu"
#define HEAD_PASSED  "p pppppp pppp p p p "
#define REST_PASSED  " pppppp pppppp pppppp pppppp uuuu uuuu ppppp uuu uuu uuu"
#define ONLY_ORDER(json)                                                                                               \
    BEFORE "\"order\":" json ",\"amount\":\"45000\",\"description\":\"Zapatos\",\"email\":\"a@b.c\","                  \
           "\"timestamp_end\":\"1795257000\",\"checksum\":\"ab\"" AFTER

/* A letter for each rule (passed, broken, unseen), and a space before those of another field. */
static const struct {
    const char *body; /* NULL: none came */
    bool of_ecuador;
    const char *states;
} EXAMINED[] = {
    {BEFORE ORDER ",\"min\":\"1\",\"max\":\"2\"" CUSTOMER AFTER, false,
     HEAD_PASSED "pppppp pppppp pppppp pppppp pppppp pppp pppp ppppp ppp ppp ppp"},
    {BEFORE ORDER CUSTOMER AFTER, true,
     HEAD_PASSED "pppppp pppppp pppppp pppppp pppppp uuuu uuuu ppppp ppppp pppppp ppppp"},
    {BEFORE ORDER AFTER, true, HEAD_PASSED "pppppp pppppp pppppp pppppp pppppp uuuu uuuu ppppp buuuu buuuuu buuuu"},
    {BEFORE ORDER ",\"min\":1,\"max\":\"\\t\"" AFTER, false,
     HEAD_PASSED "pppppp pppppp pppppp pppppp pppppp buuu ppbu ppppp uuu uuu uuu"},
    {ONLY_ORDER("\"a\""), false, HEAD_PASSED "pppppp" REST_PASSED},
    {ONLY_ORDER("7"), false, HEAD_PASSED "pbuuuu" REST_PASSED},
    {ONLY_ORDER("\"\""), false, HEAD_PASSED "ppbuuu" REST_PASSED},
    {ONLY_ORDER("\"\\n\""), false, HEAD_PASSED "ppppbu" REST_PASSED},
    {ONLY_ORDER("\".\""), false, HEAD_PASSED "pppppb" REST_PASSED},
    {NULL, false, "u uuuuuu uuuu u u u " NOTHING_SEEN},
    {NULL, true, "u uuuuuu uuuu u u u uuuuuu uuuuuu uuuuuu uuuuuu uuuuuu uuuu uuuu uuuuu uuuuu uuuuuu uuuuu"},
    {"[]", false, "b uuuuuu uuuu u u u " NOTHING_SEEN},
    {"{\"TEXT\":\"OK\"}", false, "p buuuuu pppp u u u " NOTHING_SEEN},
    {"{\"CODE\":\"0044\",\"TEXT\":\"No\"}", false, "p pppppp pppp p u u " NOTHING_SEEN},
    {"{\"CODE\":\"0044\",\"TEXT\":\"No\",\"DATA\":{" ORDER "}}", false, "p pppppp pppp p u u " NOTHING_SEEN},
    {"{\"CODE\":\"0000\",\"TEXT\":\"No\"}", false, "p pppppp pppp p b b " NOTHING_SEEN},
    {"{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":7}", false, "p pppppp pppp p p b " NOTHING_SEEN},
};

static struct rule_checks checks;

static void expect_rules(const char *const *rules, size_t count, size_t from, struct arena *arena) {
    for (size_t i = 0; i < count; i++) {
        const struct rule_check *check = &checks.list[from + i];
        assert_text(arena_print(arena, "%s: %s", check->field, check->rule), rules[i]);
    }
}

/* Which rules there are does not depend on what came. */
static void expect_all_rules(bool of_ecuador, struct arena *arena) {
    size_t customers = of_ecuador ? COUNT_OF(CUSTOMER_RULES_OF_ECUADOR) : COUNT_OF(CUSTOMER_RULES);
    ck_assert_uint_eq(checks.count, COUNT_OF(RULES) + customers);
    expect_rules(RULES, COUNT_OF(RULES), 0, arena);
    expect_rules(of_ecuador ? CUSTOMER_RULES_OF_ECUADOR : CUSTOMER_RULES, customers, COUNT_OF(RULES), arena);
}

static struct text states_of_checks(struct arena *arena) {
    struct text states = TEXT("");
    for (size_t i = 0; i < checks.count; i++) {
        bool is_next = i > 0 && strcmp(checks.list[i].field, checks.list[i - 1].field) != 0;
        states = arena_print(arena, "%.*s%s%c", TEXT_ARGS(states), is_next ? " " : "",
                             checks.list[i].state == RULE_UNSEEN ? 'u' : rule_state_name(checks.list[i].state)[0]);
    }
    return states;
}

START_TEST(examines_each_rule) {
    struct arena *arena = arena_create();
    const char *body = EXAMINED[_i].body;
    checks = (struct rule_checks){0};
    external_answer_examine(text_of(body == NULL ? "" : body), body != NULL, EXAMINED[_i].of_ecuador, arena, &checks);
    expect_all_rules(EXAMINED[_i].of_ecuador, arena);
    assert_text(states_of_checks(arena), EXAMINED[_i].states);
    arena_destroy(arena);
}
END_TEST

START_TEST(states_of_rules_have_names) {
    ck_assert_str_eq(rule_state_name(RULE_PASSED), "passed");
    ck_assert_str_eq(rule_state_name(RULE_BROKEN), "broken");
    ck_assert_str_eq(rule_state_name(RULE_UNSEEN), "not seen");
}
END_TEST

TCase *external_answer_tests(void) {
    TCase *tests = unit_case("external_answer");
    add_table_test(tests, keeps_the_rules_of_code_and_text, TOP);
    add_table_test(tests, keeps_the_rules_of_what_is_due, DATA);
    add_table_test(tests, needs_ok_and_an_object, UNUSABLE);
    add_table_test(tests, examines_each_rule, EXAMINED);
    tcase_add_test(tests, states_of_rules_have_names);
    return tests;
}
