#include "domain/money.h"

#include <inttypes.h>

enum { WHOLE_DIGITS_MAX = 15 };

static const uint64_t POWERS[MONEY_DECIMALS + 1] = {1, 10, 100, 1000, 10000};

static size_t count_digits(struct text text, size_t from) {
    size_t at = from;
    while (at < text.size && text_is_digit(text.at[at])) {
        at++;
    }
    return at - from;
}

bool money_parse(struct text text, struct money *out) {
    size_t whole = count_digits(text, 0);
    size_t decimals = 0;
    if (whole < 1 || whole > WHOLE_DIGITS_MAX) {
        return false;
    }
    if (whole < text.size) {
        decimals = count_digits(text, whole + 1);
        if (text.at[whole] != '.' || decimals < 1 || decimals > MONEY_DECIMALS || whole + 1 + decimals != text.size) {
            return false;
        }
    }
    uint64_t units = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (i != whole) {
            units = units * 10 + (uint64_t)(text.at[i] - '0');
        }
    }
    out->units = units * POWERS[MONEY_DECIMALS - decimals];
    return true;
}

bool money_is_valid(struct text text) {
    struct money amount;
    return money_parse(text, &amount);
}

bool money_fits(struct money amount, unsigned minor_unit) {
    return minor_unit >= MONEY_DECIMALS || amount.units % POWERS[MONEY_DECIMALS - minor_unit] == 0;
}

const char *money_print(struct money amount, unsigned decimals, char out[MONEY_TEXT_SIZE]) {
    while (!money_fits(amount, decimals)) {
        decimals++;
    }
    uint64_t whole = amount.units / MONEY_UNITS_PER_WHOLE;
    if (decimals == 0) {
        snprintf(out, MONEY_TEXT_SIZE, "%" PRIu64, whole);
    } else {
        uint64_t fraction = amount.units % MONEY_UNITS_PER_WHOLE / POWERS[MONEY_DECIMALS - decimals];
        snprintf(out, MONEY_TEXT_SIZE, "%" PRIu64 ".%0*" PRIu64, whole, (int)decimals, fraction);
    }
    return out;
}

uint64_t money_percent(struct money part, struct money whole) {
    if (whole.units == 0) {
        return 100;
    }
    uint64_t wholes = part.units / whole.units, rest = part.units % whole.units, missing = whole.units - rest, sum = 0;
    if (wholes >= UINT64_MAX / 100) {
        return UINT64_MAX;
    }
    uint64_t percent = wholes * 100;
    /* Computes 100 * rest / whole in steps, because the product of large amounts overflows. */
    for (int i = 0; i < 100; i++) {
        percent += sum >= missing;
        sum = sum >= missing ? sum - missing : sum + rest;
    }
    return percent;
}
