#include "unit.h"

#include "domain/notification/retry.h"

#define UNADDRESSED NOTIFICATION_UNADDRESSED
#define WAITING     NOTIFICATION_WAITING
#define PENDING     NOTIFICATION_PENDING
#define DELIVERED   NOTIFICATION_DELIVERED
#define EXHAUSTED   NOTIFICATION_EXHAUSTED
#define CHOSEN      .chosen = true
#define IN_HAND     .in_hand = true
#define DUE         .is_due = true

/* A single notification of an order. */
static const struct {
    struct retry_row row;
    bool no_url, again;
    enum retry_refusal refusal;
    enum notification_state becomes;
    bool changes;
} ALONE[] = {
    {{.state = EXHAUSTED, CHOSEN}, false, false, RETRY_GRANTED, PENDING, true},
    {{.state = EXHAUSTED}, false, false, RETRY_GRANTED, EXHAUSTED, false},
    {{.state = EXHAUSTED, CHOSEN}, true, false, RETRY_NO_URL, EXHAUSTED, false},
    {{.state = UNADDRESSED, CHOSEN}, false, false, RETRY_GRANTED, PENDING, true},
    {{.state = UNADDRESSED, CHOSEN}, true, true, RETRY_NO_URL, UNADDRESSED, false},
    {{.state = DELIVERED, CHOSEN}, false, false, RETRY_DELIVERED, DELIVERED, false},
    {{.state = DELIVERED, CHOSEN}, false, true, RETRY_GRANTED, PENDING, true},
    {{.state = DELIVERED}, false, true, RETRY_GRANTED, DELIVERED, false},
    {{.state = PENDING, CHOSEN}, false, false, RETRY_GRANTED, PENDING, true},
    {{.state = PENDING}, false, false, RETRY_GRANTED, PENDING, false},
    {{.state = PENDING, CHOSEN, DUE}, false, true, RETRY_DUE, PENDING, false},
    {{.state = PENDING, CHOSEN, DUE, .is_resting = true}, false, false, RETRY_GRANTED, PENDING, true},
    {{.state = PENDING, CHOSEN, DUE, IN_HAND, .is_resting = true}, false, false, RETRY_GRANTED, PENDING, true},
    {{.state = PENDING, CHOSEN, IN_HAND}, false, true, RETRY_IN_HAND, PENDING, false},
    {{.state = PENDING, CHOSEN, IN_HAND, DUE}, false, true, RETRY_DUE, PENDING, false},
    {{.state = WAITING, CHOSEN}, false, true, RETRY_WAITING, WAITING, false},
};

START_TEST(judges_one_alone) {
    struct retry_row row = ALONE[_i].row;
    retry_judge(&row, 1, !ALONE[_i].no_url, ALONE[_i].again);
    ck_assert_int_eq(row.refusal, ALONE[_i].refusal);
    ck_assert_int_eq(row.becomes, ALONE[_i].becomes);
    ck_assert_int_eq(retry_changes(&row), ALONE[_i].changes);
    ck_assert_int_eq(retry_refusal_words(row.refusal)[0] == '\0', row.refusal == RETRY_GRANTED);
}
END_TEST

/* `approved` and `cancelled` of one order. */
static const struct {
    struct retry_row rows[2];
    bool again;
    enum retry_refusal refusals[2];
    enum notification_state become[2];
} PAIRS[] = {
    /* `approved` must not be the last one that the merchant gets. */
    {{{.state = EXHAUSTED, CHOSEN}, {.state = DELIVERED}}, true, {RETRY_FOLLOWED}, {EXHAUSTED, DELIVERED}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = EXHAUSTED}}, true, {RETRY_FOLLOWED}, {EXHAUSTED, EXHAUSTED}},
    {{{.state = DELIVERED, CHOSEN}, {.state = EXHAUSTED}}, true, {RETRY_FOLLOWED}, {DELIVERED, EXHAUSTED}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = DELIVERED, CHOSEN}},
     false,
     {RETRY_FOLLOWED, RETRY_DELIVERED},
     {EXHAUSTED, DELIVERED}},
    /* Both are sent, one after the other. */
    {{{.state = EXHAUSTED, CHOSEN}, {.state = DELIVERED, CHOSEN}}, true, {0}, {PENDING, WAITING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = EXHAUSTED, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    {{{.state = DELIVERED, CHOSEN}, {.state = DELIVERED, CHOSEN}}, true, {0}, {PENDING, WAITING}},
    {{{.state = UNADDRESSED, CHOSEN}, {.state = UNADDRESSED, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    /* A notification that is not sent yet stays after it. */
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING}}, false, {0}, {PENDING, WAITING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING, DUE}}, false, {0}, {PENDING, WAITING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING, DUE, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING, DUE, IN_HAND}}, false, {0}, {PENDING, WAITING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    {{{.state = PENDING, CHOSEN}, {.state = WAITING}}, false, {0}, {PENDING, WAITING}},
    {{{.state = PENDING, CHOSEN}, {.state = WAITING, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = UNADDRESSED}}, false, {0}, {PENDING, UNADDRESSED}},
    /* A notification in flight cannot be held back. */
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING, IN_HAND}},
     false,
     {RETRY_FOLLOWER_IN_HAND},
     {EXHAUSTED, PENDING}},
    {{{.state = EXHAUSTED, CHOSEN}, {.state = PENDING, IN_HAND, CHOSEN}},
     false,
     {RETRY_FOLLOWER_IN_HAND, RETRY_IN_HAND},
     {EXHAUSTED, PENDING}},
    /* Only the second one. */
    {{{.state = DELIVERED}, {.state = EXHAUSTED, CHOSEN}}, false, {0}, {DELIVERED, PENDING}},
    {{{.state = EXHAUSTED}, {.state = EXHAUSTED, CHOSEN}}, false, {0}, {EXHAUSTED, PENDING}},
    {{{.state = EXHAUSTED}, {.state = DELIVERED, CHOSEN}}, true, {0}, {EXHAUSTED, PENDING}},
    {{{.state = DELIVERED, CHOSEN}, {.state = EXHAUSTED, CHOSEN}},
     false,
     {RETRY_DELIVERED, RETRY_GRANTED},
     {DELIVERED, PENDING}},
    {{{.state = PENDING}, {.state = EXHAUSTED, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    {{{.state = PENDING, IN_HAND}, {.state = EXHAUSTED, CHOSEN}}, false, {0}, {PENDING, WAITING}},
    {{{.state = UNADDRESSED}, {.state = UNADDRESSED, CHOSEN}}, false, {0}, {UNADDRESSED, WAITING}},
    {{{.state = PENDING, DUE}, {.state = WAITING, CHOSEN}}, false, {0, RETRY_WAITING}, {PENDING, WAITING}},
    {{{.state = PENDING, DUE}, {.state = PENDING, DUE}}, false, {0}, {PENDING, PENDING}},
};

START_TEST(keeps_the_order_of_two) {
    struct retry_row rows[3] = {[2] = {.state = DELIVERED, .becomes = UNADDRESSED}}; /* the third is of another order */
    memcpy(rows, PAIRS[_i].rows, sizeof PAIRS[_i].rows);
    retry_judge(rows, 2, true, PAIRS[_i].again);
    for (size_t at = 0; at < 2; at++) {
        ck_assert_int_eq(rows[at].refusal, PAIRS[_i].refusals[at]);
        ck_assert_int_eq(rows[at].becomes, PAIRS[_i].become[at]);
        ck_assert_int_eq(retry_refusal_words(rows[at].refusal)[0] == '\0', rows[at].refusal == RETRY_GRANTED);
    }
    ck_assert_int_eq(rows[2].becomes, UNADDRESSED);
}
END_TEST

START_TEST(looks_at_all_of_an_order) {
    struct retry_row line[] = {{.state = DELIVERED}, {.state = EXHAUSTED, CHOSEN}, {.state = PENDING}};
    struct retry_row late[] = {{.state = EXHAUSTED, CHOSEN}, {.state = UNADDRESSED}, {.state = DELIVERED}};
    retry_judge(line, 3, true, false);
    ck_assert(line[1].becomes == PENDING && line[2].becomes == WAITING);
    retry_judge(late, 3, true, false);
    ck_assert_int_eq(late[0].refusal, RETRY_FOLLOWED);
}
END_TEST

TCase *retry_tests(void) {
    TCase *tests = unit_case("retry");
    add_table_test(tests, judges_one_alone, ALONE);
    add_table_test(tests, keeps_the_order_of_two, PAIRS);
    tcase_add_test(tests, looks_at_all_of_an_order);
    return tests;
}
