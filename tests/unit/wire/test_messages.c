#include "unit.h"

#include "wire/field.h"
#include "wire/messages.h"

static struct arena *arena;
static struct fault fault;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

/* A member of a message and its value; value NULL omits the member. */
struct member {
    const char *name, *value;
};

/* Returns the object of `members`, with `change` in place of the member of that name. */
static struct text body_with(const struct member *members, size_t count, const struct member *change) {
    struct text body = TEXT("{");
    for (size_t i = 0; i < count; i++) {
        const char *value = strcmp(members[i].name, change->name) == 0 ? change->value : members[i].value;
        if (value != NULL) {
            body = arena_print(arena, "%.*s%s\"%s\":%s", TEXT_ARGS(body), body.size > 1 ? "," : "", members[i].name,
                               value);
        }
    }
    return arena_print(arena, "%.*s}", TEXT_ARGS(body));
}

#define TEN   "aaaaaaaaaa"
#define N40   TEN TEN TEN TEN
#define N64   N40 TEN TEN "aaaa"
#define N100  N40 N40 TEN TEN
#define ENYES "\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1\xC3\xB1"

static const struct member REGISTRATION[] = {
    {"name", "\"Red Norte\""},   {"reference", "\"0012345678\""}, {"amount", "\"45000.00\""},
    {"transaction", "\"TX-1\""}, {"commerce", "\"Tienda\""},      {"teller", "\"10.0.0.1\""},
    {"money", "\"COP\""},        {"checksum", "\"abc\""},         {"nombres", "\"Ana\""},
    {"apellido1", "\"Paz\""},    {"apellido2", "\"Sol\""},
};

static const struct {
    struct member change;
    enum refusal refusal;
    const char *problem;
} REGISTRATIONS[] = {
    {{"-", NULL}, GRANTED, NULL},
    {{"name", NULL}, REFUSED_FIELD, "is missing"},
    {{"name", "\"\""}, REFUSED_FIELD, "is empty"},
    {{"name", "\"" N40 "\""}, GRANTED, NULL},
    {{"name", "\"" ENYES ENYES ENYES ENYES "\""}, GRANTED, NULL},
    {{"name", "\"" N40 "a\""}, REFUSED_FIELD, "is too long"},
    {{"reference", NULL}, REFUSED_FIELD, "is missing"},
    {{"reference", "\"1234567890123456789012345\""}, GRANTED, NULL},
    {{"reference", "\"12345678901234567890123456\""}, REFUSED_FIELD, "is too long"},
    {{"reference", "\"CC-10\""}, GRANTED, NULL},
    {{"reference", "\"12 34\""}, REFUSED_FIELD, FORM_REFERENCE},
    {{"reference", "\"1' OR '1'='1\""}, REFUSED_FIELD, FORM_REFERENCE},
    {{"reference", "12345"}, REFUSED_FIELD, "must be a string, in quotes"},
    {{"amount", NULL}, REFUSED_FIELD, "is missing"},
    {{"amount", "45000"}, REFUSED_FIELD, "must be a string, in quotes"},
    {{"amount", "null"}, REFUSED_FIELD, "must be a string, in quotes"},
    {{"amount", "\"\""}, REFUSED_AMOUNT, "is empty"},
    {{"amount", "\"45.000,00\""}, REFUSED_AMOUNT, FORM_AMOUNT},
    {{"amount", "\"-1\""}, REFUSED_AMOUNT, FORM_AMOUNT},
    {{"amount", "\"1e3\""}, REFUSED_AMOUNT, FORM_AMOUNT},
    {{"amount", "\"0\""}, GRANTED, NULL},
    {{"transaction", NULL}, REFUSED_FIELD, "is missing"},
    {{"transaction", "\"\""}, REFUSED_TRANSACTION_ID, "is empty"},
    {{"transaction", "\"" N64 "\""}, GRANTED, NULL},
    {{"transaction", "\"" N64 "a\""}, REFUSED_TRANSACTION_ID, "is too long"},
    {{"transaction", "\"a\\tb\""}, REFUSED_TRANSACTION_ID, "has a control character"},
    {{"transaction", "7"}, REFUSED_FIELD, "must be a string, in quotes"},
    {{"commerce", NULL}, REFUSED_FIELD, "is missing"},
    {{"commerce", "\"" N100 "\""}, GRANTED, NULL},
    {{"commerce", "\"" N100 "a\""}, REFUSED_FIELD, "is too long"},
    {{"teller", NULL}, REFUSED_FIELD, "is missing"},
    {{"teller", "\"" N64 "\""}, GRANTED, NULL},
    {{"teller", "\"" N64 "a\""}, REFUSED_FIELD, "is too long"},
    {{"money", NULL}, REFUSED_FIELD, "is missing"},
    {{"money", "\"cop\""}, REFUSED_CURRENCY, FORM_CURRENCY},
    {{"money", "\"COPS\""}, REFUSED_CURRENCY, FORM_CURRENCY},
    {{"money", "\"ZZZ\""}, REFUSED_CURRENCY, FORM_CURRENCY},
    {{"money", "\"\""}, REFUSED_CURRENCY, "is empty"},
    {{"money", "1"}, REFUSED_FIELD, "must be a string, in quotes"},
    {{"checksum", NULL}, REFUSED_FIELD, "is missing"},
    {{"checksum", "\"\""}, REFUSED_CHECKSUM, "is empty"},
    {{"checksum", "\"not hex\""}, GRANTED, NULL}, /* verified later, with the network's secret */
    {{"nombres", NULL}, GRANTED, NULL},
    {{"nombres", "\"\""}, GRANTED, NULL},
    {{"nombres", "\"" N100 "\""}, GRANTED, NULL},
    {{"nombres", "\"" N100 "a\""}, REFUSED_FIELD, "is too long"},
    {{"nombres", "null"}, REFUSED_FIELD, "must be a string, in quotes"},
    {{"apellido1", "\"" N100 "a\""}, REFUSED_FIELD, "is too long"},
    {{"apellido1", NULL}, GRANTED, NULL},
    {{"apellido2", "\"" N100 "a\""}, REFUSED_FIELD, "is too long"},
    {{"apellido2", NULL}, GRANTED, NULL},
};

static void check_fault(enum refusal expected, const char *field, const char *problem) {
    if (expected != GRANTED) {
        ck_assert_str_eq(fault.field, field);
        ck_assert_str_eq(fault.problem, problem);
    }
}

START_TEST(judges_registrations) {
    struct registration registration;
    struct text body = body_with(REGISTRATION, COUNT_OF(REGISTRATION), &REGISTRATIONS[_i].change);
    ck_assert_int_eq(messages_read_registration(body, arena, &registration, &fault), REGISTRATIONS[_i].refusal);
    check_fault(REGISTRATIONS[_i].refusal, REGISTRATIONS[_i].change.name, REGISTRATIONS[_i].problem);
}
END_TEST

START_TEST(reads_a_registration) {
    static const struct member NO_CHANGE = {"-", NULL}, WITHOUT = {"apellido2", NULL};
    struct registration registration;
    struct text body = body_with(REGISTRATION, COUNT_OF(REGISTRATION), &NO_CHANGE);
    ck_assert_int_eq(messages_read_registration(body, arena, &registration, &fault), GRANTED);
    assert_text(registration.name, "Red Norte");
    assert_text(registration.reference, "0012345678");
    assert_text(registration.amount, "45000.00");
    ck_assert_uint_eq(registration.value.units, 450000000);
    assert_text(registration.transaction, "TX-1");
    assert_text(registration.commerce, "Tienda");
    assert_text(registration.teller, "10.0.0.1");
    assert_text(registration.money, "COP");
    assert_text(registration.checksum, "abc");
    assert_text(registration.given_names, "Ana");
    assert_text(registration.surname1, "Paz");
    assert_text(registration.surname2, "Sol");
    body = body_with(REGISTRATION, COUNT_OF(REGISTRATION), &WITHOUT);
    ck_assert_int_eq(messages_read_registration(body, arena, &registration, &fault), GRANTED);
    assert_text(registration.surname2, "");
}
END_TEST

static const struct member CONFIRMATION[] = {
    {"name", "\"Red Norte\""}, {"transaction", "\"TX-1\""}, {"confirm", "\"true\""}, {"checksum", "\"abc\""}};

static const struct {
    struct member change;
    enum refusal refusal;
    const char *problem;
    bool confirm;
} CONFIRMATIONS[] = {
    {{"-", NULL}, GRANTED, NULL, true},
    {{"confirm", "\"false\""}, GRANTED, NULL, false},
    {{"confirm", "true"}, GRANTED, NULL, true},
    {{"confirm", "false"}, GRANTED, NULL, false},
    {{"confirm", NULL}, REFUSED_FIELD, "is missing", false},
    {{"confirm", "\"\""}, REFUSED_FIELD, "is empty", false},
    {{"confirm", "\"True\""}, REFUSED_FIELD, "must be true or false", false},
    {{"confirm", "\"TRUE\""}, REFUSED_FIELD, "must be true or false", false},
    {{"confirm", "\"true \""}, REFUSED_FIELD, "must be true or false", false},
    {{"confirm", "\"yes\""}, REFUSED_FIELD, "must be true or false", false},
    {{"confirm", "\"1\""}, REFUSED_FIELD, "must be true or false", false},
    {{"confirm", "1"}, REFUSED_FIELD, "must be a string, in quotes", false},
    {{"confirm", "null"}, REFUSED_FIELD, "must be a string, in quotes", false},
    {{"confirm", "[true]"}, REFUSED_FIELD, "must be a string, in quotes", false},
    {{"name", NULL}, REFUSED_FIELD, "is missing", false},
    {{"name", "\"" N40 "a\""}, REFUSED_FIELD, "is too long", false},
    {{"transaction", NULL}, REFUSED_FIELD, "is missing", false},
    {{"transaction", "\"\""}, REFUSED_TRANSACTION_ID, "is empty", false},
    {{"transaction", "\"" N64 "a\""}, REFUSED_TRANSACTION_ID, "is too long", false},
    {{"checksum", NULL}, REFUSED_FIELD, "is missing", false},
    {{"checksum", "\"\""}, REFUSED_CHECKSUM, "is empty", false},
    {{"checksum", "true"}, REFUSED_FIELD, "must be a string, in quotes", false},
};

START_TEST(judges_confirmations) {
    struct confirmation confirmation;
    struct text body = body_with(CONFIRMATION, COUNT_OF(CONFIRMATION), &CONFIRMATIONS[_i].change);
    ck_assert_int_eq(messages_read_confirmation(body, arena, &confirmation, &fault), CONFIRMATIONS[_i].refusal);
    check_fault(CONFIRMATIONS[_i].refusal, CONFIRMATIONS[_i].change.name, CONFIRMATIONS[_i].problem);
    if (CONFIRMATIONS[_i].refusal == GRANTED) {
        ck_assert(confirmation.confirm == CONFIRMATIONS[_i].confirm);
        assert_text(confirmation.transaction, "TX-1");
        assert_text(confirmation.checksum, "abc");
    }
}
END_TEST

static const struct {
    const char *reference, *query;
    enum refusal refusal;
    const char *field, *problem;
} LOOKUPS[] = {
    {"0012345678", "name=Red+Norte&checksum=abc", GRANTED, NULL, NULL},
    {"CC-10", "name=a&checksum=b", GRANTED, NULL, NULL},
    {"12345678901234567890123456", "name=a&checksum=b", REFUSED_FIELD, "reference", "is too long"},
    {"12 34", "name=a&checksum=b", REFUSED_FIELD, "reference", FORM_REFERENCE},
    {"..", "name=a&checksum=b", REFUSED_FIELD, "reference", FORM_REFERENCE},
    {"", "name=a&checksum=b", REFUSED_FIELD, "reference", "is empty"},
    {"1\n", "name=a&checksum=b", REFUSED_FIELD, "reference", "has a control character"},
    {"1", "checksum=b", REFUSED_FIELD, "name", "is missing"},
    {"1", "name=" N40 "a&checksum=b", REFUSED_FIELD, "name", "is too long"},
    {"1", "name=a", REFUSED_FIELD, "checksum", "is missing"},
    {"1", "name=a&checksum=", REFUSED_CHECKSUM, "checksum", "is empty"},
    {"1 2", "", REFUSED_FIELD, "reference", FORM_REFERENCE},
};

START_TEST(judges_lookups) {
    struct lookup lookup;
    ck_assert_int_eq(
        messages_read_lookup(text_of(LOOKUPS[_i].reference), text_of(LOOKUPS[_i].query), arena, &lookup, &fault),
        LOOKUPS[_i].refusal);
    check_fault(LOOKUPS[_i].refusal, LOOKUPS[_i].field, LOOKUPS[_i].problem);
}
END_TEST

START_TEST(reads_a_lookup) {
    struct lookup lookup;
    ck_assert_int_eq(
        messages_read_lookup(TEXT("0012345678"), TEXT("checksum=abc&name=Red+Norte"), arena, &lookup, &fault), GRANTED);
    assert_text(lookup.reference, "0012345678");
    assert_text(lookup.name, "Red Norte");
    assert_text(lookup.checksum, "abc");
}
END_TEST

TCase *messages_tests(void) {
    TCase *tests = unit_case("messages");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, judges_registrations, REGISTRATIONS);
    tcase_add_test(tests, reads_a_registration);
    add_table_test(tests, judges_confirmations, CONFIRMATIONS);
    add_table_test(tests, judges_lookups, LOOKUPS);
    tcase_add_test(tests, reads_a_lookup);
    return tests;
}
