#include "unit.h"

#include "field_rules.h"
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

static enum refusal read_registration(struct text body, struct arena *room, struct fault *out) {
    struct registration registration;
    return messages_read_registration(body, room, &registration, out);
}

static const struct field_rule REGISTRATION[] = {
    {"name", "Red Norte", true, false, 40, REFUSED_FIELD, NULL, NULL},
    {"reference", "0012345678", true, false, 25, REFUSED_FIELD, "12 34", FORM_REFERENCE},
    {"amount", "45000.00", true, false, 0, REFUSED_AMOUNT, "-1", FORM_AMOUNT},
    {"transaction", "TX-1", true, false, 64, REFUSED_TRANSACTION_ID, NULL, NULL},
    {"commerce", "Tienda", true, false, 100, REFUSED_FIELD, NULL, NULL},
    {"teller", "10.0.0.1", true, false, 64, REFUSED_FIELD, NULL, NULL},
    {"money", "COP", true, false, 0, REFUSED_CURRENCY, "cop", FORM_CURRENCY},
    {"checksum", "abc", true, false, 0, REFUSED_CHECKSUM, NULL, FORM_CHECKSUM},
    {"nombres", "Ana", false, false, 100, REFUSED_FIELD, NULL, NULL},
    {"apellido1", "Paz", false, false, 100, REFUSED_FIELD, NULL, NULL},
    {"apellido2", "Sol", false, false, 100, REFUSED_FIELD, NULL, NULL},
};

static const struct field_rules REGISTRATION_RULES = {
    REGISTRATION, COUNT_OF(REGISTRATION), read_registration, false, "{", "}"};

START_TEST(keeps_the_rules_of_a_registration) {
    field_rules_try(&REGISTRATION_RULES, (size_t)_i);
}
END_TEST

static const struct {
    const char *field, *json;
    enum refusal refusal;
    const char *problem;
} REGISTRATIONS[] = {
    {"reference", "\"1234567890123456789012345\"", GRANTED, NULL},
    {"reference", "\"CC-10\"", GRANTED, NULL},
    {"reference", "\"1' OR '1'='1\"", REFUSED_FIELD, FORM_REFERENCE},
    {"amount", "\"45.000,00\"", REFUSED_AMOUNT, FORM_AMOUNT},
    {"amount", "\"1e3\"", REFUSED_AMOUNT, FORM_AMOUNT},
    {"amount", "\"0\"", GRANTED, NULL},
    {"money", "\"COPS\"", REFUSED_CURRENCY, FORM_CURRENCY},
    {"money", "\"ZZZ\"", REFUSED_CURRENCY, FORM_CURRENCY},
    {"checksum", "\"not hex\"", GRANTED, NULL}, /* verified later, with the network's secret */
};

static void check_fault(enum refusal expected, const char *field, const char *problem) {
    if (expected != GRANTED) {
        ck_assert_str_eq(fault.field, field);
        ck_assert_str_eq(fault.problem, problem);
    }
}

START_TEST(judges_registrations) {
    struct text body = field_rules_message(&REGISTRATION_RULES, REGISTRATIONS[_i].field, REGISTRATIONS[_i].json, arena);
    ck_assert_int_eq(read_registration(body, arena, &fault), REGISTRATIONS[_i].refusal);
    check_fault(REGISTRATIONS[_i].refusal, REGISTRATIONS[_i].field, REGISTRATIONS[_i].problem);
}
END_TEST

START_TEST(reads_a_registration) {
    struct registration registration;
    struct text body = field_rules_message(&REGISTRATION_RULES, "none", NULL, arena);
    memset(&registration, 0xFF, sizeof registration);
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
    body = field_rules_message(&REGISTRATION_RULES, "apellido2", NULL, arena);
    ck_assert_int_eq(messages_read_registration(body, arena, &registration, &fault), GRANTED);
    assert_text(registration.surname2, "");
}
END_TEST

static enum refusal read_confirmation(struct text body, struct arena *room, struct fault *out) {
    struct confirmation confirmation;
    return messages_read_confirmation(body, room, &confirmation, out);
}

static const struct field_rule CONFIRMATION[] = {
    {"name", "Red Norte", true, false, 40, REFUSED_FIELD, NULL, NULL},
    {"transaction", "TX-1", true, false, 64, REFUSED_TRANSACTION_ID, NULL, NULL},
    {"confirm", "true", true, true, 0, REFUSED_FIELD, "True", "must be true or false"},
    {"checksum", "abc", true, false, 0, REFUSED_CHECKSUM, NULL, FORM_CHECKSUM},
};

static const struct field_rules CONFIRMATION_RULES = {
    CONFIRMATION, COUNT_OF(CONFIRMATION), read_confirmation, false, "{", "}"};

START_TEST(keeps_the_rules_of_a_confirmation) {
    field_rules_try(&CONFIRMATION_RULES, (size_t)_i);
}
END_TEST

static const struct {
    const char *confirm;
    enum refusal refusal;
    const char *problem;
    bool confirms;
} CONFIRMATIONS[] = {
    {"\"true\"", GRANTED, NULL, true},
    {"\"false\"", GRANTED, NULL, false},
    {"true", GRANTED, NULL, true},
    {"false", GRANTED, NULL, false},
    {"\"TRUE\"", REFUSED_FIELD, "must be true or false", false},
    {"\"true \"", REFUSED_FIELD, "must be true or false", false},
    {"\"yes\"", REFUSED_FIELD, "must be true or false", false},
    {"\"1\"", REFUSED_FIELD, "must be true or false", false},
    {"[true]", REFUSED_FIELD, "must be a string, in quotes", false},
};

START_TEST(judges_confirmations) {
    struct confirmation confirmation;
    struct text body = field_rules_message(&CONFIRMATION_RULES, "confirm", CONFIRMATIONS[_i].confirm, arena);
    memset(&confirmation, 0xFF, sizeof confirmation);
    ck_assert_int_eq(messages_read_confirmation(body, arena, &confirmation, &fault), CONFIRMATIONS[_i].refusal);
    check_fault(CONFIRMATIONS[_i].refusal, "confirm", CONFIRMATIONS[_i].problem);
    ck_assert(confirmation.confirm == CONFIRMATIONS[_i].confirms);
    assert_text(confirmation.transaction, "TX-1");
    assert_text(confirmation.checksum,
                CONFIRMATIONS[_i].refusal == GRANTED ? "abc" : ""); /* it stands after `confirm` */
}
END_TEST

#define TEN "aaaaaaaaaa"
#define N40 TEN TEN TEN TEN

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
    {"1", "name=" N40 "&checksum=b", GRANTED, NULL, NULL},
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
    add_table_test(tests, keeps_the_rules_of_a_registration, REGISTRATION);
    add_table_test(tests, judges_registrations, REGISTRATIONS);
    tcase_add_test(tests, reads_a_registration);
    add_table_test(tests, keeps_the_rules_of_a_confirmation, CONFIRMATION);
    add_table_test(tests, judges_confirmations, CONFIRMATIONS);
    add_table_test(tests, judges_lookups, LOOKUPS);
    tcase_add_test(tests, reads_a_lookup);
    return tests;
}
