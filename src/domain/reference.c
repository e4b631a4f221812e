#include "domain/reference.h"

bool reference_is_valid(struct text reference) {
    return text_is_digits(reference) && reference.size >= 1 && reference.size <= REFERENCE_MAX;
}

bool reference_may_have(char c) {
    return text_is_letter_or_digit(c) || c == '-';
}

bool reference_is_payable(struct text reference) {
    for (size_t i = 0; i < reference.size; i++) {
        if (!reference_may_have(reference.at[i])) {
            return false;
        }
    }
    return reference.size >= 1 && reference.size <= REFERENCE_MAX;
}

/* Returns the sum of Luhn's method: from the end, every second digit counts twice, the last one once. */
static unsigned luhn_sum(const char *digits, size_t count) {
    unsigned sum = 0;
    for (size_t from_end = 0; from_end < count; from_end++) {
        unsigned digit = (unsigned)(digits[count - 1 - from_end] - '0');
        if (from_end % 2 == 1) {
            digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
        }
        sum += digit;
    }
    return sum;
}

void reference_assign(const unsigned char random[8], char out[REFERENCE_ASSIGNED + 1]) {
    uint64_t number;
    memcpy(&number, random, sizeof number);
    number = 1000000000000U + number % 9000000000000U;
    snprintf(out, REFERENCE_ASSIGNED + 1, "%013llu0", (unsigned long long)number);
    out[REFERENCE_ASSIGNED - 1] = (char)('0' + (10 - luhn_sum(out, REFERENCE_ASSIGNED) % 10) % 10);
}
