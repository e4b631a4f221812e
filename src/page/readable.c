#include "page/readable.h"

#include "domain/currency.h"
#include "domain/instant.h"

#define NO_BREAK_SPACE "\u00A0"

enum { GROUPED_SIZE = MONEY_TEXT_SIZE * 2, DIGITS_PER_THOUSAND = 3, GROUP_MAX = 4 };

/* Currencies of Spanish-speaking countries that write a decimal point. */
static const char *const WITH_POINT[] = {"DOP", "GTQ", "HNL", "MXN", "NIO", "PAB", "PEN", "SVC"};

static bool has_point(struct text currency, enum language language) {
    return language == ENGLISH || text_place_in(currency, WITH_POINT, COUNT_OF(WITH_POINT)) < COUNT_OF(WITH_POINT);
}

/* Writes a number like 45000.00 with separators. */
static void group_digits(const char *plain, bool point, char out[GROUPED_SIZE]) {
    size_t whole = strcspn(plain, "."), used = 0;
    for (size_t i = 0; plain[i] != '\0'; i++) {
        if (i > 0 && i < whole && (whole - i) % DIGITS_PER_THOUSAND == 0) {
            out[used++] = point ? ',' : '.';
        }
        out[used++] = plain[i] != '.' ? plain[i] : point ? '.' : ',';
    }
    out[used] = '\0';
}

struct text readable_amount(struct money amount, struct text currency, enum language language, struct arena *arena) {
    char plain[MONEY_TEXT_SIZE], grouped[GROUPED_SIZE];
    group_digits(currency_print(currency, amount, plain), has_point(currency, language), grouped);
    if (language == ENGLISH) {
        return arena_print(arena, "%.*s" NO_BREAK_SPACE "%s", TEXT_ARGS(currency), grouped);
    }
    return arena_print(arena, "%s" NO_BREAK_SPACE "%.*s", grouped, TEXT_ARGS(currency));
}

static struct text place(uint64_t country, struct text time_zone, enum language language, struct arena *arena) {
    const char *name = wording_country(country, language);
    if (name == NULL) {
        return time_zone;
    }
    return language == ENGLISH ? arena_print(arena, "%s time", name) : arena_print(arena, "hora de %s", name);
}

struct text readable_moment(instant local, uint64_t country, struct text time_zone, enum language language,
                            struct arena *arena) {
    struct civil c = instant_to_civil(local);
    const char *month = wording_in(language)->months[c.month - 1];
    struct text where = place(country, time_zone, language, arena);
    if (language == ENGLISH) {
        return arena_print(arena, "%u %s %u, %02u:%02u (%.*s)", c.day, month, c.year, c.hour, c.minute,
                           TEXT_ARGS(where));
    }
    return arena_print(arena, "%u de %s de %u, %02u:%02u (%.*s)", c.day, month, c.year, c.hour, c.minute,
                       TEXT_ARGS(where));
}

size_t readable_group_count(struct text reference) {
    return (reference.size + GROUP_MAX - 1) / GROUP_MAX;
}

/* Sizes differ by at most one; the larger groups come first. */
struct text readable_group(struct text reference, size_t number) {
    size_t groups = readable_group_count(reference);
    size_t size = reference.size / groups, larger = reference.size % groups;
    size_t from = number * size + (number < larger ? number : larger);
    return (struct text){reference.at + from, size + (number < larger ? 1 : 0)};
}
