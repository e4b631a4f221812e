#include "ctl/network/network_access.h"

#include "base/address.h"
#include "ctl/core/failure.h"

bool network_access_given(const struct context *context) {
    static const char *const OPTIONS[] = {"allow", "rate", "burst", "transaction-ids", "signature"};
    bool given = false;
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        given = given || arguments_has(&context->arguments, OPTIONS[i]);
    }
    return given;
}

static enum outcome read_range(const struct context *context, struct text word, struct address_range *out) {
    char printed[ADDRESS_RANGE_TEXT_SIZE];
    switch (address_range_parse(word, out)) {
    case ADDRESS_RANGE_FINE:
        return OUTCOME_DONE;
    case ADDRESS_RANGE_HAS_HOST_BITS:
        return refuse(context, "allow: %.*s has host bits set; did you mean %s?", TEXT_ARGS(word),
                      address_range_print(out, printed));
    case ADDRESS_RANGE_NONE:
        break;
    }
    return refuse(context, "allow: %.*s is not an address range such as 192.0.2.0/24, 192.0.2.7 or 2001:db8::/32",
                  TEXT_ARGS(word));
}

static bool has_option(const struct address_list *list, const struct address_range *range) {
    bool found = false;
    for (size_t i = 0; !found && i < list->count; i++) {
        found = memcmp(&list->ranges[i], range, sizeof *range) == 0;
    }
    return found;
}

/* Drops repeated ranges. */
static enum outcome read_ranges(const struct context *context, struct address_list *out) {
    size_t at = 0;
    struct text word;
    enum outcome outcome = OUTCOME_DONE;
    out->count = 0;
    while (outcome == OUTCOME_DONE && arguments_next(&context->arguments, "allow", &at, &word)) {
        struct address_range range;
        outcome = read_range(context, word, &range);
        if (outcome == OUTCOME_DONE && !has_option(out, &range)) {
            if (out->count == ADDRESS_RANGES_MAX) {
                return refuse(context, "allow: more than %d ranges", ADDRESS_RANGES_MAX);
            }
            out->ranges[out->count++] = range;
        }
    }
    return outcome;
}

static struct text print_ranges(const struct address_list *list, struct arena *arena) {
    struct text all = TEXT("");
    char printed[ADDRESS_RANGE_TEXT_SIZE];
    for (size_t i = 0; i < list->count; i++) {
        all = arena_print(arena, "%.*s%s%s", TEXT_ARGS(all), i > 0 ? " " : "",
                          address_range_print(&list->ranges[i], printed));
    }
    return all;
}

static enum outcome take_allow(const struct context *context, struct text *out) {
    struct address_list list;
    size_t at = 0, count = 0;
    bool none = false;
    struct text word;
    while (arguments_next(&context->arguments, "allow", &at, &word)) {
        none = none || text_equal(word, TEXT("none"));
        count++;
    }
    if (none && count > 1) {
        return misuse(context, "--allow none excludes other --allow options");
    }
    if (none) {
        *out = TEXT("");
        return OUTCOME_DONE;
    }
    enum outcome outcome = read_ranges(context, &list);
    if (outcome == OUTCOME_DONE) {
        *out = print_ranges(&list, context->arena);
    }
    return outcome;
}

/* Parses a rate. 0 and `none` mean no limit; the /s is optional. */
static bool read_rate(struct text word, uint64_t *out) {
    if (text_equal(word, TEXT("none"))) {
        *out = 0;
        return true;
    }
    if (word.size > 2 && memcmp(word.at + word.size - 2, "/s", 2) == 0) {
        word.size -= 2;
    }
    return text_to_number(word, out) && *out <= RATE_MOST;
}

static enum outcome take_rate(const struct context *context, struct rate *out) {
    const struct arguments *arguments = &context->arguments;
    bool has_burst = arguments_has(arguments, "burst");
    if (arguments_has(arguments, "rate")) {
        struct text word = arguments_get(arguments, "rate");
        if (!read_rate(word, &out->per_second)) {
            return refuse(context, "rate: %.*s must be none or a number of requests per second up to %d, such as 50/s",
                          TEXT_ARGS(word), RATE_MOST);
        }
        out->burst = out->per_second;
    }
    if (has_burst && out->per_second == 0) {
        return refuse(context, "burst: requires a rate");
    }
    if (has_burst) {
        struct text word = arguments_get(arguments, "burst");
        if (!text_to_number(word, &out->burst) || out->burst == 0 || out->burst > RATE_BURST_MOST) {
            return refuse(context, "burst: %.*s is not a number from 1 to %d", TEXT_ARGS(word), RATE_BURST_MOST);
        }
    }
    return OUTCOME_DONE;
}

static enum outcome take_signing(const struct context *context, struct network_signing *out) {
    const struct arguments *arguments = &context->arguments;
    if (arguments_has(arguments, "transaction-ids")) {
        struct text word = arguments_get(arguments, "transaction-ids");
        out->ids_are_distinct = text_equal(word, TEXT("distinct"));
        if (!out->ids_are_distinct && !text_equal(word, TEXT("any"))) {
            return misuse(context, "--transaction-ids is any or distinct");
        }
    }
    if (arguments_has(arguments, "signature") &&
        !signature_rule_parse(arguments_get(arguments, "signature"), &out->signature)) {
        return misuse(context, "--signature is off, accepted or required");
    }
    return OUTCOME_DONE;
}

enum outcome network_access_take(const struct context *context, struct network_access *out) {
    enum outcome outcome = OUTCOME_DONE;
    if (arguments_has(&context->arguments, "allow")) {
        outcome = take_allow(context, &out->allow);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = take_rate(context, &out->rate);
    }
    return outcome == OUTCOME_DONE ? take_signing(context, &out->signing) : outcome;
}

void network_access_describe(struct record *record, const struct network_description *network) {
    const struct network_access *access = &network->access;
    record_word_list(record, "allow", access->allow);
    record_number_or_nothing(record, "rate", access->rate.per_second);
    record_number_or_nothing(record, "burst", access->rate.burst);
    record_text(record, "transaction_ids", access->signing.ids_are_distinct ? TEXT("distinct") : TEXT("any"));
    record_instant(record, "plain_ids_until", network->plain_until);
    record_text(record, "signature", text_of(signature_rule_name(access->signing.signature)));
    record_instant(record, "unsigned_used_at", network->unsigned_used_at);
}
