#include "store.h"

#include "store/console/events.h"
#include "store/console/notifications.h"
#include "store/console/orders.h"
#include "store/console/transactions.h"

#include <inttypes.h>

/* What the console reads: the rows that were asked for, in their order, and to a user of one merchant no row of
 * another. */

static struct connection *console;
static struct text said;
static bool one_by_one; /* a list is ended after each row, and goes on from there */

/* What a reader asks for: an order, and what else leads to it. */
struct asked {
    uint64_t merchant, order, payment, note;
    struct text reference, old_reference, token, webhook_id;
};

static struct asked mine, others;

static uint64_t add_order(uint64_t merchant, const char *old_reference, const char *reference, const char *po_id) {
    uint64_t id = new_order(.merchant_id = merchant, .reference = old_reference, .po_id = po_id);
    database_run("UPDATE orders SET reference = '%s', document = 'D', token = MD5('%s') WHERE id = %" PRIu64, reference,
                 reference, id);
    return id;
}

static uint64_t add_notice(uint64_t order, uint64_t merchant, unsigned sequence, const char *state, unsigned age) {
    database_run("INSERT INTO notifications SET order_id = %" PRIu64 ", merchant_id = %" PRIu64 ", sequence = %u,"
                 " status = IF(sequence = 1, 'approved', 'cancelled'), state = '%s', amount = 5, payment_means = 'x',"
                 " created_at = " NOW " - INTERVAL %u HOUR, due_at = created_at, settled_at = " NOW,
                 order, merchant, sequence, state, age);
    return database_number("SELECT LAST_INSERT_ID()");
}

/* How long it took says which one it is. */
static void add_attempts(uint64_t note, unsigned first) {
    database_run("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, address,"
                 " reason, late, reply, lease) SELECT %" PRIu64 ", 1 + seq, 1, " NOW
                 ", %u + seq, '', 'timeout', FALSE, '',"
                 " CONCAT(REPEAT('l', 15), seq) FROM seq_0_to_1",
                 note, first);
}

static void add_query(const struct asked *of, const char *reference, unsigned age) {
    database_run("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference,"
                 " duration_us, outcome) SELECT " NOW " - INTERVAL %u HOUR, %" PRIu64 ", 1, MIN(id), '%s', %u,"
                 " 'answered' FROM networks",
                 age, of->merchant, reference, age);
}

static void name_texts(struct asked *of, const char *old_reference, const char *reference) {
    of->reference = text_of(reference);
    of->old_reference = text_of(old_reference);
    of->token = text_of(database_text("SELECT MD5('%s')", reference));
    of->webhook_id = text_of(database_text("SELECT webhook_id FROM notifications WHERE id = %" PRIu64, of->note));
}

static void add_payments(uint64_t newer) {
    uint64_t north = sample_network("north"), south = sample_network("south");
    mine.payment = new_transaction(.network_id = north, .order_id = mine.order, .network_transaction = "'TX'");
    others.payment = new_transaction(.network_id = south, .order_id = others.order, .network_transaction = "'TX'");
    new_transaction(.network_id = south, .order_id = mine.order, .network_transaction = "'TY'");
    new_transaction(.network_id = south, .order_id = newer, .network_transaction = "'TZ'");
    uint64_t account = sample_account("C1"), another = sample_account("C2");
    new_transaction(.network_id = north, .account_id = account, .network_transaction = "'UP'");
    new_transaction(.network_id = north, .account_id = account, .network_transaction = "'UQ'");
    new_transaction(.network_id = north, .account_id = another, .network_transaction = "'UR'");
}

static void add_notices(uint64_t newer) {
    mine.note = add_notice(mine.order, mine.merchant, 1, "exhausted", 5);
    others.note = add_notice(others.order, others.merchant, 1, "exhausted", 4);
    add_notice(mine.order, mine.merchant, 2, "exhausted", 3);
    add_notice(newer, mine.merchant, 1, "delivered", 2);
    add_attempts(mine.note, 10);
    add_attempts(others.note, 20);
    add_attempts(mine.note + 2, 30);
}

static void set_up(void) {
    one_by_one = false;
    console = database_connect(CONSOLE);
    database_run("TRUNCATE external_queries; TRUNCATE attempts");
    mine.merchant = new_merchant(.name = "'mine'");
    others.merchant = new_merchant(.name = "'other'");
    mine.order = add_order(mine.merchant, "10", "11", "'PO'");
    others.order = add_order(others.merchant, "20", "21", "'PO'");
    uint64_t newer = add_order(mine.merchant, "13", "12", "'PO-2'");
    add_payments(newer);
    add_notices(newer);
    add_query(&mine, "11", 3);
    add_query(&others, "11", 2);
    add_query(&mine, "11", 1);
    add_query(&mine, "19", 4);
    add_query(&others, "21", 5);
    name_texts(&mine, "10", "11");
    name_texts(&others, "20", "21");
}

static void tear_down(void) {
    connection_close(console);
}

static void say(struct text word) {
    said = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(said), said.size == 0 ? "" : " ", TEXT_ARGS(word));
}

static bool list_order(void *context, const struct order_now *order) {
    (void)context;
    say(order->reference);
    return !one_by_one;
}

static void say_order(void *context, const struct order_now *order) {
    list_order(context, order);
}

static bool list_payment(void *context, const struct transaction_now *payment) {
    (void)context;
    say(arena_print(arena, "%.*s-%.*s", TEXT_ARGS(payment->network_transaction), TEXT_ARGS(payment->network)));
    return !one_by_one;
}

static void say_payment(void *context, const struct transaction_now *payment) {
    list_payment(context, payment);
}

static bool list_notice(void *context, const struct notification_row *notice) {
    (void)context;
    say(arena_print(arena, "%.*s-%" PRIu64 "-%.*s", TEXT_ARGS(notice->merchant), notice->sequence,
                    TEXT_ARGS(notice->state)));
    return !one_by_one;
}

static void say_notice(void *context, const struct notification_row *notice) {
    list_notice(context, notice);
}

static void say_attempt(void *context, const struct attempt_row *attempt) {
    (void)context;
    say(arena_print(arena, "%d", (int)attempt->took));
}

static void say_query(void *context, const struct query_row *query) {
    (void)context;
    say(arena_print(arena, "%.*s-%.*s-%d", TEXT_ARGS(query->merchant), TEXT_ARGS(query->record.reference),
                    (int)query->record.took));
}

static bool list_event(void *context, const struct console_event *event) {
    (void)context;
    say(arena_print(arena, "%.*s-%.*s", TEXT_ARGS(event->subject), TEXT_ARGS(event->event.what)));
    return !one_by_one;
}

static void say_event(void *context, const struct console_event *event) {
    list_event(context, event);
}

typedef enum status reads(const struct console_reader *reader, const struct asked *asked);

static enum status find_order(const struct console_reader *reader, const struct asked *asked) {
    struct order_now order;
    enum status status = console_orders_find(reader, asked->order, &order);
    if (status == STATUS_OK) {
        say_order(NULL, &order);
    }
    return status;
}

static enum status find_payment(const struct console_reader *reader, const struct asked *asked) {
    struct transaction_now payment;
    enum status status = console_transactions_find(reader, asked->payment, &payment);
    if (status == STATUS_OK) {
        say_payment(NULL, &payment);
    }
    return status;
}

static enum status find_notice(const struct console_reader *reader, const struct asked *asked) {
    struct notification_row notice;
    enum status status = console_notifications_find(reader, asked->note, &notice);
    if (status == STATUS_OK) {
        say_notice(NULL, &notice);
    }
    return status;
}

static enum status count_given_up(const struct console_reader *reader, const struct asked *asked) {
    uint64_t count = 77;
    enum status status = console_notifications_given_up(reader, asked->merchant, &count);
    say(arena_print(arena, "%" PRIu64, count));
    return status;
}

enum { CALLS_MAX = 20 };

#define WHOLE_LIST(call)                                                                                               \
    struct console_place place = {0};                                                                                  \
    enum status status = STATUS_OK;                                                                                    \
    for (int i = 0; i < CALLS_MAX && status == STATUS_OK && !place.ended; i++) {                                       \
        status = call;                                                                                                 \
    }                                                                                                                  \
    return status

static enum status list_events(const struct console_reader *reader, const struct asked *asked) {
    struct console_event_filter filter = {.subject = TEXT("merchant"), .subject_id = asked->merchant};
    WHOLE_LIST(console_events_list(reader, &filter, &place, list_event, NULL));
}

#define SEARCH(key, text)                                                                                              \
    static enum status search_##key(const struct console_reader *reader, const struct asked *asked) {                  \
        (void)asked;                                                                                                   \
        return console_orders_search(reader, CONSOLE_BY_##key, text, say_order, NULL);                                 \
    }
SEARCH(REFERENCE, asked->reference)
SEARCH(OLD_REFERENCE, asked->old_reference)
SEARCH(PO_ID, TEXT("PO"))
SEARCH(DOCUMENT, TEXT("D"))
SEARCH(TOKEN, asked->token)
SEARCH(WEBHOOK_ID, asked->webhook_id)

#define READ(name, call, asked_for, each)                                                                              \
    static enum status name(const struct console_reader *reader, const struct asked *asked) {                          \
        (void)asked;                                                                                                   \
        return call(reader, asked_for, each, NULL);                                                                    \
    }
READ(search_payments, console_transactions_search, TEXT("TX"), say_payment)
READ(payments_of_document, console_transactions_of_document, TEXT("C1"), say_payment)
READ(payments_of_order, console_transactions_of_order, asked->order, say_payment)
READ(notices_of_order, console_notifications_of_order, asked->order, say_notice)
READ(attempts_of_one_order, console_attempts_of_order, asked->order, say_attempt)
READ(attempts_of_merchant, console_attempts_of_merchant, asked->merchant, say_attempt)
READ(queries_of_order, console_queries_of_order, asked->order, say_query)
READ(queries_of_merchant, console_queries_of_merchant, asked->merchant, say_query)
READ(queries_of_reference, console_queries_of_reference, asked->reference, say_query)
READ(events_of_order, console_events_of_order, asked->order, say_event)
READ(events_of_notices, console_events_of_notifications, asked->order, say_event)

#define LIST(name, call, each, ...)                                                                                    \
    static enum status name(const struct console_reader *reader, const struct asked *asked) {                          \
        (void)asked;                                                                                                   \
        WHOLE_LIST(call(reader, &(const struct console_filter){__VA_ARGS__}, &place, each, NULL));                     \
    }
LIST(list_orders, console_orders_list, list_order, .since = 0)
LIST(list_orders_of, console_orders_list, list_order, .merchant_id = asked->merchant)
LIST(list_payments, console_transactions_list, list_payment, .since = 0)
LIST(list_payments_of, console_transactions_list, list_payment, .merchant_id = asked->merchant)
LIST(list_notices, console_notifications_list, list_notice, .since = 0)
LIST(list_notices_of, console_notifications_list, list_notice, .merchant_id = asked->merchant)
LIST(list_given_up, console_notifications_list, list_notice, .state = TEXT("exhausted"))
LIST(list_given_up_of, console_notifications_list, list_notice, .state = TEXT("exhausted"),
     .merchant_id = asked->merchant)

#define GIVEN_UP   "mine-2-exhausted mine-1-exhausted"
#define MY_NOTICES "mine-1-delivered " GIVEN_UP

/* What a reader of everything gets who asks for mine, and a user of mine who asks for mine and for the other's. */
static const struct {
    const char *name;
    reads *reads;
    const char *of_all, *own, *of_others;
} READS[] = {
    {"find_order", find_order, "11", "11", ""},
    {"REFERENCE", search_REFERENCE, "11", "11", ""},
    {"OLD_REFERENCE", search_OLD_REFERENCE, "11", "11", ""},
    {"PO_ID", search_PO_ID, "11 21", "11", "11"},
    {"DOCUMENT", search_DOCUMENT, "12 21 11", "12 11", "12 11"},
    {"TOKEN", search_TOKEN, "11", "11", ""},
    {"WEBHOOK_ID", search_WEBHOOK_ID, "11", "11", ""},
    {"list_orders", list_orders, "12 21 11", "12 11", "12 11"},
    {"list_orders_of", list_orders_of, "12 11", "12 11", ""},
    {"find_payment", find_payment, "TX-north", "TX-north", ""},
    {"search_payments", search_payments, "TX-north TX-south", "TX-north", "TX-north"},
    {"payments_of_document", payments_of_document, "UQ-north UP-north", "", ""},
    {"payments_of_order", payments_of_order, "TX-north TY-south", "TX-north TY-south", ""},
    {"list_payments", list_payments, "UR-north UQ-north UP-north TZ-south TY-south TX-south TX-north",
     "TZ-south TY-south TX-north", "TZ-south TY-south TX-north"},
    {"list_payments_of", list_payments_of, "TZ-south TY-south TX-north", "TZ-south TY-south TX-north", ""},
    {"find_notice", find_notice, "mine-1-exhausted", "mine-1-exhausted", ""},
    {"notices_of_order", notices_of_order, "mine-1-exhausted mine-2-exhausted", "mine-1-exhausted mine-2-exhausted",
     ""},
    {"attempts_of_order", attempts_of_one_order, "10 11 30 31", "10 11 30 31", ""},
    {"attempts_of_merchant", attempts_of_merchant, "31 30 11 10", "31 30 11 10", ""},
    {"count_given_up", count_given_up, "2", "2", "0"},
    {"list_notices", list_notices, "mine-1-delivered mine-2-exhausted other-1-exhausted mine-1-exhausted", MY_NOTICES,
     MY_NOTICES},
    {"list_notices_of", list_notices_of, MY_NOTICES, MY_NOTICES, ""},
    {"list_given_up", list_given_up, "mine-2-exhausted other-1-exhausted mine-1-exhausted", GIVEN_UP, GIVEN_UP},
    {"list_given_up_of", list_given_up_of, GIVEN_UP, GIVEN_UP, ""},
    {"queries_of_order", queries_of_order, "mine-11-1 mine-11-3", "mine-11-1 mine-11-3", ""},
    {"queries_of_merchant", queries_of_merchant, "mine-11-1 mine-11-3 mine-19-4", "mine-11-1 mine-11-3 mine-19-4", ""},
    {"queries_of_reference", queries_of_reference, "mine-11-1 other-11-2 mine-11-3", "mine-11-1 mine-11-3", ""},
    {"events_of_order", events_of_order, "order-created order-changed", "order-created order-changed", ""},
    {"events_of_notices", events_of_notices, "notification-created notification-created",
     "notification-created notification-created", ""},
    {"list_events", list_events, "merchant-created", "merchant-created", ""},
};

static void assert_read(int i, bool everything, uint64_t merchant, const struct asked *asked, const char *expected) {
    const struct console_reader reader = {console, arena, {everything, merchant}};
    said = TEXT("");
    enum status status = READS[i].reads(&reader, asked);
    ck_assert(status == STATUS_OK || status == STATUS_NONE);
    ck_assert_msg(text_equal(said, text_of(expected)), "%s: \"%.*s\" instead of \"%s\"", READS[i].name, TEXT_ARGS(said),
                  expected);
}

START_TEST(what_was_asked_for_and_nothing_of_others) {
    assert_read(_i, true, 0, &mine, READS[_i].of_all);
    assert_read(_i, false, mine.merchant, &mine, READS[_i].own);
    assert_read(_i, false, mine.merchant, &others, READS[_i].of_others);
    one_by_one = true;
    assert_read(_i, true, 0, &mine, READS[_i].of_all);
    assert_read(_i, false, mine.merchant, &mine, READS[_i].own);
    assert_read(_i, false, 0, &mine, strcmp(READS[_i].name, "count_given_up") == 0 ? "0" : "");
}
END_TEST

TCase *console_reads_tests(void) {
    TCase *tests = database_case("console_reads");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, what_was_asked_for_and_nothing_of_others, READS);
    return tests;
}
