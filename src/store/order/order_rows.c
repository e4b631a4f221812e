#include "store/order/order_rows.h"

#include "domain/instant.h"

#include <inttypes.h>

enum { FIXED_BYTES = 256 }; /* punctuation, number, amount, instant */

static size_t row_room(const struct new_order *order) {
    return FIXED_BYTES + 2 * (order->po_id.size + order->reference.size + order->currency.size +
                              order->description.size + order->payment_means.size + order->email.size +
                              order->document.size + order->document_type.size + order->customer_name.size);
}

static char *put(char *to, const char *words) {
    size_t size = strlen(words);
    memcpy(to, words, size);
    return to + size;
}

/* The texts hold no control characters: a quote and a backslash are all there is to escape. */
static char *put_text(char *to, struct text text) {
    to = put(to, ",\"");
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == '"' || text.at[i] == '\\') {
            *to++ = '\\';
        }
        *to++ = text.at[i];
    }
    return put(to, "\"");
}

static char *put_text_or_null(char *to, struct text text) {
    return text.size == 0 ? put(to, ",null") : put_text(to, text);
}

/* As a DATETIME is written. */
static char *put_instant(char *to, instant at) {
    char text[INSTANT_TEXT_SIZE];
    instant_print(at, text);
    text[strcspn(text, "T")] = ' ';
    text[strcspn(text, "Z")] = '\0';
    return put_text(to, text_of(text));
}

static char *put_row(char *to, size_t place, const struct new_order *order) {
    char number[MONEY_TEXT_SIZE];
    snprintf(number, sizeof number, "%zu", place);
    to = put(put(to, "["), number);
    to = put_text(to, order->po_id);
    to = put_text(to, order->reference);
    to = put_text(to, text_of(money_print(order->amount, MONEY_DECIMALS, number)));
    to = put_text(to, order->currency);
    to = put_instant(to, order->due_at);
    to = put_text(to, order->description);
    to = put_text_or_null(to, order->payment_means);
    to = put_text_or_null(to, order->email);
    to = put_text_or_null(to, order->document);
    to = put_text_or_null(to, order->document_type);
    to = put_text_or_null(to, order->customer_name);
    return put(to, "]");
}

struct text order_rows_print(struct arena *arena, const struct batch_order *orders, size_t from, size_t to) {
    size_t room = 3;
    for (size_t i = from; i < to; i++) {
        room += orders[i].included ? row_room(&orders[i].order) : 0;
    }
    char *text = arena_alloc(arena, room);
    char *end = put(text, "[");
    for (size_t i = from; i < to; i++) {
        if (orders[i].included) {
            end = put_row(end[-1] == ']' ? put(end, ",") : end, i, &orders[i].order);
        }
    }
    end = put(end, "]");
    return (struct text){text, (size_t)(end - text)};
}
