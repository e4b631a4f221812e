#include "wire/reply.h"

#include "wire/reply_json.h"

#include <inttypes.h>

static struct reply finish_network_reply(struct json_object *data, struct arena *arena) {
    return reply_json_finish(GRANTED, TEXT("OK"), data, false, arena);
}

struct reply reply_refusal(enum refusal refusal, const struct fault *fault, struct arena *arena) {
    return reply_json_finish(refusal, reply_refusal_text(refusal, fault, arena), NULL, false, arena);
}

struct reply reply_ok(struct arena *arena) {
    return finish_network_reply(NULL, arena);
}

struct reply reply_ready(struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_text(data, "VERSION", TEXT(PACKAGE_VERSION));
    return finish_network_reply(data, arena);
}

struct reply reply_lookup_order(const struct order *order, struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_text(data, "LASTNAME1", TEXT(""));
    json_write_text(data, "LASTNAME2", TEXT(""));
    json_write_money(data, "AMOUNT", order->amount, order->currency);
    json_write_text(data, "DESCRIPTION", order->description);
    json_write_text(data, "DI", order->document);
    json_write_text(data, "COMMERCE", order->commerce);
    json_write_text(data, "REFERENCE", order->reference);
    json_write_text(data, "TYPEDI", order->document_type);
    json_write_text(data, "NAME", TEXT(""));
    return finish_network_reply(data, arena);
}

struct reply reply_lookup_account(const struct account *account, struct text service_name, struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_text(data, "LASTNAME1", account->lastname1);
    json_write_text(data, "LASTNAME2", account->lastname2);
    json_write_money(data, "AMOUNT", (struct money){0}, account->currency);
    json_write_text(data, "DESCRIPTION", TEXT(""));
    json_write_text(data, "DI", account->document);
    json_write_text(data, "COMMERCE", service_name);
    json_write_text(data, "REFERENCE", account->document);
    json_write_text(data, "TYPEDI", account->document_type);
    json_write_text(data, "NAME", account->name);
    return finish_network_reply(data, arena);
}

struct reply reply_registration(const struct transaction *transaction, struct text network_transaction,
                                struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_money(data, "AMOUNT", transaction->amount, transaction->currency);
    json_write_text(data, "DESCRIPTION", transaction->description);
    json_write_text(data, "REFERENCE", transaction->reference);
    json_write_text(data, "IDTRANSACTION", network_transaction);
    json_write_text(data, "IDSERVICE", arena_print(arena, "%" PRIu64, transaction->id));
    json_write_text(data, "COMMERCE", transaction->commerce);
    return finish_network_reply(data, arena);
}

struct reply reply_confirmation(struct text network_transaction, bool confirm, struct arena *arena) {
    struct json_object *data = json_write_new();
    json_write_text(data, "IDTRANSACTION", network_transaction);
    json_write_add(data, "CONFIRM", json_object_new_boolean(confirm));
    return finish_network_reply(data, arena);
}
