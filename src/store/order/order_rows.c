#include "store/order/order_rows.h"

#include "domain/instant.h"
#include "store/db/json.h"

/* Writes an instant in the form of DATETIME. */
static void put_instant(struct json *json, instant at) {
    char text[INSTANT_TEXT_SIZE];
    instant_print(at, text);
    text[strcspn(text, "T")] = ' ';
    text[strcspn(text, "Z")] = '\0';
    json_text(json, text_of(text));
}

static void add_order_row(struct json *json, size_t place, const struct new_order *order) {
    char amount[MONEY_TEXT_SIZE];
    json_open(json, '[');
    json_number(json, place);
    json_text(json, order->po_id);
    json_text(json, order->reference);
    json_text(json, text_of(money_print(order->amount, MONEY_DECIMALS, amount)));
    json_text(json, order->currency);
    put_instant(json, order->due_at);
    json_text(json, order->description);
    json_text_or_null(json, order->payment_means);
    json_text_or_null(json, order->email);
    json_text_or_null(json, order->document);
    json_text_or_null(json, order->document_type);
    json_text_or_null(json, order->customer_name);
    json_close(json, ']');
}

struct text order_rows_print(struct arena *arena, const struct batch_order *orders, size_t from, size_t to) {
    struct json json = json_begin(arena, '[');
    for (size_t i = from; i < to; i++) {
        if (orders[i].included) {
            add_order_row(&json, i, &orders[i].order);
        }
    }
    return json_end(&json, ']');
}
