#include "domain/total.h"

#include "domain/currency.h"

#include <inttypes.h>

enum { UNITS_PER_WHOLE = 10000 };

void total_add(struct total *total, struct money amount) {
    uint64_t fraction = total->fraction + amount.units % UNITS_PER_WHOLE;
    uint64_t whole = amount.units / UNITS_PER_WHOLE + fraction / UNITS_PER_WHOLE;
    total->fraction = fraction % UNITS_PER_WHOLE;
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
