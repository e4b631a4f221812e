#include "store.h"

#include "store/operation/events.h"
#include "store/party/accounts.h"
#include "store/payment/approvals.h"

#include <inttypes.h>

/* What an operator reads of approvals, of accounts, and of the log of events. The clock stands still at noon. */

#define NOON "'2030-05-05 12:00:00'"
#define JUST " + INTERVAL 1 MICROSECOND"

static struct text said;
static uint64_t merchant, network, order;

static void empty(void) {
    database_run("TRUNCATE approvals; TRUNCATE account_ledger; TRUNCATE console_users");
}

static void set_up(void) {
    said = TEXT("");
    database_stop_clock(owner, NOON);
    empty();
    merchant = new_merchant(.name = "'shop'", .notify_url = "'http://s/'");
    network = sample_network("net");
    order = new_order(.merchant_id = new_merchant(.name = "'claimed'"), .po_id = "'PO'");
}

static void say(struct text words) {
    said = arena_print(arena, "%.*s%.*s; ", TEXT_ARGS(said), TEXT_ARGS(words));
}

/* Adds a change that was asked for. `seen`: NULL: what it would replace is as it was. */
static void add_approval(const char *kind, uint64_t subject, const char *seen, const char *expires_at,
                         const char *state) {
    database_run("SET @kind = '%s', @subject = %" PRIu64, kind, subject);
    database_run("INSERT INTO approvals SET kind = @kind, subject_id = @subject, seen ="
                 " COALESCE(%s, approval_seen(@kind, @subject, 'COP')), amount = IF(kind = 'claim', 5, NULL),"
                 " currency = IF(kind IN ('claim', 'limits'), 'COP', NULL), changes ="
                 " IF(kind = 'claim', NULL, '{}'), reason = 'why', asked_by = 'Ana',"
                 " expires_at = %s, state = '%s', answered_by = IF(state = 'waiting', NULL, 'Eva'),"
                 " answered_at = IF(state = 'waiting', NULL, " NOON ")",
                 seen == NULL ? "NULL" : seen, expires_at, state);
}

static void add_approvals(void) {
    add_approval("notify_url", merchant, NULL, NOON JUST, "waiting");
    add_approval("claim", order, NULL, NOON, "waiting");
    add_approval("network_secret", network, "'before'", NOON JUST, "waiting");
    add_approval("limits", network, NULL, NOON, "refused");
    add_approval("merchant_secret", merchant, NULL, NOON, "approved");
    add_approval("notification_secret", merchant, NULL, NOON, "approved");
    add_approval("limits", network, NULL, NOON, "refused");
    add_approval("claim", order, NULL, NOON JUST, "waiting");
}

static void say_approval(void *context, const struct approval *approval) {
    (void)context;
    say(arena_print(arena, "%d %.*s %.*s%.*s %.*s", (int)approval->id, TEXT_ARGS(approval->state),
                    TEXT_ARGS(approval->merchant), TEXT_ARGS(approval->network), TEXT_ARGS(approval->po_id)));
}

#define ONE   "1 waiting shop ; "
#define TWO   "2 expired claimed PO; "
#define THREE "3 stale net ; "
#define FOUR  "4 refused net ; "
#define FIVE  "5 approved shop ; "
#define SIX   "6 approved shop ; "
#define SEVEN "7 refused net ; "
#define EIGHT "8 waiting claimed PO; "

static const struct {
    struct approval_filter filter;
    const char *told; /* number, state, merchant or network, and the number of the merchant's order */
} APPROVALS[] = {
    {{APPROVALS_ALL, 0, 9}, EIGHT SEVEN SIX FIVE FOUR THREE TWO ONE},
    {{APPROVALS_ALL, 8, 2}, SEVEN SIX},
    {{APPROVALS_WAITING, 0, 9}, EIGHT THREE TWO ONE},
    {{APPROVALS_WAITING, 3, 1}, TWO},
    {{APPROVALS_ANSWERED, 0, 9}, SEVEN SIX FIVE FOUR},
    {{APPROVALS_ANSWERED, 0, 3}, SEVEN SIX FIVE},
    {{APPROVALS_ANSWERED, 7, 2}, SIX FIVE},
    {{APPROVALS_ANSWERED, 6, 9}, FIVE FOUR},
};

START_TEST(approvals_are_listed_as_asked_for) {
    add_approvals();
    ck_assert_int_eq(approvals_list(owner, &APPROVALS[_i].filter, arena, say_approval, NULL), STATUS_OK);
    assert_text(said, APPROVALS[_i].told);
}
END_TEST

/* An order's claim can be approved while the order is as it was, and its time is not over. */
static const struct {
    const char *kind, *seen, *expires_at, *state;
    enum status status;
} CLAIMS[] = {
    {"claim", NULL, NOON JUST, "waiting", STATUS_OK},         {"claim", NULL, NOON, "waiting", STATUS_NONE},
    {"claim", "'before'", NOON JUST, "waiting", STATUS_NONE}, {"claim", NULL, NOON JUST, "refused", STATUS_NONE},
    {"limits", "1", NOON JUST, "waiting", STATUS_NONE},
};

START_TEST(an_orders_claim_is_found_while_it_can_be_approved) {
    struct approval approval;
    add_approval("claim", new_order(.reference = "2"), NULL, NOON JUST, "waiting");
    add_approval(CLAIMS[_i].kind, order, CLAIMS[_i].seen, CLAIMS[_i].expires_at, CLAIMS[_i].state);
    ck_assert_int_eq(approvals_of_claim(owner, order, arena, &approval), CLAIMS[_i].status);
    ck_assert(CLAIMS[_i].status != STATUS_OK || approval.id == 2);
    ck_assert_int_eq(approvals_find(owner, 2, arena, &approval), STATUS_OK);
    ck_assert_uint_eq(approval.id, 2);
    ck_assert_int_eq(approvals_find(owner, 3, arena, &approval), STATUS_NONE);
}
END_TEST

static void say_account(void *context, const struct account_description *account) {
    char balance[MONEY_TEXT_SIZE];
    (void)context;
    say(arena_print(arena, "%.*s %s", TEXT_ARGS(account->account.document), money_print(account->balance, 0, balance)));
}

static void say_movement(void *context, const struct movement *movement) {
    char amount[MONEY_TEXT_SIZE];
    (void)context;
    say(arena_print(arena, "%.*s %.*s %s", TEXT_ARGS(movement->network), TEXT_ARGS(movement->network_transaction),
                    money_print(movement->amount, 0, amount)));
}

static void top_up(uint64_t account, const char *name, unsigned amount) {
    uint64_t payment = new_transaction(.network_id = network, .account_id = account, .network_transaction = name);
    database_run("INSERT INTO account_ledger SET account_id = %" PRIu64 ", transaction_id = %" PRIu64
                 ", amount = %u, balance = 9",
                 account, payment, amount);
}

START_TEST(accounts_are_listed_with_their_movements) {
    struct account_description account;
    uint64_t second = sample_account("C-2"), first = sample_account("C-1");
    sample_account("C-3");
    top_up(first, "'B'", 5);
    top_up(second, "'C'", 7);
    top_up(first, "'A'", 3);
    ck_assert_int_eq(accounts_list(owner, 2, arena, say_account, NULL), STATUS_OK);
    ck_assert_int_eq(accounts_describe(owner, TEXT("C-2"), arena, &account), STATUS_OK);
    say_account(NULL, &account);
    ck_assert_int_eq(accounts_movements(owner, first, arena, say_movement, NULL), STATUS_OK);
    assert_text(said, "C-1 0; C-2 0; C-2 0; net B 5; net A 3; ");
    ck_assert_int_eq(accounts_describe(owner, TEXT("C-4"), arena, &account), STATUS_NONE);
}
END_TEST

static void say_logged(void *context, const struct listed_event *event) {
    (void)context;
    said = arena_print(arena, "%.*s%.*s %.*s %.*s%s; ", TEXT_ARGS(said), TEXT_ARGS(event->subject),
                       TEXT_ARGS(event->event.what), TEXT_ARGS(event->name),
                       event->order_id == 0 ? "" : (event->order_id == order ? "order" : "another"));
}

/* The newest events: what happened, the name of whom, and to which order. */
static const struct {
    const char *subject;
    uint64_t limit;
    const char *told;
} LOGGED[] = {
    {"", 5, "user state Eva; transaction state ; order changed order; network state net; merchant state shop; "},
    {"", 2, "user state Eva; transaction state ; "},
    {"network", 2, "network state net; network created net; "},
    {"merchant", 2, "merchant state shop; merchant created claimed; "},
    {"user", 2, "user state Eva; user created Eva; "},
    {"order", 2, "order changed order; order created order; "},
};

START_TEST(the_newest_events_are_listed) {
    uint64_t payment = new_transaction(.order_id = order, .network_id = network);
    database_run("INSERT INTO console_users SET name = 'Eva', role = 'viewer', changed_by = 'test'");
    database_run("UPDATE merchants SET enabled = FALSE, changed_by = 'a' WHERE id = %" PRIu64, merchant);
    database_run("UPDATE networks SET enabled = FALSE, changed_by = 'a' WHERE id = %" PRIu64, network);
    database_run("UPDATE orders SET description = 'other', changed_by = 'a' WHERE id = %" PRIu64, order);
    database_run("UPDATE transactions SET state = 'CONFIRMADA', confirmed_at = " NOON ", window_ends_at = " NOON
                 " WHERE id = %" PRIu64,
                 payment);
    database_run("UPDATE console_users SET enabled = FALSE, changed_by = 'a'");
    const struct event_filter filter = {.subject = text_of(LOGGED[_i].subject), .limit = LOGGED[_i].limit};
    ck_assert_int_eq(events_newest(owner, &filter, say_logged, NULL), STATUS_OK);
    assert_text(said, LOGGED[_i].told);
}
END_TEST

TCase *operator_lists_tests(void) {
    TCase *tests = database_case("operator_lists");
    tcase_add_checked_fixture(tests, set_up, empty);
    add_table_test(tests, approvals_are_listed_as_asked_for, APPROVALS);
    add_table_test(tests, an_orders_claim_is_found_while_it_can_be_approved, CLAIMS);
    tcase_add_test(tests, accounts_are_listed_with_their_movements);
    add_table_test(tests, the_newest_events_are_listed, LOGGED);
    return tests;
}
