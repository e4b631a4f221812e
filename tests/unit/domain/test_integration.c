#include "unit.h"

#include "domain/external/integration.h"

enum { NETWORK = 3, OTHER_NETWORK = 4 };

#define PREFIX(code_text)    {.kind = INTEGRATION_PREFIX, .code = TEXT(code_text)}
#define AGREEMENT(code_text) {.kind = INTEGRATION_AGREEMENT, .code = TEXT(code_text), .network_id = NETWORK}

static struct integration integrations[] = {PREFIX("77"),    PREFIX("7"),  PREFIX("770"),
                                            AGREEMENT("55"), PREFIX("55"), PREFIX("990000000")};
static struct integration sorted[COUNT_OF(integrations)];

static const struct {
    const char *reference;
    uint64_t network;
    int chosen; /* -1: none */
} CASES[] = {
    {"712345678", NETWORK, 1},
    {"772345678", NETWORK, 0},
    {"770345678", NETWORK, 2},
    {"7700000000000000", NETWORK, 2},
    {"77034567", NETWORK, -1},          /* 8 digits */
    {"77000000000000001", NETWORK, -1}, /* 17 */
    {"812345678", NETWORK, -1},
    {"77034567x", NETWORK, -1},
    {"", NETWORK, -1},
    {"55", NETWORK, 3},
    {"5", NETWORK, -1},
    {"551", OTHER_NETWORK, -1},
    {"551234567", NETWORK, 3},
    {"551234567", OTHER_NETWORK, 4},
    {"5512345678901234", NETWORK, 3},
    {"55123456789012345", NETWORK, -1},
    {"990000000", NETWORK, -1}, /* a prefix must be followed by a number */
    {"9900000001", NETWORK, 5},
};

START_TEST(chooses_the_longest_code) {
    memcpy(sorted, integrations, sizeof sorted);
    integration_sort(sorted, COUNT_OF(sorted));
    const struct integration *chosen =
        integration_choose(sorted, COUNT_OF(sorted), text_of(CASES[_i].reference), CASES[_i].network);
    ck_assert((chosen == NULL) == (CASES[_i].chosen < 0));
    if (chosen != NULL) {
        ck_assert_ptr_eq(chosen->code.at, integrations[CASES[_i].chosen].code.at);
        ck_assert_int_eq(chosen->kind, integrations[CASES[_i].chosen].kind);
    }
}
END_TEST

/* In any order of the list, and however many codes begin alike. */
START_TEST(order_of_the_list_makes_no_difference) {
    struct integration listed[] = {PREFIX("55"), AGREEMENT("55"), PREFIX("7700"), PREFIX("770"), PREFIX("77")};
    integration_sort(listed, COUNT_OF(listed));
    ck_assert_int_eq(integration_choose(listed, COUNT_OF(listed), TEXT("551234567"), NETWORK)->kind,
                     INTEGRATION_AGREEMENT);
    static const char *const CHOSEN[][2] = {{"771234567", "77"}, {"770123456", "770"}, {"770012345", "7700"}};
    for (size_t i = 0; i < COUNT_OF(CHOSEN); i++) {
        const struct integration *chosen = integration_choose(listed + 2, 3, text_of(CHOSEN[i][0]), NETWORK);
        ck_assert_msg(chosen != NULL && text_equal(chosen->code, text_of(CHOSEN[i][1])), "%s", CHOSEN[i][0]);
    }
}
END_TEST

/* All codes of four and of three digits, in scrambled order: each reference finds its own. */
START_TEST(chooses_among_thousands) {
    static struct integration many[11000];
    static char codes[COUNT_OF(many)][5];
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        size_t number = i * 7919 % COUNT_OF(many);
        bool is_long = number < 10000;
        snprintf(codes[i], sizeof codes[i], is_long ? "%04zu" : "%03zu", number % 10000);
        many[i] = (struct integration){.id = number, .kind = INTEGRATION_PREFIX, .code = text_of(codes[i])};
    }
    integration_sort(many, COUNT_OF(many));
    for (size_t number = 0; number < 10000; number++) {
        char reference[16];
        snprintf(reference, sizeof reference, "%04zu00000", number);
        const struct integration *chosen = integration_choose(many, COUNT_OF(many), text_of(reference), NETWORK);
        ck_assert_ptr_nonnull(chosen);
        ck_assert_uint_eq(chosen->id, number);
    }
}
END_TEST

/* Of merchant 1, of merchant 2, and an agreement of merchant 1. */
static struct integration covering[] = {
    {.kind = INTEGRATION_PREFIX, .code = {"70", 2}, .merchant_id = 1},
    {.kind = INTEGRATION_PREFIX, .code = {"7055", 4}, .merchant_id = 2},
    {.kind = INTEGRATION_AGREEMENT, .code = {"99", 2}, .network_id = NETWORK, .merchant_id = 1},
};

static const struct {
    const char *reference;
    uint64_t merchant_id;
    bool covered;
} REFERENCES[] = {
    {"700000000", 0, true},
    {"700000000", 1, false},
    {"700000000", 2, true},
    {"705500000", 1, true},
    {"705500000", 2, true},
    {"70000000", 0, false}, /* too short for a prefix */
    {"7000000000000000", 0, true},
    {"70000000000000000", 0, false},
    {"99", 0, true},
    {"991", 2, true},
    {"991", 1, false},
    {"9", 0, false},
    {"123456789", 0, false},
    {"", 0, false},
};

START_TEST(covers_what_other_merchants_answer) {
    struct text reference = text_of(REFERENCES[_i].reference);
    integration_sort(covering, COUNT_OF(covering));
    bool covered = integration_covers(covering, COUNT_OF(covering), reference, REFERENCES[_i].merchant_id);
    ck_assert_msg(covered == REFERENCES[_i].covered, "%s", REFERENCES[_i].reference);
    ck_assert(!integration_covers(NULL, 0, reference, REFERENCES[_i].merchant_id));
}
END_TEST

TCase *integration_tests(void) {
    TCase *tests = unit_case("integration");
    add_table_test(tests, chooses_the_longest_code, CASES);
    tcase_add_test(tests, order_of_the_list_makes_no_difference);
    tcase_add_test(tests, chooses_among_thousands);
    add_table_test(tests, covers_what_other_merchants_answer, REFERENCES);
    return tests;
}
