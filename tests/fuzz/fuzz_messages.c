/* The bodies of networks and merchants: what is accepted is clean and within its form, what is refused says why, in
 * JSON. */
#include "domain/currency.h"
#include "fuzz.h"
#include "wire/json_check.h"
#include "wire/merchant/porder_messages.h"
#include "wire/messages.h"
#include "wire/reply.h"

#define TEXTS_IN(message) (sizeof(message) / sizeof(struct text))

static void check_refusal(enum refusal refusal, const struct fault *fault, struct arena *arena) {
    size_t members;
    struct fault mistake;
    assert(fault->field != NULL && fault->problem != NULL);
    struct reply reply = reply_refusal(refusal, fault, arena);
    assert(strcmp(reply.code, "0000") != 0 && json_check(reply.body, &members, &mistake) && members >= 2);
}

static void check_amount(struct text amount, struct text currency) {
    struct money money;
    assert(money_parse(amount, &money));
    assert(currency.size == 0 || currency_is_known(currency));
}

static void read_network(struct text body, struct arena *arena) {
    struct registration registration;
    struct confirmation confirmation;
    struct fault fault = {0};
    enum refusal refusal = messages_read_registration(body, arena, &registration, &fault);
    if (refusal == GRANTED) {
        fuzz_assert_clean(&registration.name, offsetof(struct registration, value) / sizeof(struct text));
        fuzz_assert_clean(&registration.given_names, 3);
        check_amount(registration.amount, registration.money);
    } else {
        check_refusal(refusal, &fault, arena);
    }
    fault = (struct fault){0};
    refusal = messages_read_confirmation(body, arena, &confirmation, &fault);
    if (refusal == GRANTED) {
        fuzz_assert_clean(&confirmation.name, 1);
        fuzz_assert_clean(&confirmation.transaction, 1);
        assert(confirmation.transaction.size > 0);
        assert(confirmation.confirm == text_equal(confirmation.confirm_text, TEXT("true")));
    } else {
        check_refusal(refusal, &fault, arena);
    }
}

static void read_merchant(struct text body, struct arena *arena) {
    struct porder_request request;
    struct porder_refund refund;
    struct fault fault = {0};
    instant day;
    enum refusal refusal = porder_messages_read(body, arena, &request, &fault);
    if (refusal == GRANTED) {
        fuzz_assert_clean((const struct text *)&request, TEXTS_IN(request));
        check_amount(request.amount, request.money);
        assert(porder_parse_expiration(request.expiration, &day));
    } else {
        check_refusal(refusal, &fault, arena);
    }
    fault = (struct fault){0};
    refusal = porder_messages_read_refund(TEXT("A-1"), body, arena, &refund, &fault);
    if (refusal == GRANTED) {
        fuzz_assert_clean((const struct text *)&refund, TEXTS_IN(refund));
        check_amount(refund.amount, TEXT(""));
        assert(text_equal(refund.order, TEXT("A-1")));
    } else {
        check_refusal(refusal, &fault, arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text body = {(const char *)data, size};
    read_network(body, arena);
    read_merchant(body, arena);
    arena_destroy(arena);
    return 0;
}
