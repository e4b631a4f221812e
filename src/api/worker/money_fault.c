#include "api/worker/money_fault.h"

#include "domain/currency.h"

static struct fault fault_in_field(const char *field, struct text problem) {
    return (struct fault){.field = field, .problem = problem.at};
}

struct fault money_fault_currency(struct text currency, struct arena *arena) {
    return fault_in_field("money", arena_print(arena, "must be %.*s", TEXT_ARGS(currency)));
}

struct fault money_fault_written(struct text written, struct text currency, struct arena *arena) {
    if (currency_allows(currency, written)) {
        return fault_in_field("amount", TEXT("must be more than 0"));
    }
    unsigned decimals = currency_decimals(currency);
    return fault_in_field(
        "amount", decimals == 0 ? arena_print(arena, "must have no decimals in %.*s, and no separator of thousands",
                                              TEXT_ARGS(currency))
                                : arena_print(arena, "may have %u decimals in %.*s, and no separator of thousands",
                                              decimals, TEXT_ARGS(currency)));
}

struct fault money_fault_range(struct text written, struct money least, struct money most, struct text currency,
                               struct arena *arena) {
    char from[MONEY_TEXT_SIZE], to[MONEY_TEXT_SIZE];
    if (!currency_allows(currency, written)) {
        return money_fault_written(written, currency, arena);
    }
    currency_print(currency, least, from);
    currency_print(currency, most, to);
    if (money_equal(least, most)) {
        return fault_in_field("amount", arena_print(arena, "must be %s", from));
    }
    return fault_in_field("amount", money_is_zero(least) ? arena_print(arena, "must be more than 0 and at most %s", to)
                                                         : arena_print(arena, "must be from %s to %s", from, to));
}

struct fault money_fault_order(struct text written, const struct order *order, struct arena *arena) {
    if (!money_is_zero(order->amount)) {
        return money_fault_range(written, order->amount, order->amount, order->currency, arena);
    }
    return order->has_limits ? money_fault_range(written, order->least, order->most, order->currency, arena)
                             : money_fault_written(written, order->currency, arena);
}
