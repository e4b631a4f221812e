#include "bench/load/load_check.h"

#include "bench/load/load_json.h"

static const char *const names[MISMATCHES] = {
    [MISMATCH_NONE] = "none",
    [MISMATCH_CONNECT] = "connect",
    [MISMATCH_CLOSED] = "closed",
    [MISMATCH_TIMEOUT] = "timeout",
    [MISMATCH_FRAMING] = "framing",
    [MISMATCH_STATUS] = "status",
    [MISMATCH_TYPE] = "content type",
    [MISMATCH_JSON] = "json",
    [MISMATCH_CODE] = "CODE",
    [MISMATCH_AMOUNT] = "AMOUNT",
    [MISMATCH_REFERENCE] = "REFERENCE",
    [MISMATCH_COMMERCE] = "COMMERCE",
    [MISMATCH_IDTRANSACTION] = "IDTRANSACTION",
    [MISMATCH_IDSERVICE] = "IDSERVICE",
    [MISMATCH_CONFIRM] = "CONFIRM",
    [MISMATCH_ORDER] = "order",
    [MISMATCH_ACKNOWLEDGEMENT] = "acknowledgement",
};

const char *mismatch_name(enum mismatch mismatch) {
    return names[mismatch];
}

static bool is_string(struct text value) {
    return value.size >= 2 && value.at[0] == '"';
}

static struct text inside(struct text string) {
    return (struct text){string.at + 1, string.size - 2};
}

static bool is_string_of(struct text value, const char *wanted) {
    return is_string(value) && text_equal(inside(value), text_of(wanted));
}

static unsigned code_of(struct text value) {
    uint64_t number;
    bool valid = is_string(value) && value.size == 6 && text_to_number(inside(value), &number);
    return valid ? (unsigned)number : CODE_MISSING;
}

/* 0, with or without decimals. */
static bool is_zero(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] != '0' && value.at[i] != '.') {
            return false;
        }
    }
    return value.size > 0;
}

static enum mismatch check_payable(struct text data, const struct order_line *order, bool open_amount) {
    struct json_member members[] = {{"AMOUNT", {0}}, {"REFERENCE", {0}}, {"COMMERCE", {0}}};
    if (!json_members(data, members, COUNT_OF(members))) {
        return MISMATCH_JSON;
    }
    if (open_amount ? !is_zero(members[0].value) : !text_equal(members[0].value, text_of(order->amount))) {
        return MISMATCH_AMOUNT;
    }
    if (!is_string_of(members[1].value, order->reference)) {
        return MISMATCH_REFERENCE;
    }
    return is_string_of(members[2].value, order->commerce) ? MISMATCH_NONE : MISMATCH_COMMERCE;
}

static enum mismatch check_registration(struct text data, const char *transaction) {
    struct json_member members[] = {{"IDTRANSACTION", {0}}, {"IDSERVICE", {0}}};
    if (!json_members(data, members, COUNT_OF(members)) || !is_string_of(members[0].value, transaction)) {
        return MISMATCH_IDTRANSACTION;
    }
    return is_string(members[1].value) && members[1].value.size > 2 ? MISMATCH_NONE : MISMATCH_IDSERVICE;
}

static enum mismatch check_confirmation(struct text data, const char *transaction, struct text confirm) {
    struct json_member members[] = {{"IDTRANSACTION", {0}}, {"CONFIRM", {0}}};
    if (!json_members(data, members, COUNT_OF(members)) || !is_string_of(members[0].value, transaction)) {
        return MISMATCH_IDTRANSACTION;
    }
    return text_equal(members[1].value, confirm) ? MISMATCH_NONE : MISMATCH_CONFIRM;
}

static enum mismatch check_porder(struct text data, const char *number) {
    struct json_member members[] = {{"OrdenID", {0}}, {"Referencia", {0}}};
    if (!json_members(data, members, COUNT_OF(members)) || !is_string_of(members[0].value, number)) {
        return MISMATCH_ORDER;
    }
    return is_string(members[1].value) && members[1].value.size > 2 ? MISMATCH_NONE : MISMATCH_REFERENCE;
}

static enum mismatch check_consult(struct text data, const struct order_line *order) {
    struct json_member members[] = {{"ORDER", {0}}, {"AMOUNT", {0}}};
    if (!json_members(data, members, COUNT_OF(members)) || !is_string_of(members[0].value, order->reference)) {
        return MISMATCH_ORDER;
    }
    return is_string_of(members[1].value, order->amount) ? MISMATCH_NONE : MISMATCH_AMOUNT;
}

static enum mismatch check_data(struct text data, const struct subject *subject) {
    if (data.at == NULL) {
        return MISMATCH_JSON;
    }
    if (subject->operation == OPERATION_CONFIRM) {
        return check_confirmation(data, subject->transaction, TEXT("true"));
    }
    if (subject->operation == OPERATION_CANCEL) {
        return check_confirmation(data, subject->transaction, TEXT("false"));
    }
    if (subject->operation == OPERATION_PORDER) {
        return check_porder(data, subject->transaction);
    }
    if (subject->operation == OPERATION_CONSULT) {
        return check_consult(data, &subject->order);
    }
    enum mismatch mismatch = check_payable(data, &subject->order, subject->step.twist == TWIST_OPEN_AMOUNT);
    if (mismatch == MISMATCH_NONE && subject->operation == OPERATION_REGISTER) {
        mismatch = check_registration(data, subject->transaction);
    }
    return mismatch;
}

static enum mismatch check_network_reply(const struct http_reply *reply, const struct subject *subject,
                                         unsigned *code) {
    struct json_member members[] = {{"CODE", {0}}, {"TEXT", {0}}, {"DATA", {0}}};
    bool json = json_members(reply->body, members, COUNT_OF(members));
    *code = json ? code_of(members[0].value) : CODE_MISSING;
    if (!reply->json) {
        return MISMATCH_TYPE;
    }
    if (*code == CODE_MISSING || !is_string(members[1].value)) {
        return MISMATCH_JSON;
    }
    if (*code != subject->step.code) {
        return MISMATCH_CODE;
    }
    return *code == 0 ? check_data(members[2].value, subject) : MISMATCH_NONE;
}

enum mismatch check_reply(const struct http_reply *reply, const struct subject *subject, unsigned *code) {
    bool notified = subject->operation == OPERATION_NOTIFY;
    enum mismatch mismatch = MISMATCH_NONE;
    *code = CODE_MISSING;
    if (!notified) {
        mismatch = check_network_reply(reply, subject, code);
    } else if (!text_equal(reply->body, TEXT("OK"))) {
        mismatch = MISMATCH_ACKNOWLEDGEMENT;
    }
    return reply->status == 200 ? mismatch : MISMATCH_STATUS;
}
