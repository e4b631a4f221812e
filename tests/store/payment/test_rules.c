#include "store.h"

#include "store/db/connection_private.h"
#include "store/order/payables.h"
#include "store/order/porders.h"
#include "store/payment/transactions.h"

#include <inttypes.h>

/*
 * The statements that register, confirm or cancel in one round trip repeat the rules of src/domain in their WHERE. Here
 * both judge the same rows, drawn at random around every bound. The statement must write exactly if the domain allows
 * it. The rows are in temporary tables with the names of the real ones, so no trigger changes them. Environment:
 * RECAUDO_RULE_CASES is the number of each kind, RECAUDO_RULE_SEED the first seed.
 */
enum { BATCH = 200, USUAL_CASES = 4000, REFERENCE = 1000 };

static uint64_t seed, cases;

/* SplitMix64. */
static uint64_t draw(uint64_t bound) {
    uint64_t z = (seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % bound;
}

/* Takes the first value in at least three of four draws, so that most rows differ in few columns from a usual one. */
#define DRAW(table) ((table)[draw(4) > 0 ? 0 : draw(COUNT_OF(table))])

static uint64_t number_from(const char *variable, uint64_t usual) {
    const char *text = getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : usual;
}

#define SHADOW(table) "CREATE TEMPORARY TABLE shadow LIKE " table "; ALTER TABLE shadow RENAME TO " table ";"

/* Runs SQL on the connection `owner`, which is closed after the test. */
static void run(const char *sql) {
    ck_assert_msg(mysql_query(owner->mysql, sql) == 0, "%s: %.300s", mysql_error(owner->mysql), sql);
    while (mysql_next_result(owner->mysql) == 0) {
    }
    ck_assert_uint_eq(mysql_errno(owner->mysql), 0);
}

static void set_up(void) {
    seed = number_from("RECAUDO_RULE_SEED", (uint64_t)clock_host());
    cases = number_from("RECAUDO_RULE_CASES", USUAL_CASES);
    run(SHADOW("orders") SHADOW("transactions") SHADOW("merchants") SHADOW("accounts"));
    run("INSERT INTO merchants (id, name, commerce, country, enabled, fixed_hash, notification_hash, changed_by)"
        " VALUES (1, 'a', 'Tienda', 343, 1, '', '', 'x'), (2, 'b', 'Tienda', 343, 0, '', '', 'x'),"
        " (3, 'c', 'Otra', 343, 1, '', '', 'x')");
}

static const struct {
    struct text commerce;
    bool enabled;
} MERCHANTS[] = {{TEXT(""), false}, {TEXT("Tienda"), true}, {TEXT("Tienda"), false}, {TEXT("Otra"), true}};

static const char *const STATES[] = {"PENDIENTE", "PENDIENTE", "PENDIENTE", "PENDIENTE", "PENDIENTE",
                                     "APROBADA",  "VENCIDA",   "CANCELADA", "ANULADA"};
static const char *const ORIGINS[] = {"registered", "registered", "imported", "external"};
static const char *const DUE[] = {"MAKEDATE(2999, 1)",
                                  "MAKEDATE(2999, 1)",
                                  "MAKEDATE(2999, 1)",
                                  "MAKEDATE(1999, 1)",
                                  NOW,
                                  NOW " - INTERVAL 1 MICROSECOND",
                                  NOW " + INTERVAL 1 MICROSECOND"};
static const char *const CURRENCIES[] = {"COP", "COP", "COP", "CRC", "USD"};
static const char *const AMOUNTS[] = {"45000", "0", "0", "0.0001", "999999999999999.9999"};
static const char *const LEASTS[] = {"NULL", "NULL", "0", "1000", "45000"};
static const char *const MOSTS[] = {"NULL", "NULL", "45000", "45000.0001", "999999999999999.9999"};
static const char *const HOLDS[] = {"NULL, NULL", "NULL, NULL", "NULL, NULL", "7, MAKEDATE(2999, 1)",
                                    "7, MAKEDATE(1999, 1)"};
static const char *const SENT[] = {"45000",    "45000",    "45000.00", "44999.9999", "45000.0001",           "1000",
                                   "999.9999", "999.9900", "0",        "0.0001",     "999999999999999.9999", "7.5"};
static const char *const COMMERCES[] = {"Tienda", "Tienda", "Tienda", "tienda", "Otra", "Tienda "};
static const char *const MONEY[] = {"COP", "COP", "COP", "CRC", "USD", "cop", "COP ", "EUR"};

/* Returns an instant within the next tenth of a second, so that it arrives while a batch is judged. */
static const char *near(void) {
    return arena_print(arena, "SYSDATE(6) + INTERVAL %" PRIu64 " MICROSECOND", draw(100000)).at;
}

/* Returns a row of orders. The columns that depend on the state satisfy the constraints. */
static struct text order_row(uint64_t id) {
    const char *state = DRAW(STATES), *hold = DRAW(HOLDS), *due = draw(8) == 0 ? near() : DRAW(DUE);
    bool pending = *state == 'P', paid = *state == 'A';
    return arena_print(
        arena, "(%" PRIu64 ",%" PRIu64 ",'%" PRIu64 "','%" PRIu64 "','%s','%s',%s,'%s',%s,%s,%s,%s,%s,'x')", id,
        1 + draw(3), id, REFERENCE + id, state, DRAW(ORIGINS), due, DRAW(CURRENCIES), DRAW(AMOUNTS), DRAW(LEASTS),
        DRAW(MOSTS), pending ? hold : "NULL, NULL", paid ? arena_print(arena, "%" PRIu64, id).at : "NULL");
}

static void fill_orders(void) {
    struct text sql =
        TEXT("TRUNCATE orders; TRUNCATE transactions; INSERT INTO orders (id, merchant_id, po_id, reference,"
             " state, origin, due_at, currency, amount, min_amount, max_amount, held_by, held_until,"
             " paid_by, changed_by) VALUES ");
    for (uint64_t id = 1; id <= BATCH; id++) {
        struct text row = order_row(id);
        sql = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(sql), id == 1 ? "" : ",", TEXT_ARGS(row));
    }
    run(sql.at);
}

static struct registration draw_request(uint64_t id) {
    struct registration request = {.name = TEXT("red"),
                                   .reference = arena_print(arena, "%" PRIu64, REFERENCE + id),
                                   .amount = text_of(DRAW(SENT)),
                                   .transaction = arena_print(arena, "T.%" PRIu64, id - draw(50) / 49),
                                   .commerce = text_of(DRAW(COMMERCES)),
                                   .teller = TEXT("caja"),
                                   .money = text_of(DRAW(MONEY))};
    ck_assert(money_parse(request.amount, &request.value));
    return request;
}

/* Compares the domain's judgement of one order and request with what the statement did. */
static void compare_registration(uint64_t id) {
    uint64_t seed_of_case = seed;
    struct registration request = draw_request(id);
    struct payable payable;
    struct transaction existing, stored = {0};
    struct new_registration new = {1, &request, arena, &stored, STATUS_OK};
    bool exists;
    ck_assert_int_eq(
        payables_find_for(owner, request.reference, 1, request.transaction, arena, &payable, &exists, &existing),
        STATUS_OK);
    /* If the transaction exists, closed orders are not looked up. */
    ck_assert(payable.has_order || exists);
    uint64_t merchant = payable.has_order ? payable.order.merchant_id : 0;
    payable.order.commerce = MERCHANTS[merchant].commerce;
    payable.order.merchant_enabled = MERCHANTS[merchant].enabled;
    bool allowed = payable.has_order && registration_judge(&request, &payable, TEXT("recaudo")) == GRANTED;
    bool usual = payable.order.origin != ORIGIN_EXTERNAL && text_equal(request.commerce, payable.order.commerce);
    enum status status = transactions_register(owner, &new);
    enum status expected = allowed && usual && !exists ? STATUS_OK : STATUS_CHANGED;
    ck_assert_msg(status == expected, "seed %" PRIu64 ", order %" PRIu64 ": domain %d, SQL %d", seed_of_case, id,
                  expected, status);
    if (status == STATUS_OK) {
        ck_assert_uint_gt(stored.id, 0);
        ck_assert(text_equal(stored.commerce, request.commerce) && text_equal(stored.currency, payable.order.currency));
    }
}

static void each_batch(void (*fill)(void), void (*compare)(uint64_t id)) {
    for (uint64_t done = 0; done < cases; done += BATCH) {
        fill();
        for (uint64_t id = 1; id <= BATCH; id++) {
            compare(id);
        }
        arena_reset(arena);
    }
}

/* The session's clock stands still, so that both see the same instant at a bound. */
START_TEST(registrations_are_judged_as_in_the_domain) {
    run("SET SESSION timestamp = 1795348800.123456");
    each_batch(fill_orders, compare_registration);
}
END_TEST

/* Returns a transaction of the order with the same number, in any state. Half of the transactions of held orders hold
 * them. */
static struct text transaction_row(uint64_t id) {
    static const char *const IN_STATE[] = {
        "'REGISTRADA',NULL,NULL,NULL,NULL", "'REGISTRADA',NULL,NULL,NULL,NULL", "'REGISTRADA',NULL,NULL,NULL,NULL",
        "'FINALIZADA'," NOW "," NOW "," NOW ",NULL", "'CANCELADA',NULL,NULL,NULL," NOW};
    static const char *const ENDS[] = {"MAKEDATE(2999, 1)", "MAKEDATE(2999, 1)", "MAKEDATE(1999, 1)", NOW};
    const char *end = draw(2) == 0 ? near() : DRAW(ENDS);
    const char *state = draw(3) == 0 ? arena_print(arena, "'CONFIRMADA'," NOW ",%s,NULL,NULL", end).at : DRAW(IN_STATE);
    return arena_print(arena, "(%" PRIu64 ",1,'T.%" PRIu64 "',%" PRIu64 ",'1',%s,'%s',%s,'','','',REPEAT('f',32),'x')",
                       id, id, id, draw(2) == 0 ? "45000" : DRAW(SENT), DRAW(CURRENCIES), state);
}

static void fill_transactions(void) {
    fill_orders();
    struct text sql =
        TEXT("INSERT IGNORE INTO transactions (id, network_id, network_transaction, order_id, reference, amount,"
             " currency, state, confirmed_at, window_ends_at, finalised_at, cancelled_at, commerce,"
             " description, teller, fingerprint, changed_by) VALUES ");
    for (uint64_t id = 1; id <= BATCH; id++) {
        struct text row = transaction_row(id);
        sql = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(sql), id == 1 ? "" : ",", TEXT_ARGS(row));
    }
    run(sql.at);
    run("UPDATE orders o JOIN transactions t ON t.order_id = o.id SET o.held_by = t.id, o.held_until = t.window_ends_at"
        " WHERE t.state = 'CONFIRMADA' AND o.state = 'PENDIENTE' AND t.id % 2 = 0");
}

static bool is_written(bool confirm, const struct confirmation_rows *rows, instant now) {
    const struct paid_thing paid = {.order = &rows->order};
    enum confirmation_act act;
    return confirmation_judge(confirm, &rows->transaction, &paid, now, &act) == GRANTED && act != CONFIRMATION_STANDS;
}

static enum status change_alone(bool confirm, const struct transaction_name *name) {
    return confirm ? transactions_confirm(owner, name) : transactions_cancel(owner, name);
}

static enum status change_shared(bool confirm, const struct transaction_name *name) {
    struct transaction_change change = {.name = *name};
    struct transaction_change *const changes[] = {&change};
    enum status status = confirm ? transactions_confirm_shared(owner, changes, 1, arena)
                                 : transactions_cancel_shared(owner, changes, 1, arena);
    return status == STATUS_OK ? change.status : status;
}

/* The domain judges the same rows before and after the statement. If the results differ because time has passed, both
 * are accepted. */
static void compare_confirmation(uint64_t id) {
    struct confirmation_rows rows;
    struct text sent = arena_print(arena, "T.%" PRIu64, id);
    const struct transaction_name name = {1, sent, TEXT("x")};
    bool confirm = draw(2) == 0;
    if (transactions_find(owner, 1, sent, arena, &rows) == STATUS_NONE) {
        return; /* the amount is 0 */
    }
    ck_assert(rows.has_order);
    enum status status = draw(2) == 0 ? change_alone(confirm, &name) : change_shared(confirm, &name);
    instant after;
    ck_assert_int_eq(porders_clock(owner, &after), STATUS_OK);
    bool first = is_written(confirm, &rows, rows.now), last = is_written(confirm, &rows, after);
    bool is_right = status == (first ? STATUS_OK : STATUS_CHANGED) || status == (last ? STATUS_OK : STATUS_CHANGED);
    ck_assert_msg(is_right, "seed %" PRIu64 ", transaction %" PRIu64 ", confirm %d: domain %d %d, SQL %d", seed, id,
                  confirm, first, last, status);
}

START_TEST(confirmations_are_judged_as_in_the_domain) {
    each_batch(fill_transactions, compare_confirmation);
}
END_TEST

/* How the order differs from a payable one of COP 45,000, the request, and whether it is stored. */
#define USUAL "45000", "COP", "Tienda"
static const struct {
    const char *name, *order, *amount, *money, *commerce;
    bool stored;
} BOUNDS[] = {
    {"usual", "id = id", USUAL, true},
    {"due now", "due_at = " NOW, USUAL, false},
    {"due in a microsecond", "due_at = " NOW " + INTERVAL 1 MICROSECOND", USUAL, true},
    {"due a microsecond ago", "due_at = " NOW " - INTERVAL 1 MICROSECOND", USUAL, false},
    {"held", "held_by = 7, held_until = MAKEDATE(2999, 1)", USUAL, false},
    {"held, the window over", "held_by = 7, held_until = MAKEDATE(1999, 1)", USUAL, false},
    {"expired", "state = 'VENCIDA'", USUAL, false},
    {"withdrawn", "state = 'CANCELADA'", USUAL, false},
    {"paid", "state = 'APROBADA', paid_by = 1", USUAL, false},
    {"given back", "state = 'ANULADA', paid_by = 1", USUAL, false},
    {"from an external query", "origin = 'external'", USUAL, false},
    {"a ten-thousandth less", "amount = 45000.0001", USUAL, false},
    {"a ten-thousandth more", "amount = 44999.9999", USUAL, false},
    {"the least", "amount = 0, min_amount = 45000", USUAL, true},
    {"below the least", "amount = 0, min_amount = 45000.0001", USUAL, false},
    {"the most", "amount = 0, max_amount = 45000", USUAL, true},
    {"above the most", "amount = 0, max_amount = 44999.9999", USUAL, false},
    {"open without bounds", "amount = 0", USUAL, true},
    {"nothing", "amount = 0", "0", "COP", "Tienda", false},
    {"the greatest", "amount = 0", "999999999999999.99", "COP", "Tienda", true},
    {"a decimal that pesos have not", "amount = 0", "45000.001", "COP", "Tienda", false},
    {"another currency", "id = id", "45000", "CRC", "Tienda", false},
    {"a currency with a space", "id = id", "45000", "COP ", "Tienda", false},
    {"a disabled merchant", "merchant_id = 2", USUAL, false},
    {"another merchant", "merchant_id = 3", USUAL, false},
    {"its name in other letters", "id = id", "45000", "COP", "tienda", false},
    {"its name with a space", "id = id", "45000", "COP", "Tienda ", false},
};

START_TEST(at_a_bound) {
    struct registration request = {.name = TEXT("red"),
                                   .reference = TEXT("1001"),
                                   .amount = text_of(BOUNDS[_i].amount),
                                   .transaction = TEXT("T.1"),
                                   .commerce = text_of(BOUNDS[_i].commerce),
                                   .teller = TEXT("caja"),
                                   .money = text_of(BOUNDS[_i].money)};
    struct transaction stored = {0};
    struct new_registration new = {1, &request, arena, &stored, STATUS_OK};
    run("SET SESSION timestamp = 1795348800.123456;"
        "INSERT INTO orders (merchant_id, po_id, reference, origin, due_at, currency, amount, changed_by)"
        " VALUES (1, '1', '1001', 'registered', MAKEDATE(2999, 1), 'COP', 45000, 'x')");
    run(arena_print(arena, "UPDATE orders SET %s", BOUNDS[_i].order).at);
    ck_assert(money_parse(request.amount, &request.value));
    ck_assert_msg(transactions_register(owner, &new) == (BOUNDS[_i].stored ? STATUS_OK : STATUS_CHANGED), "%s",
                  BOUNDS[_i].name);
}
END_TEST

TCase *rules_tests(void) {
    TCase *tests = database_case("rules");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 900);
    tcase_add_test(tests, registrations_are_judged_as_in_the_domain);
    tcase_add_test(tests, confirmations_are_judged_as_in_the_domain);
    add_table_test(tests, at_a_bound, BOUNDS);
    return tests;
}
