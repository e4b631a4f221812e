#include "console/core/changes.h"

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
                 {"code", SAY_CODE},
                 {"commerce", SAY_COMMERCE},
                 {"country", SAY_COUNTRY},
                 {"currency", SAY_CURRENCY},
                 {"customer_name", SAY_CUSTOMER},
                 {"description", SAY_DESCRIPTION},
                 {"document", SAY_DOCUMENT},
                 {"due_at", SAY_DUE},
                 {"email", SAY_EMAIL},
                 {"endpoint", SAY_URL},
                 {"merchant_id", SAY_MERCHANT_NUMBER},
                 {"name", SAY_NAME},
                 {"network_id", SAY_NETWORK_NUMBER},
                 {"notify_digest", SAY_DIGEST},
                 {"notify_url", SAY_APPROVAL_OF_URL},
                 {"order_id", SAY_OUR_NUMBER},
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

/* A value of a column as it was written; an instant by the reader's clock. */
static struct text say_value(const struct view *view, struct text column, struct json_object *value) {
    if (value == NULL) {
        return TEXT("–");
    }
    bool is_string = json_object_is_type(value, json_type_string);
    const char *written = is_string ? json_object_get_string(value)
                                    : json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE);
    struct text text = arena_copy(view->arena, text_of(written));
    instant at;
    bool is_instant = is_string && instant_parse(arena_print(view->arena, "%sZ", written), &at);
    if (is_instant && text_equal(column, TEXT("due_at"))) {
        at = view_last_moment(view, at);
    }
    return is_instant ? view_moment(view, at) : text;
}

static void put_change(struct view *view, struct text column, struct json_object *pair) {
    struct text name = word_of_column(view, column);
    bool is_pair = json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2;
    if (!is_pair) { /* a secret */
        markup_fill(view->html, "<li>{}: {}</li>", name, say(view, SAY_VALUE_CHANGED));
        return;
    }
    struct json_object *old = json_object_array_get_idx(pair, 0), *new = json_object_array_get_idx(pair, 1);
    if (old == NULL && new != NULL) {
        markup_fill(view->html, "<li>{}: <bdi>{}</bdi></li>", name, say_value(view, column, new));
    } else if (old != NULL) {
        markup_fill(view->html, "<li>{}: <bdi>{}</bdi> → <bdi>{}</bdi></li>", name, say_value(view, column, old),
                    say_value(view, column, new));
    }
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
    markup_add(view->html, "<ul class=\"changes\">");
    json_object_object_foreach(object, column, pair) {
        put_change(view, text_of(column), pair);
    }
    markup_add(view->html, "</ul>");
    json_object_put(object);
}
