#include "domain/instant.h"

enum { DATE_SIZE = sizeof "2026-11-21" - 1 };

static const unsigned DAYS_BEFORE_MONTH[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
static const unsigned DAYS_IN_MONTH[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

static bool is_leap(unsigned year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_in_month(unsigned year, unsigned month) {
    return DAYS_IN_MONTH[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Returns the days from 0001-01-01 to the first of January of the year. */
static int64_t days_before_year(unsigned year) {
    int64_t past = (int64_t)year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

bool instant_of_civil(const struct civil *c, instant *out) {
    if (c->year < 1970 || c->year > 9999 || c->month < 1 || c->month > 12 || c->day < 1 ||
        c->day > days_in_month(c->year, c->month) || c->hour > 23 || c->minute > 59 || c->second > 59 ||
        c->microsecond > 999999) {
        return false;
    }
    int64_t days = days_before_year(c->year) - days_before_year(1970) + DAYS_BEFORE_MONTH[c->month - 1] +
                   (c->month > 2 && is_leap(c->year) ? 1 : 0) + c->day - 1;
    *out = days * DAY + c->hour * HOUR + c->minute * MINUTE + c->second * SECOND + c->microsecond;
    return true;
}

struct civil instant_to_civil(instant at) {
    int64_t rest = (at % DAY + DAY) % DAY;
    int64_t days = (at - rest) / DAY;
    unsigned year =
        (unsigned)(days < 0 ? 1969 + days / 365 : 1970 + days / 366); /* the year sought, or an earlier one */
    while (days_before_year(year + 1) - days_before_year(1970) <= days) {
        year++;
    }
    unsigned day = (unsigned)(days - (days_before_year(year) - days_before_year(1970)));
    unsigned month = 1;
    while (day >= days_in_month(year, month)) {
        day -= days_in_month(year, month++);
    }
    return (struct civil){.year = year,
                          .month = month,
                          .day = day + 1,
                          .hour = (unsigned)(rest / HOUR),
                          .minute = (unsigned)(rest % HOUR / MINUTE),
                          .second = (unsigned)(rest % MINUTE / SECOND),
                          .microsecond = (unsigned)(rest % SECOND)};
}

const char *instant_print(instant at, char out[INSTANT_TEXT_SIZE]) {
    struct civil c = instant_to_civil(at);
    snprintf(out, INSTANT_TEXT_SIZE, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ", c.year % 10000, c.month % 100, c.day % 100,
             c.hour % 100, c.minute % 100, c.second % 100, c.microsecond % 1000000);
    return out;
}

struct text instant_date(instant at, char out[INSTANT_TEXT_SIZE]) {
    return (struct text){instant_print(at, out), DATE_SIZE};
}

static bool parse_digits(struct text *rest, size_t count, unsigned *out) {
    uint64_t value;
    if (rest->size < count || !text_to_number((struct text){rest->at, count}, &value)) {
        return false;
    }
    *out = (unsigned)value;
    rest->at += count;
    rest->size -= count;
    return true;
}

static bool parse_one_of(struct text *rest, const char *allowed) {
    if (rest->size == 0 || strchr(allowed, rest->at[0]) == NULL || rest->at[0] == '\0') {
        return false;
    }
    rest->at++;
    rest->size--;
    return true;
}

static bool parse_fraction(struct text *rest, unsigned *microsecond) {
    size_t digits = 0;
    *microsecond = 0;
    if (!parse_one_of(rest, ".")) {
        return true;
    }
    while (digits < rest->size && text_is_digit(rest->at[digits])) {
        digits++;
    }
    if (digits < 1 || digits > 6 || !parse_digits(rest, digits, microsecond)) {
        return false;
    }
    for (; digits < 6; digits++) {
        *microsecond *= 10;
    }
    return true;
}

static bool parse_iso(struct text text, instant *out) {
    struct civil c = {0};
    return parse_digits(&text, 4, &c.year) && parse_one_of(&text, "-") && parse_digits(&text, 2, &c.month) &&
           parse_one_of(&text, "-") && parse_digits(&text, 2, &c.day) && parse_one_of(&text, "T ") &&
           parse_digits(&text, 2, &c.hour) && parse_one_of(&text, ":") && parse_digits(&text, 2, &c.minute) &&
           parse_one_of(&text, ":") && parse_digits(&text, 2, &c.second) && parse_fraction(&text, &c.microsecond) &&
           parse_one_of(&text, "Z") && text.size == 0 && instant_of_civil(&c, out);
}

bool instant_parse(struct text text, instant *out) {
    uint64_t seconds;
    if (text.size <= 10 && text_to_number(text, &seconds)) {
        *out = (int64_t)seconds * SECOND;
        return true;
    }
    return parse_iso(text, out);
}

bool instant_parse_day(struct text date, instant *midnight) {
    char text[] = "YYYY-MM-DDT00:00:00Z";
    if (date.size != DATE_SIZE) {
        return false;
    }
    memcpy(text, date.at, date.size);
    return instant_parse(text_of(text), midnight);
}
