#include "api/merchant/porder.h"
#include "api/worker/usecases.h"
#include "auth/secret.h"
#include "base/hex.h"
#include "domain/reference.h"

/* Of 1,000 random references at least one is free, even if integrations cover nearly all. */
enum { TOKEN_BYTES = 16, DRAWS_MAX = 1000 };

/* Draws the slip's token, and a reference if the merchant gave none. Called again for each attempt. */
static bool draw_reference(struct call *call, bool reference_is_given, struct porder_terms *terms) {
    unsigned char random[TOKEN_BYTES + 8];
    char digits[REFERENCE_ASSIGNED + 1], token[HEX_SIZE(TOKEN_BYTES)];
    if (!secret_random(random, sizeof random)) {
        log_line(LOG_ERROR, "the system's random generator failed: no reference and token for an order");
        return false;
    }
    hex_print(random, TOKEN_BYTES, token);
    terms->token = arena_copy(call->arena, text_of(token));
    if (!reference_is_given) {
        reference_assign(random + TOKEN_BYTES, digits);
        terms->order.reference = arena_copy(call->arena, text_of(digits));
    }
    return true;
}

/* Finds why nothing was stored. STATUS_CHANGED: the obstacle is gone, or another reference will do; try again. */
static enum status judge_obstacles(struct call *call, struct connection *connection, struct porder_work *work,
                                   enum refusal *refusal) {
    instant now;
    enum status status = porders_clock(connection, &now);
    if (status != STATUS_OK) {
        return status;
    }
    *refusal = porder_judge_expiration(call, work, now);
    return *refusal == GRANTED ? STATUS_CHANGED : STATUS_OK;
}

static enum status judge_register_clash(enum order_clash clash, bool reference_is_given, enum refusal *refusal) {
    if (clash == CLASH_REFERENCE && !reference_is_given) {
        return STATUS_CLASH;
    }
    *refusal = clash == CLASH_REFERENCE ? REFUSED_REFERENCE_TAKEN : REFUSED_ORDER_NUMBER_TAKEN;
    return STATUS_OK;
}

static void reply_registered(struct call *call, const struct porder_terms *terms, uint64_t id) {
    const struct porder_written written = {id, terms->order.po_id, terms->order.reference, terms->order.amount,
                                           porder_slip_address(call, terms->token)};
    call->reply = porder_reply_stored(&written, "CREADA", call->arena);
}

static enum status insert_porder(struct call *call, struct connection *connection, const struct porder_terms *terms,
                                 bool reference_is_given, enum refusal *refusal) {
    uint64_t id;
    enum order_clash clash;
    enum status status = porders_insert(connection, terms, call_actor(call), &id, &clash);
    if (status == STATUS_OK) {
        reply_registered(call, terms, id);
    } else if (status == STATUS_CLASH) {
        status = judge_register_clash(clash, reference_is_given, refusal);
    }
    return status;
}

/* Draws references until no integration covers one. A given reference is only checked. Draws the slip's token too. */
static enum status choose_reference(struct call *call, struct connection *connection, uint64_t merchant_id,
                                    bool is_given, struct porder_terms *terms, bool *covered) {
    enum status status;
    int draws = 0;
    do {
        if (!draw_reference(call, is_given, terms)) {
            return STATUS_FAULT;
        }
        status = porder_is_covered(call, connection, terms->order.reference, is_given ? merchant_id : 0, covered);
    } while (status == STATUS_OK && *covered && !is_given && ++draws < DRAWS_MAX);
    return status;
}

static enum status store_porder(struct call *call, struct connection *connection, struct porder_work *work,
                                enum refusal *refusal) {
    struct porder_terms terms = work->terms;
    bool is_given = terms.order.reference.size > 0, covered = false;
    enum status status = choose_reference(call, connection, work->merchant_id, is_given, &terms, &covered);
    terms.reference_is_assigned = !is_given;
    if (status == STATUS_OK && covered) {
        return judge_register_clash(CLASH_REFERENCE, is_given, refusal);
    }
    if (status == STATUS_OK) {
        status = insert_porder(call, connection, &terms, is_given, refusal);
    }
    return status == STATUS_CHANGED ? judge_obstacles(call, connection, work, refusal) : status;
}

static void register_order(struct call *call, enum refusal (*receive)(struct call *call, struct porder_work *work)) {
    struct porder_work work = {0};
    enum refusal refusal = receive(call, &work);
    if (refusal == GRANTED) {
        if (work.terms.language.size == 0) {
            work.terms.language = TEXT("es");
        }
        refusal = porder_run(call, &work, store_porder);
    }
    porder_end(call, refusal);
}

void porder_register_handle(struct call *call) {
    register_order(call, porder_receive);
}

void plugin_register_handle(struct call *call) {
    register_order(call, porder_receive_plugin);
}
