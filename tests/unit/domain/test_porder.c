#include "unit.h"

#include "domain/instant.h"
#include "domain/porder.h"

static const struct {
    const char *text, *day; /* NULL: refused */
} EXPIRATIONS[] = {
    {"21/11/2026", "2026-11-21T00:00:00Z"},
    {"29/02/2028", "2028-02-29T00:00:00Z"},
    {"01/01/1970", "1970-01-01T00:00:00Z"},
    {"31/12/9999", "9999-12-31T00:00:00Z"},
    {"29/02/2026", NULL},
    {"31/04/2026", NULL},
    {"00/11/2026", NULL},
    {"01/00/2026", NULL},
    {"01/13/2026", NULL},
    {"01/01/1969", NULL},
    {"1/11/2026", NULL},
    {"01/11/26", NULL},
    {"01-11-2026", NULL},
    {"01-11/2026", NULL},
    {"01/11-2026", NULL},
    {"2026/11/01", NULL},
    {"01/11/2026 ", NULL},
    {"", NULL},
    {"+1/11/2026", NULL},
    {"aa/bb/cccc", NULL},
    {"01/11/202\xC2", NULL},
};

START_TEST(reads_expirations) {
    instant day = 7, expected;
    bool read = porder_parse_expiration(text_of(EXPIRATIONS[_i].text), &day);
    ck_assert_msg(read == (EXPIRATIONS[_i].day != NULL), "%s", EXPIRATIONS[_i].text);
    if (read) {
        ck_assert(instant_parse(text_of(EXPIRATIONS[_i].day), &expected));
        ck_assert_int_eq(day, expected);
    }
}
END_TEST

static const struct {
    const char *money, *amount, *country_currency;
    enum refusal refusal;
} TERMS[] = {
    {"COP", "45000", "COP", GRANTED},
    {"COP", "45000.00", "COP", GRANTED},
    {"COP", "45000.000", "COP", REFUSED_AMOUNT},
    {"COP", "45.000", "COP", REFUSED_AMOUNT},
    {"COP", "0", "COP", GRANTED},
    {"USD", "45000", "COP", REFUSED_CURRENCY_IN_COUNTRY},
    {"COP", "45000.001", "COP", REFUSED_AMOUNT},
    {"COP", "x", "COP", REFUSED_AMOUNT},
    {"COP", "", "COP", REFUSED_AMOUNT},
    {"JPY", "1.5", "JPY", REFUSED_AMOUNT},
    {"JPY", "1.0", "JPY", REFUSED_AMOUNT},
    {"JPY", "1", "JPY", GRANTED},
};

START_TEST(judges_terms) {
    struct money amount;
    struct porder_request request = {.money = text_of(TERMS[_i].money), .amount = text_of(TERMS[_i].amount)};
    ck_assert_int_eq(porder_judge_terms(&request, text_of(TERMS[_i].country_currency), &amount), TERMS[_i].refusal);
}
END_TEST

#define NOW (1795253400 * SECOND)

static const struct {
    instant earliest, due_at;
    enum refusal refusal;
} DUE[] = {
    {NOW - 1, NOW + 1, GRANTED},
    {NOW, NOW + 1, GRANTED},
    {NOW + 1, NOW + DAY, REFUSED_EXPIRATION_RANGE},
    {NOW - DAY, NOW, REFUSED_EXPIRATION_RANGE},
    {NOW - DAY, NOW - 1, REFUSED_EXPIRATION_RANGE},
};

/* Midnight in Bogota is 05:00 UTC, in Kiritimati 10:00 UTC of the day before. */
START_TEST(the_date_of_utc_counts_too) {
    const instant day = 20000 * DAY, first = day - 31 * DAY;
    ck_assert_int_eq(porder_earliest(day, first + 5 * HOUR), first);
    ck_assert_int_eq(porder_earliest(day, first - 14 * HOUR), first - 14 * HOUR);
    ck_assert_int_eq(porder_earliest(day, first), first);
}
END_TEST

/* The country's clock before, after and equal to UTC, around midnight. */
static const struct {
    instant local, now, first, last;
} DAYS[] = {
    {10 * DAY, 10 * DAY, 10 * DAY, 41 * DAY},
    {11 * DAY - 1, 11 * DAY - 1, 10 * DAY, 41 * DAY},
    {10 * DAY + 19 * HOUR, 11 * DAY, 10 * DAY, 42 * DAY},
    {10 * DAY + 19 * HOUR - 1, 11 * DAY - 1, 10 * DAY, 41 * DAY},
    {11 * DAY, 10 * DAY + 14 * HOUR, 11 * DAY, 42 * DAY},
};

START_TEST(tells_the_days_that_are_valid) {
    struct porder_days days = porder_days_at(DAYS[_i].local, DAYS[_i].now);
    ck_assert_int_eq(days.first, DAYS[_i].first);
    ck_assert_int_eq(days.last, DAYS[_i].last);
}
END_TEST

START_TEST(judges_due_dates) {
    ck_assert_int_eq(porder_judge_due(DUE[_i].earliest, DUE[_i].due_at, NOW), DUE[_i].refusal);
}
END_TEST

/* What a merchant may do. The hold ends at `held_until` (0: not held); the order is due at `due_at`. */
static const struct {
    enum order_state state;
    instant held_until, due_at;
    enum refusal change, refund, partial_refund;
} STATES[] = {
    {ORDER_PENDIENTE, 0, NOW + 1, GRANTED, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING},
    {ORDER_PENDIENTE, 0, NOW, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING},
    {ORDER_PENDIENTE, NOW + 1, NOW + 1, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING,
     REFUSED_ORDER_NOT_PENDING},
    {ORDER_PENDIENTE, NOW, NOW + 1, REFUSED_ORDER_NOT_PENDING, REFUSED_TRY_AGAIN, REFUSED_TRY_AGAIN},
    {ORDER_APROBADA, 0, NOW + 1, REFUSED_ORDER_NOT_PENDING, GRANTED, REFUSED_AMOUNT},
    {ORDER_APROBADA, 0, NOW, REFUSED_ORDER_NOT_PENDING, GRANTED, REFUSED_AMOUNT},
    {ORDER_VENCIDA, 0, NOW, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING},
    {ORDER_CANCELADA, 0, NOW + 1, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING},
    {ORDER_ANULADA, 0, NOW + 1, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING, REFUSED_ORDER_NOT_PENDING},
};

START_TEST(judges_states) {
    const struct money paid = {450000};
    struct order order = {.state = STATES[_i].state,
                          .currency = TEXT("COP"),
                          .due_at = STATES[_i].due_at,
                          .held_by = STATES[_i].held_until != 0 ? 5 : 0,
                          .held_until = STATES[_i].held_until};
    ck_assert_int_eq(porder_judge_change(&order, NOW), STATES[_i].change);
    ck_assert_int_eq(porder_judge_refund(&order, paid, TEXT("45.00"), NOW), STATES[_i].refund);
    ck_assert_int_eq(porder_judge_refund(&order, paid, TEXT("45.000"), NOW), STATES[_i].partial_refund);
    ck_assert_int_eq(porder_judge_refund(&order, paid, TEXT("44.99"), NOW), STATES[_i].partial_refund);
}
END_TEST

TCase *porder_tests(void) {
    TCase *tests = unit_case("porder");
    add_table_test(tests, reads_expirations, EXPIRATIONS);
    add_table_test(tests, judges_terms, TERMS);
    add_table_test(tests, judges_due_dates, DUE);
    add_table_test(tests, tells_the_days_that_are_valid, DAYS);
    tcase_add_test(tests, the_date_of_utc_counts_too);
    add_table_test(tests, judges_states, STATES);
    return tests;
}
