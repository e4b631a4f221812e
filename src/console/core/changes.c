#include "console/core/changes.h"

#include "base/config/config_duration.h"
#include "domain/instant.h"
#include "wire/json_check.h"

#include <json-c/json.h>

/* Columns that pages have a word for; others keep their names. */
static struct text word_of_column(const struct view *view, struct text column) {
    static const struct {
        const char *column;
        enum say word;
    } WORDS[] = {{"acknowledgement", SAY_ACKNOWLEDGEMENT},
                 {"amount", SAY_AMOUNT},
                 {"claim", SAY_OUR_NUMBER},
                 {"code", SAY_CODE},
                 {"commerce", SAY_COMMERCE},
                 {"country", SAY_COUNTRY},
                 {"currency", SAY_CURRENCY},
                 {"customer_name", SAY_CUSTOMER},
                 {"day_limit", SAY_DAY_LIMIT},
                 {"description", SAY_DESCRIPTION},
                 {"document", SAY_DOCUMENT},
                 {"due_at", SAY_DUE},
                 {"email", SAY_EMAIL},
                 {"endpoint", SAY_URL},
                 {"kept", SAY_OLD_SECRET_KEPT},
                 {"merchant", SAY_MERCHANT_NUMBER},
                 {"merchant_id", SAY_MERCHANT_NUMBER},
                 {"name", SAY_NAME},
                 {"network", SAY_NETWORK_NUMBER},
                 {"network_id", SAY_NETWORK_NUMBER},
                 {"notify_digest", SAY_DIGEST},
                 {"notify_url", SAY_APPROVAL_OF_URL},
                 {"order_id", SAY_OUR_NUMBER},
                 {"outstanding_limit", SAY_OUTSTANDING_LIMIT},
                 {"po_id", SAY_PO_ID},
                 {"reference", SAY_REFERENCE},
                 {"role", SAY_ROLE}};
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (text_equal(column, text_of(WORDS[i].column))) {
            return say(view, WORDS[i].word);
        }
    }
    return column;
}

static bool is_limit(struct text column) {
    return text_equal(column, TEXT("day_limit")) || text_equal(column, TEXT("outstanding_limit"));
}

/* Values of a change that are written with a unit; false: this is none. */
static bool say_quantity(const struct view *view, struct text column, struct text written, struct text currency,
                         struct text *out) {
    struct money amount;
    uint64_t microseconds;
    char printed[24];
    if (text_equal(column, TEXT("kept")) && text_to_number(written, &microseconds) && microseconds <= INT64_MAX) {
        *out = arena_copy(view->arena, text_of(config_print_duration((duration)microseconds, printed, sizeof printed)));
        return true;
    }
    bool is_amount = is_limit(column) || text_equal(column, TEXT("amount"));
    if (!is_amount || currency.size == 0 || !money_parse(written, &amount)) {
        return false;
    }
    *out = view_amount(view, amount, currency);
    return true;
}

/* A value of a column as it was written; an instant by the reader's clock, an amount in its currency. */
static struct text say_value(const struct view *view, struct text column, struct json_object *value,
                             struct text currency) {
    if (value == NULL) {
        return is_limit(column) ? say(view, SAY_NO_LIMIT) : TEXT("–");
    }
    bool is_string = json_object_is_type(value, json_type_string);
    const char *written = is_string ? json_object_get_string(value)
                                    : json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE);
    struct text text = arena_copy(view->arena, text_of(written));
    instant at;
    if (say_quantity(view, column, text, currency, &text)) {
        return text;
    }
    bool is_instant = is_string && instant_parse(arena_print(view->arena, "%sZ", written), &at);
    if (is_instant && text_equal(column, TEXT("due_at"))) {
        at = view_last_moment(view, at);
    }
    return is_instant ? view_moment(view, at) : text;
}

static bool is_pair(struct json_object *value) {
    return json_object_is_type(value, json_type_array) && json_object_array_length(value) == 2;
}

static void put_change(struct view *view, struct text column, struct json_object *pair, struct text currency) {
    struct text name = word_of_column(view, column);
    if (!is_pair(pair)) { /* a secret */
        markup_fill(view->html, "<li>{}: {}</li>", name, say(view, SAY_VALUE_CHANGED));
        return;
    }
    struct json_object *old = json_object_array_get_idx(pair, 0), *new = json_object_array_get_idx(pair, 1);
    if (new != NULL && (old == NULL || json_object_equal(old, new))) {
        markup_fill(view->html, "<li>{}: <bdi>{}</bdi></li>", name, say_value(view, column, new, currency));
    } else if (old != NULL) {
        markup_fill(view->html, "<li>{}: <bdi>{}</bdi> → <bdi>{}</bdi></li>", name,
                    say_value(view, column, old, currency), say_value(view, column, new, currency));
    }
}

/* Of all amounts of a change; empty if it does not say one. */
static struct text currency_of_change(const struct view *view, struct json_object *change) {
    struct json_object *pair, *old, *new;
    if (!json_object_object_get_ex(change, "currency", &pair) || !is_pair(pair)) {
        return TEXT("");
    }
    old = json_object_array_get_idx(pair, 0);
    new = json_object_array_get_idx(pair, 1);
    bool is_one = json_object_is_type(new, json_type_string) && (old == NULL || json_object_equal(old, new));
    return is_one ? arena_copy(view->arena, text_of(json_object_get_string(new))) : TEXT("");
}

void put_changes(struct view *view, struct text changes) {
    size_t members;
    struct fault fault;
    struct json_object *object = json_check(changes, &members, &fault)
                                     ? json_tokener_parse(arena_print(view->arena, "%.*s", TEXT_ARGS(changes)).at)
                                     : NULL;
    if (object == NULL) {
        markup_fill(view->html, "<code>{}</code>", changes);
        return;
    }
    struct text currency = currency_of_change(view, object);
    markup_add(view->html, "<ul class=\"changes\">");
    json_object_object_foreach(object, column, pair) {
        put_change(view, text_of(column), pair, currency);
    }
    markup_add(view->html, "</ul>");
    json_object_put(object);
}
