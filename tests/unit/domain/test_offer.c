#include "unit.h"

#include "domain/external/offer.h"

#define NOW (1795253400 * SECOND)

enum { MERCHANT = 7, OTHER_MERCHANT = 8, SAME = 1, IN_THE_WAY = 2 };

static const struct offer OFFER = {.merchant_id = MERCHANT,
                                   .reference = {"900000001", 9},
                                   .po_id = {"PO-1", 4},
                                   .amount = {450000000},
                                   .currency = {"COP", 3},
                                   .description = {"Zapatos", 7},
                                   .email = {"a@b.c", 5},
                                   .document = {"1020", 4},
                                   .document_type = {"CC", 2},
                                   .customer_name = {"Ana", 3},
                                   .due_at = NOW + HOUR};

static struct offer offer;
static struct offer_scene scene;

static void set_up(void) {
    offer = OFFER;
    scene = (struct offer_scene){.now = NOW};
}

/* Returns the offered order as stored in the table. */
static struct offered_order stored(uint64_t id) {
    struct offered_order order = {true, offer_as_order(&OFFER), OFFER.email, OFFER.customer_name};
    order.order.id = id;
    return order;
}

static struct offered_order *put(struct offered_order *into, uint64_t id) {
    *into = stored(id);
    return into;
}

static struct offer_plan judge(enum refusal refusal, enum offer_act act) {
    struct offer_plan plan = offer_judge(&offer, &scene);
    ck_assert_int_eq(plan.refusal, refusal);
    ck_assert_int_eq(plan.act, act);
    return plan;
}

START_TEST(what_is_new_is_stored) {
    ck_assert_ptr_null(judge(GRANTED, OFFER_INSERT).ends);
    offer.due_at = NOW;
    judge(REFUSED_EXPIRED, OFFER_STANDS);
}
END_TEST

START_TEST(what_is_the_same_stands) {
    put(&scene.same_number, SAME);
    put(&scene.same_reference, SAME);
    struct offer_plan plan = judge(GRANTED, OFFER_STANDS);
    ck_assert_ptr_eq(plan.order, &scene.same_number.order);
    ck_assert_ptr_null(plan.ends);
}
END_TEST

static const struct {
    const char *what;
    struct offer changed;
} CHANGES[] = {
#define CHANGED(field, ...)                                                                                            \
    {                                                                                                                  \
        #field, {                                                                                                      \
            .field = __VA_ARGS__                                                                                       \
        }                                                                                                              \
    }
    CHANGED(reference, {"900000002", 9}), CHANGED(amount, {1}),
    CHANGED(description, {"x", 1}),       CHANGED(email, {"x", 1}),
    CHANGED(document, {"x", 1}),          CHANGED(document_type, {"x", 1}),
    CHANGED(customer_name, {"x", 1}),     CHANGED(due_at, NOW + 2 * HOUR),
};

/* Copies the changed field into the offer. */
static void change(const struct offer *changed) {
    struct text *const texts[] = {&offer.reference, &offer.description,   &offer.email,
                                  &offer.document,  &offer.document_type, &offer.customer_name};
    const struct text *const news[] = {&changed->reference, &changed->description,   &changed->email,
                                       &changed->document,  &changed->document_type, &changed->customer_name};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        *texts[i] = news[i]->size > 0 ? *news[i] : *texts[i];
    }
    offer.amount = money_is_zero(changed->amount) ? offer.amount : changed->amount;
    offer.due_at = changed->due_at == 0 ? offer.due_at : changed->due_at;
}

START_TEST(what_has_changed_is_refreshed) {
    put(&scene.same_number, SAME);
    change(&CHANGES[_i].changed);
    struct offer_plan plan = offer_judge(&offer, &scene);
    ck_assert_msg(plan.refusal == GRANTED && plan.act == OFFER_REFRESH, "%s", CHANGES[_i].what);
    ck_assert_ptr_eq(plan.order, &scene.same_number.order);
}
END_TEST

START_TEST(limits_are_part_of_it) {
    struct order *order = &put(&scene.same_number, SAME)->order;
    offer.has_limits = true;
    judge(GRANTED, OFFER_REFRESH);
    order->has_limits = true;
    judge(GRANTED, OFFER_STANDS);
    offer.most.units = 5;
    judge(GRANTED, OFFER_REFRESH);
    order->most.units = 5;
    offer.least.units = 1;
    judge(GRANTED, OFFER_REFRESH);
    offer.has_limits = false;
    judge(GRANTED, OFFER_REFRESH);
}
END_TEST

static const struct {
    struct order order; /* sets only what makes the order unpayable */
    enum refusal refusal;
} CONDITIONS[] = {
    {{.state = ORDER_APROBADA}, REFUSED_PAID},
    {{.state = ORDER_VENCIDA}, REFUSED_EXPIRED},
    {{.state = ORDER_CANCELADA}, REFUSED_DELETED},
    {{.state = ORDER_ANULADA}, REFUSED_REFUNDED},
    {{.held_by = 9, .held_until = NOW + 1}, REFUSED_HELD},
    {{.held_by = 9, .held_until = NOW}, REFUSED_HELD},
    {{.due_at = NOW}, REFUSED_EXPIRED},
};

static void bring_into(const struct order *condition, struct order *order) {
    order->state = condition->state;
    order->held_by = condition->held_by;
    order->held_until = condition->held_until;
    order->due_at = condition->due_at != 0 ? condition->due_at : order->due_at;
}

/* Whatever the offer contains, and whatever the order's origin. */
START_TEST(what_cannot_be_paid_is_answered_as_such) {
    struct order *order = &put(&scene.same_number, SAME)->order;
    bring_into(&CONDITIONS[_i].order, order);
    offer.amount.units++;
    for (int origin = ORIGIN_REGISTERED; origin <= ORIGIN_EXTERNAL; origin++) {
        order->origin = (enum order_origin)origin;
        judge(CONDITIONS[_i].refusal, OFFER_STANDS);
    }
}
END_TEST

START_TEST(registered_orders_keep_their_reference) {
    struct order *order = &put(&scene.same_number, SAME)->order;
    order->origin = ORIGIN_REGISTERED;
    offer.amount.units++;
    judge(GRANTED, OFFER_STANDS);
    order->reference = TEXT("5");
    judge(REFUSED_MERCHANT_ANSWER, OFFER_STANDS);
    order->origin = ORIGIN_IMPORTED;
    judge(REFUSED_MERCHANT_ANSWER, OFFER_STANDS);
}
END_TEST

START_TEST(the_currency_is_for_ever) {
    put(&scene.same_number, SAME);
    offer.currency = TEXT("USD");
    judge(REFUSED_MERCHANT_ANSWER, OFFER_STANDS);
}
END_TEST

START_TEST(says_what_contradicts_the_order) {
    struct order *order = &put(&scene.same_number, SAME)->order;
    struct arena *arena = arena_create();
    offer.currency = TEXT("USD");
    assert_text(offer_conflict(&offer, &scene, arena), "is in COP, this integration in USD");
    order->origin = ORIGIN_REGISTERED;
    assert_text(offer_conflict(&offer, &scene, arena), "was registered or imported and keeps reference 900000001");
    order->origin = ORIGIN_IMPORTED;
    assert_text(offer_conflict(&offer, &scene, arena), "was registered or imported and keeps reference 900000001");
    arena_destroy(arena);
}
END_TEST

START_TEST(another_offer_ends_the_one_before) {
    put(&scene.same_reference, IN_THE_WAY);
    ck_assert_ptr_eq(judge(GRANTED, OFFER_INSERT).ends, &scene.same_reference.order);
    put(&scene.same_number, SAME)->order.reference = TEXT("5");
    ck_assert_ptr_eq(judge(GRANTED, OFFER_REFRESH).ends, &scene.same_reference.order);
    scene.same_number.order.currency = TEXT("USD"); /* a refused offer changes nothing */
    ck_assert_ptr_null(judge(REFUSED_MERCHANT_ANSWER, OFFER_STANDS).ends);
}
END_TEST

START_TEST(one_that_cannot_be_paid_ends_no_other) {
    put(&scene.same_reference, IN_THE_WAY);
    bring_into(&CONDITIONS[_i].order, &put(&scene.same_number, SAME)->order);
    ck_assert_ptr_null(judge(CONDITIONS[_i].refusal, OFFER_STANDS).ends);
}
END_TEST

START_TEST(who_is_paying_is_not_disturbed) {
    struct order *order = &put(&scene.same_reference, IN_THE_WAY)->order;
    bring_into(&CONDITIONS[_i].order, order);
    ck_assert_ptr_null(judge(CONDITIONS[_i].refusal, OFFER_STANDS).ends);
}
END_TEST

START_TEST(other_open_orders_keep_the_reference) {
    struct order *order = &put(&scene.same_reference, IN_THE_WAY)->order;
    order->origin = ORIGIN_REGISTERED;
    ck_assert_ptr_eq(judge(GRANTED, OFFER_STANDS).order, order);
    order->origin = ORIGIN_EXTERNAL;
    order->merchant_id = OTHER_MERCHANT;
    struct offer_plan plan = judge(GRANTED, OFFER_STANDS);
    ck_assert_ptr_eq(plan.order, order);
    ck_assert_ptr_null(plan.ends);
}
END_TEST

TCase *offer_tests(void) {
    TCase *tests = unit_case("offer");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, what_is_new_is_stored);
    tcase_add_test(tests, what_is_the_same_stands);
    add_table_test(tests, what_has_changed_is_refreshed, CHANGES);
    tcase_add_test(tests, limits_are_part_of_it);
    add_table_test(tests, what_cannot_be_paid_is_answered_as_such, CONDITIONS);
    tcase_add_test(tests, registered_orders_keep_their_reference);
    tcase_add_test(tests, the_currency_is_for_ever);
    tcase_add_test(tests, says_what_contradicts_the_order);
    tcase_add_test(tests, another_offer_ends_the_one_before);
    add_table_test(tests, one_that_cannot_be_paid_ends_no_other, CONDITIONS);
    add_table_test(tests, who_is_paying_is_not_disturbed, CONDITIONS);
    tcase_add_test(tests, other_open_orders_keep_the_reference);
    return tests;
}
