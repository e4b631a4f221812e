#include "samples.h"

#include <inttypes.h>

static const char *or_else(const char *given, const char *usual) {
    return given != NULL ? given : usual;
}

static uint64_t last_id(void) {
    return database_number("SELECT LAST_INSERT_ID()");
}

/* Returns a word that no other call returns. */
static const char *unique(const char *start) {
    static unsigned count;
    return arena_print(arena, "'%s-%u'", start, ++count).at;
}

uint64_t sample_network(const char *name) {
    database_run("INSERT INTO networks SET name = %s, fixed_hash = 'sealed', changed_by = 'test'",
                 name == NULL ? unique("network") : arena_print(arena, "'%s'", name).at);
    return last_id();
}

uint64_t insert_merchant(const struct sample_merchant *merchant) {
    database_run("INSERT INTO merchants SET name = %s, commerce = %s, country = 343, notify_url = %s, enabled = %s,"
                 " fixed_hash = 'sealed', notification_hash = 'sealed', changed_by = 'test'",
                 or_else(merchant->name, unique("merchant")), or_else(merchant->commerce, "'Tienda'"),
                 or_else(merchant->notify_url, "NULL"), or_else(merchant->enabled, "TRUE"));
    return last_id();
}

uint64_t sample_account(const char *document) {
    database_run("INSERT INTO accounts SET document = '%s', document_type = 'CC', name = 'Ana', lastname1 = 'Paz',"
                 " lastname2 = 'Sol', currency = 'COP', changed_by = 'test'",
                 document);
    return last_id();
}

uint64_t insert_order(const struct sample_order *order) {
    uint64_t merchant_id = order->merchant_id != 0 ? order->merchant_id : new_merchant(.enabled = "TRUE");
    const char *reference = arena_print(arena, "'%s'", or_else(order->reference, "1000")).at;
    database_run("INSERT INTO orders SET merchant_id = %" PRIu64
                 ", po_id = %s, reference = %s, state = %s, amount = %s,"
                 " min_amount = %s, max_amount = %s, currency = %s, description = %s, payment_means = %s, origin = %s,"
                 " due_at = %s, held_by = %s, held_until = %s, paid_by = %s, changed_by = 'test'",
                 merchant_id, or_else(order->po_id, unique("PO")), reference, or_else(order->state, "'PENDIENTE'"),
                 or_else(order->amount, "45000"), or_else(order->min_amount, "NULL"),
                 or_else(order->max_amount, "NULL"), or_else(order->currency, "'COP'"),
                 or_else(order->description, "'Zapatos'"), or_else(order->payment_means, "NULL"),
                 or_else(order->origin, "'registered'"), or_else(order->due_at, IN_AN_HOUR),
                 or_else(order->held_by, "NULL"), or_else(order->held_until, "NULL"), or_else(order->paid_by, "NULL"));
    return last_id();
}

static const char *number_or_null(uint64_t number) {
    return number == 0 ? "NULL" : arena_print(arena, "%" PRIu64, number).at;
}

uint64_t insert_transaction(const struct sample_transaction *transaction) {
    const char *state = or_else(transaction->state, "'REGISTRADA'");
    const char *window = or_else(transaction->window_ends_at, "NULL");
    database_run("INSERT INTO transactions SET network_id = %" PRIu64 ", network_transaction = %s, order_id = %s,"
                 " account_id = %s, reference = '1000', state = %s, amount = %s, currency = 'COP', commerce = 'Tienda',"
                 " description = 'Zapatos', teller = 'caja 1', fingerprint = REPEAT('f', 32),"
                 " confirmed_at = %s - INTERVAL 30 SECOND, window_ends_at = %s,"
                 " finalised_at = IF(state = 'FINALIZADA', " NOW ", NULL),"
                 " cancelled_at = IF(state = 'CANCELADA', " NOW ", NULL), changed_by = 'test'",
                 transaction->network_id != 0 ? transaction->network_id : sample_network(NULL),
                 or_else(transaction->network_transaction, unique("TX")), number_or_null(transaction->order_id),
                 number_or_null(transaction->account_id), state, or_else(transaction->amount, "45000"), window, window);
    return last_id();
}

uint64_t confirmed_payment(uint64_t order_id, const char *amount, const char *window_ends_at) {
    uint64_t id = new_transaction(.order_id = order_id, .state = "'CONFIRMADA'", .amount = amount,
                                  .window_ends_at = window_ends_at);
    database_run("UPDATE orders o JOIN transactions t ON t.id = %" PRIu64
                 " SET o.held_by = t.id, o.held_until = t.window_ends_at WHERE o.id = %" PRIu64,
                 id, order_id);
    return id;
}

void approve(uint64_t order_id, uint64_t transaction_id) {
    database_run("UPDATE transactions SET state = 'FINALIZADA', finalised_at = " NOW " WHERE id = %" PRIu64,
                 transaction_id);
    database_run("UPDATE orders SET state = 'APROBADA', held_by = NULL, held_until = NULL, paid_by = %" PRIu64
                 " WHERE id = %" PRIu64,
                 transaction_id, order_id);
}
