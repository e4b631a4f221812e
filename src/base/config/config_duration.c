#include "base/config/config_duration.h"

#include <inttypes.h>

static const struct {
    const char *suffix;
    duration unit;
} UNITS[] = {{"ms", MILLISECOND}, {"s", SECOND}, {"m", MINUTE}, {"h", HOUR}, {"d", DAY}, {"", SECOND}};

bool config_parse_duration(struct text value, duration *out) {
    size_t digits = 0;
    while (digits < value.size && text_is_digit(value.at[digits])) {
        digits++;
    }
    struct text unit = {value.at + digits, value.size - digits};
    uint64_t count;
    if (!text_to_number((struct text){value.at, digits}, &count) || count > INT64_MAX) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(UNITS); i++) {
        if (text_equal(unit, text_of(UNITS[i].suffix))) {
            return !__builtin_mul_overflow((int64_t)count, UNITS[i].unit, out);
        }
    }
    return false;
}

bool config_parse_schedule(struct text value, struct schedule *out) {
    out->count = 0;
    for (struct text word = text_next_word(&value); word.size > 0; word = text_next_word(&value)) {
        if (out->count == SCHEDULE_MAX || !config_parse_duration(word, &out->delays[out->count++])) {
            return false;
        }
    }
    return out->count > 0;
}

const char *config_print_duration(duration value, char *out, size_t size) {
    size_t largest = 0;
    for (size_t i = 1; i < COUNT_OF(UNITS) && UNITS[i].suffix[0] != '\0'; i++) {
        largest = value % UNITS[i].unit == 0 ? i : largest;
    }
    snprintf(out, size, "%" PRId64 "%s", value / UNITS[largest].unit, UNITS[largest].suffix);
    return out;
}

const char *config_print_schedule(const struct schedule *schedule, char *out, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        out[used] = ' ';
        used += i > 0;
        used += strlen(config_print_duration(schedule->delays[i], out + used, size - used));
    }
    return out;
}
