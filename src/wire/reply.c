#include "wire/reply.h"

#include "domain/currency.h"
#include "wire/reply_code.h"

#include <inttypes.h>
#include <json-c/json.h>

static void add(struct json_object *object, const char *key, struct json_object *value) {
    if (value == NULL || json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0) {
        abort();
    }
}

static void add_text(struct json_object *object, const char *key, struct text value) {
    add(object, key, json_object_new_string_len(value.size == 0 ? "" : value.at, (int)value.size));
}

/* A JSON number printed from the decimal; the library's double is never looked at. */
static void add_money(struct json_object *object, const char *key, struct money amount, struct text currency) {
    char printed[MONEY_TEXT_SIZE];
    unsigned decimals = 0;
    (void)currency_minor_unit(currency, &decimals);
    add(object, key, json_object_new_double_s(0, money_print(amount, decimals, printed)));
}

static struct json_object *new_object(void) {
    struct json_object *object = json_object_new_object();
    if (object == NULL) {
        abort();
    }
    return object;
}

/* Takes `data`, which may be NULL. */
static struct reply finish(const struct reply_code *code, struct text text, struct json_object *data,
                           struct arena *arena) {
    struct json_object *body = new_object();
    add_text(body, "CODE", text_of(code->code));
    add_text(body, "TEXT", text);
    if (data != NULL) {
        add(body, "DATA", data);
    }
    size_t size;
    const char *printed =
        json_object_to_json_string_length(body, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (printed == NULL) {
        abort();
    }
    struct reply reply = {code->http_status, code->code, arena_copy(arena, (struct text){printed, size})};
    json_object_put(body);
    return reply;
}

static struct reply finish_ok(struct json_object *data, struct arena *arena) {
    return finish(reply_code_of(REFUSED_NOT), TEXT("OK"), data, arena);
}

struct reply reply_refusal(enum refusal refusal, const struct fault *fault, struct arena *arena) {
    const struct reply_code *code = reply_code_of(refusal);
    struct text text = text_of(code->text);
    if (fault->field != NULL && fault->problem != NULL) {
        text = arena_print(arena, "%s: %s %s", code->text, fault->field, fault->problem);
    }
    return finish(code, text, NULL, arena);
}

struct reply reply_ok(struct arena *arena) {
    return finish_ok(NULL, arena);
}

struct reply reply_lookup_order(const struct order *order, struct arena *arena) {
    struct json_object *data = new_object();
    add_text(data, "LASTNAME1", TEXT(""));
    add_text(data, "LASTNAME2", TEXT(""));
    add_money(data, "AMOUNT", order->amount, order->currency);
    add_text(data, "DESCRIPTION", order->description);
    add_text(data, "DI", order->document);
    add_text(data, "COMMERCE", order->commerce);
    add_text(data, "REFERENCE", order->reference);
    add_text(data, "TYPEDI", order->document_type);
    add_text(data, "NAME", TEXT(""));
    return finish_ok(data, arena);
}

struct reply reply_lookup_account(const struct account *account, struct text service_name, struct arena *arena) {
    struct json_object *data = new_object();
    add_text(data, "LASTNAME1", account->lastname1);
    add_text(data, "LASTNAME2", account->lastname2);
    add_money(data, "AMOUNT", (struct money){0}, account->currency);
    add_text(data, "DESCRIPTION", TEXT(""));
    add_text(data, "DI", account->document);
    add_text(data, "COMMERCE", service_name);
    add_text(data, "REFERENCE", account->document);
    add_text(data, "TYPEDI", account->document_type);
    add_text(data, "NAME", account->name);
    return finish_ok(data, arena);
}

struct reply reply_registration(const struct transaction *transaction, struct text network_transaction,
                                struct arena *arena) {
    struct json_object *data = new_object();
    add_money(data, "AMOUNT", transaction->amount, transaction->currency);
    add_text(data, "DESCRIPTION", transaction->description);
    add_text(data, "REFERENCE", transaction->reference);
    add_text(data, "IDTRANSACTION", network_transaction);
    add_text(data, "IDSERVICE", arena_print(arena, "%" PRIu64, transaction->id));
    add_text(data, "COMMERCE", transaction->commerce);
    return finish_ok(data, arena);
}

struct reply reply_confirmation(struct text network_transaction, bool confirm, struct arena *arena) {
    struct json_object *data = new_object();
    add_text(data, "IDTRANSACTION", network_transaction);
    add(data, "CONFIRM", json_object_new_boolean(confirm));
    return finish_ok(data, arena);
}
