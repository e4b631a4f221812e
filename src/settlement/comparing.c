#include "settlement/comparing.h"

#include "base/zone/zone.h"
#include "domain/instant.h"

struct text day_print(struct arena *arena, instant local) {
    char text[INSTANT_TEXT_SIZE];
    return arena_copy(arena, instant_date(local, text));
}

static struct text day_of(const struct comparing *comparing, instant at) {
    instant local;
    return zone_to_local(comparing->zone, at, &local) ? day_print(comparing->arena, local) : TEXT("");
}

void comparing_take(const struct comparing *comparing, const struct operation *operation) {
    struct own_payment payment = {.id = operation->id,
                                  .transaction = operation->transaction,
                                  .amount = operation->amount,
                                  .currency = operation->currency,
                                  .day = day_of(comparing, operation->at)};
    payment.state = operation->kind == OPERATION_CANCELLED ? TEXT("CANCELADA") : TEXT("FINALIZADA");
    if (operation->kind != OPERATION_REFUNDED) {
        comparison_take(comparing->comparison, &payment);
    }
}

void comparing_answer(const struct comparing *comparing, const struct network_line *line,
                      const struct transaction_now *found) {
    struct own_payment payment = {found->id, found->network_transaction, found->state, found->amount, found->currency,
                                  TEXT("")};
    if (text_equal(found->state, TEXT("CANCELADA"))) {
        payment.day = day_of(comparing, found->cancelled_at);
    } else if (text_equal(found->state, TEXT("FINALIZADA"))) {
        payment.day = day_of(comparing, found->window_ends_at);
    }
    comparison_answer(comparing->comparison, line, &payment);
}
