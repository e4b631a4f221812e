#include "store.h"

#include "store/payment/transactions.h"

#include <inttypes.h>

static struct connection *worker;
static uint64_t network;

static void set_up(void) {
    worker = database_connect(WORKER);
    network = sample_network("Red Norte");
}

static void tear_down(void) {
    connection_close(worker);
}

static struct registration request = {.name = {"Red Norte", 9},
                                      .transaction = {"TX-1", 4},
                                      .teller = {"10.0.0.1", 8},
                                      .given_names = {"Ana", 3},
                                      .surname2 = {"Sol", 3}};

static struct transaction new_payment(uint64_t order_id) {
    struct transaction new = {.order_id = order_id,
                              .reference = TEXT("0012345678"),
                              .amount = {UINT64_C(9999999999999999999)},
                              .currency = TEXT("COP"),
                              .commerce = TEXT("Tienda Ñandú"),
                              .description = TEXT("Zapatos")};
    memset(new.fingerprint, 0xF0, sizeof new.fingerprint);
    return new;
}

START_TEST(stores_a_registration_as_it_is) {
    struct transaction new = new_payment(new_order(.reference = "1"));
    ck_assert_int_eq(transactions_insert(worker, network, &request, &new), STATUS_OK);
    ck_assert_uint_gt(new.id, 0);
    ck_assert_str_eq(
        database_text(
            "SELECT CONCAT_WS('|', network_id = %" PRIu64 ", network_transaction, order_id, account_id, reference,"
            " state, version, amount, currency, commerce, description, teller, given_names, surname1, surname2,"
            " HEX(fingerprint) = REPEAT('F0', 32), confirmed_at, window_ends_at, changed_by)"
            " FROM transactions WHERE id = %" PRIu64,
            network, new.id),
        arena_print(arena,
                    "1|TX-1|%" PRIu64 "|0012345678|REGISTRADA|1|999999999999999.9999|COP|Tienda Ñandú|Zapatos|"
                    "10.0.0.1|Ana|Sol|1|network:Red Norte",
                    new.order_id)
            .at);
}
END_TEST

START_TEST(stores_a_top_up) {
    uint64_t account = sample_account("1");
    struct transaction new = new_payment(0);
    new.account_id = account;
    ck_assert_int_eq(transactions_insert(worker, network, &request, &new), STATUS_OK);
    ck_assert_uint_eq(
        database_number("SELECT account_id FROM transactions WHERE id = %" PRIu64 " AND order_id IS NULL", new.id),
        account);
}
END_TEST

START_TEST(a_transaction_id_is_taken_once_per_network) {
    struct transaction new = new_payment(new_order(.reference = "1"));
    ck_assert_int_eq(transactions_insert(worker, network, &request, &new), STATUS_OK);
    ck_assert_int_eq(transactions_insert(worker, network, &request, &new), STATUS_CLASH);
    ck_assert_int_eq(transactions_insert(worker, sample_network("Red Sur"), &request, &new), STATUS_OK);
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM transactions"), 2);
}
END_TEST

TCase *registrations_tests(void) {
    TCase *tests = database_case("registrations");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, stores_a_registration_as_it_is);
    tcase_add_test(tests, stores_a_top_up);
    tcase_add_test(tests, a_transaction_id_is_taken_once_per_network);
    return tests;
}
