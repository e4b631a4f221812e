#include "store/db/rows.h"

#include <assert.h>

bool rows_get_order(struct sql *sql, struct arena *arena, struct order *out) {
    bool found = !sql_is_null(sql);
    out->id = sql_get_number(sql);
    out->version = sql_get_number(sql);
    bool state_known = order_state_parse(sql_get_text(sql, arena), &out->state);
    bool origin_known = order_origin_parse(sql_get_text(sql, arena), &out->origin);
    assert(!found || (state_known && origin_known));
    out->reference = sql_get_text(sql, arena);
    out->amount = sql_get_money(sql);
    bool has_least = !sql_is_null(sql);
    out->least = sql_get_money(sql);
    bool has_most = !sql_is_null(sql);
    out->most = sql_get_money(sql);
    out->has_limits = has_least || has_most;
    if (has_least && !has_most) {
        out->most = MONEY_GREATEST;
    }
    out->currency = sql_get_text(sql, arena);
    out->description = sql_get_text(sql, arena);
    out->document = sql_get_text(sql, arena);
    out->document_type = sql_get_text(sql, arena);
    out->due_at = sql_get_instant(sql);
    out->held_by = sql_get_number(sql);
    out->held_until = sql_get_instant(sql);
    out->in_doubt = false;
    out->merchant_id = sql_get_number(sql);
    return found;
}

bool rows_get_account(struct sql *sql, struct arena *arena, struct account *out) {
    bool found = !sql_is_null(sql);
    out->id = sql_get_number(sql);
    out->document = sql_get_text(sql, arena);
    out->document_type = sql_get_text(sql, arena);
    out->name = sql_get_text(sql, arena);
    out->lastname1 = sql_get_text(sql, arena);
    out->lastname2 = sql_get_text(sql, arena);
    out->currency = sql_get_text(sql, arena);
    out->room = sql_get_money(sql);
    return found;
}

bool rows_get_transaction(struct sql *sql, struct arena *arena, struct transaction *out) {
    bool found = !sql_is_null(sql);
    out->id = sql_get_number(sql);
    bool state_known = transaction_state_parse(sql_get_text(sql, arena), &out->state);
    assert(!found || state_known);
    out->order_id = sql_get_number(sql);
    out->account_id = sql_get_number(sql);
    out->reference = sql_get_text(sql, arena);
    out->amount = sql_get_money(sql);
    out->currency = sql_get_text(sql, arena);
    out->commerce = sql_get_text(sql, arena);
    out->description = sql_get_text(sql, arena);
    out->window_ends_at = sql_get_instant(sql);
    struct text fingerprint = sql_get_text(sql, arena);
    if (fingerprint.size == FINGERPRINT_BYTES) {
        memcpy(out->fingerprint, fingerprint.at, FINGERPRINT_BYTES);
    }
    return found;
}

void rows_get_sealed_pair(struct sql *sql, struct arena *arena, struct sealed_pair *out) {
    out->current = sql_get_text(sql, arena);
    out->old = sql_get_text(sql, arena);
    out->old_for = (duration)sql_get_number(sql);
}

void rows_get_agreement(struct sql *sql, struct arena *arena, struct sealed_pair *sealed_hash,
                        enum notification_digest *digest, enum acknowledgement *acknowledgement) {
    rows_get_sealed_pair(sql, arena, sealed_hash);
    bool digest_known = notification_digest_parse(sql_get_text(sql, arena), digest);
    bool acknowledgement_known = acknowledgement_parse(sql_get_text(sql, arena), acknowledgement);
    assert(digest_known && acknowledgement_known);
}

struct overdue rows_get_overdue(struct sql *sql) {
    struct overdue overdue = {.count = sql_get_number(sql)};
    overdue.oldest = (duration)sql_get_number(sql);
    return overdue;
}

enum status rows_first_party(struct sql *sql, struct text name, struct arena *arena, struct party_row *out) {
    sql_text(sql, name);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *out = (struct party_row){0};
        out->id = sql_get_number(sql);
        out->enabled = sql_get_number(sql) != 0;
        rows_get_sealed_pair(sql, arena, &out->sealed_hash);
    }
    return status;
}

enum status rows_one_number(struct sql *sql, uint64_t *out) {
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? sql_get_number(sql) : 0;
    sql_end(sql);
    return status;
}

enum status rows_one_bool(struct sql *sql, bool *out) {
    uint64_t number;
    enum status status = rows_one_number(sql, &number);
    *out = number != 0;
    return status;
}

enum status rows_one_instant(struct sql *sql, instant *out) {
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? sql_get_instant(sql) : 0;
    sql_end(sql);
    return status;
}

enum status rows_one_overdue(struct sql *sql, struct overdue *out) {
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *out = rows_get_overdue(sql);
    }
    sql_end(sql);
    return status;
}

enum status rows_one_text(struct sql *sql, struct arena *arena, struct text *out) {
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? sql_get_text(sql, arena) : TEXT("");
    sql_end(sql);
    return status;
}
