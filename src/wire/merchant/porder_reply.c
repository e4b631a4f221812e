#include "wire/merchant/porder_reply.h"

#include "domain/instant.h"
#include "wire/reply_json.h"

#include <inttypes.h>

static struct reply finish_merchant_reply(struct json_object *data, struct arena *arena) {
    return reply_json_finish(GRANTED, TEXT("OK"), data, true, arena);
}

struct reply porder_reply_refusal(enum refusal refusal, const struct fault *fault, struct arena *arena) {
    return reply_json_finish(refusal, reply_refusal_text(refusal, fault, arena), NULL, true, arena);
}

static void add_number_as_text(struct json_object *data, const char *key, uint64_t number, struct arena *arena) {
    json_write_text(data, key, arena_print(arena, "%" PRIu64, number));
}

/* Adds the amount as text, with the decimals it needs and at least `decimals`. */
static void add_amount(struct json_object *data, const char *key, struct money amount, unsigned decimals) {
    char printed[MONEY_TEXT_SIZE];
    json_write_text(data, key, text_of(money_print(amount, decimals, printed)));
}

/* Adds a time like 2026-11-21 23:59:59. */
static void add_reading(struct json_object *data, const char *key, instant reading) {
    char printed[INSTANT_TEXT_SIZE];
    instant_print(reading, printed);
    printed[strcspn(printed, "T")] = ' ';
    printed[strcspn(printed, ".")] = '\0';
    json_write_text(data, key, text_of(printed));
}

struct reply porder_reply_stored(const struct porder_written *order, const char *operation, struct arena *arena) {
    struct json_object *data = json_write_new();
    add_amount(data, "Monto", order->amount, 1);
    json_write_text(data, "Operacion", text_of(operation));
    json_write_text(data, "OrdenID", order->po_id);
    add_number_as_text(data, "PVordenID", order->id, arena);
    json_write_text(data, "Referencia", order->reference);
    json_write_text(data, "checkout", order->checkout);
    return finish_merchant_reply(data, arena);
}

struct reply porder_reply_ended(const struct porder_written *order, const char *operation, struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_text(data, "OrderID", order->po_id);
    add_amount(data, "Amount", order->amount, 1);
    add_number_as_text(data, "PVOrderID", order->id, arena);
    json_write_text(data, "Reference", order->reference);
    json_write_text(data, "Operation", text_of(operation));
    return finish_merchant_reply(data, arena);
}

/* With a token the plugin would report refusals, with the customer's e-mail address, to a third party. */
struct reply porder_reply_plugin_keys(struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_text(data, "Token", TEXT(""));
    json_write_text(data, "AmbProd", TEXT("Produccion"));
    json_write_text(data, "AmbSand", TEXT("Pruebas"));
    json_write_text(data, "AmbDev", TEXT("Desarrollo"));
    return finish_merchant_reply(data, arena);
}

/* Returns an object without members until the order is paid. */
static struct json_object *transaction_of(const struct porder_state *state, struct arena *arena) {
    struct json_object *transaction = json_write_new();
    if (state->has_transaction) {
        add_number_as_text(transaction, "IDSERVICE", state->transaction_id, arena);
        add_reading(transaction, "DATE", state->paid_at);
        add_amount(transaction, "AMOUNT", state->paid, 2);
        json_write_text(transaction, "NETWORK", state->network);
    }
    return transaction;
}

struct reply porder_reply_state(const struct porder_state *state, struct arena *arena) {
    const struct porder_written *order = &state->order;
    struct json_object *data = json_write_new();
    json_write_add(data, "CODE", json_object_new_uint64(order->id));
    json_write_text(data, "ORDER", order->po_id);
    json_write_text(data, "REFERENCE", order->reference);
    add_amount(data, "AMOUNT", order->amount, 2);
    json_write_text(data, "CURRENCY", state->currency);
    json_write_text(data, "STATE", text_of(order_state_name(state->state)));
    json_write_text(data, "DESCRIPTION", state->description);
    json_write_text(data, "EMAIL", state->email);
    json_write_text(data, "PAYMNENT_METHOD", state->payment_means);
    add_reading(data, "CREATION_DATE", state->created_at);
    add_reading(data, "UDPATE_DATE", state->changed_at);
    json_write_text(data, "LIFE_TIME", arena_print(arena, "%" PRId64 "h", state->lives / HOUR));
    json_write_text(data, "NOTIFICATION_RESPONSE", state->notification_response);
    json_write_add(data, "TRANSACTION", transaction_of(state, arena));
    json_write_add(data, "ADITIONAL_INFO", json_write_new());
    json_write_text(data, "checkout", order->checkout);
    return finish_merchant_reply(data, arena);
}
