#include "domain/total.h"

#include "domain/currency.h"

#include <inttypes.h>

void total_add(struct total *total, struct money amount) {
    uint64_t fraction = total->fraction + amount.units % MONEY_UNITS_PER_WHOLE;
    uint64_t whole = amount.units / MONEY_UNITS_PER_WHOLE + fraction / MONEY_UNITS_PER_WHOLE;
    total->fraction = fraction % MONEY_UNITS_PER_WHOLE;
    if (__builtin_add_overflow(total->whole, whole, &total->whole)) {
        abort();
    }
}

const char *total_print(const struct total *total, struct text currency, char out[TOTAL_TEXT_SIZE]) {
    char fraction[MONEY_TEXT_SIZE]; /* such as "0" or "0.50" */
    currency_print(currency, (struct money){total->fraction}, fraction);
    snprintf(out, TOTAL_TEXT_SIZE, "%" PRIu64 "%.6s", total->whole, fraction + 1);
    return out;
}
