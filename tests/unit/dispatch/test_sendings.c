#include "unit.h"

#include "dispatch/deliver/sendings.h"

static const unsigned char LEASE[LEASE_BYTES] = "lease one", OTHER_LEASE[LEASE_BYTES] = "lease two";
static const char SAID[] = "as it was leased";

static struct sendings *sendings;
static char leased[sizeof SAID]; /* memory of the leasing transaction, which the next one reuses */

static void set_up(void) {
    sendings = sendings_create();
    memcpy(leased, SAID, sizeof leased);
}

static void tear_down(void) {
    sendings_destroy(sendings);
}

static struct notification lease_one(void) {
    const struct text text = {leased, sizeof leased - 1};
    struct notification notification = {.id = 7, .sealed_hash = {.current = text, .old = text}};
#define X(name) notification.name = text;
    NOTIFICATION_TEXTS(X)
#undef X
    return notification;
}

START_TEST(owns_every_text) {
    const struct notification notification = lease_one();
    const struct sending *sending = sendings_add(sendings, &notification, LEASE);
    ck_assert_ptr_nonnull(sending);
    memset(leased, '?', sizeof leased);
#define X(name) assert_text(sending->notification.name, SAID);
    NOTIFICATION_TEXTS(X)
#undef X
    assert_text(sending->notification.sealed_hash.current, SAID);
    assert_text(sending->notification.sealed_hash.old, SAID);
}
END_TEST

START_TEST(goes_on_under_a_new_lease) {
    const struct notification notification = lease_one();
    struct sending *sending = sendings_add(sendings, &notification, LEASE);
    ck_assert_ptr_null(sendings_add(sendings, &notification, OTHER_LEASE));
    ck_assert_mem_eq(sending->lease, OTHER_LEASE, LEASE_BYTES);
    sendings_remove(sendings, sending);
    ck_assert_ptr_nonnull(sendings_add(sendings, &notification, LEASE));
}
END_TEST

TCase *sendings_tests(void) {
    TCase *tests = unit_case("sendings");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, owns_every_text);
    tcase_add_test(tests, goes_on_under_a_new_lease);
    return tests;
}
