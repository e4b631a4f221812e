#include "ctl/common/catalogue.h"

#include "ctl/core/failure.h"
#include "store/party/countries.h"

struct currency_reading {
    struct arena *arena;
    struct currency_choice *out;
};

static struct text append_to_words(struct arena *arena, struct text words, struct text more) {
    return arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(words), words.size == 0 ? "" : ", ", TEXT_ARGS(more));
}

static void note_currency(void *context, const struct currency_row *currency) {
    struct currency_reading *reading = context;
    if (reading->out->count < CURRENCIES_MAX) {
        reading->out->codes[reading->out->count++] = currency->code;
        reading->out->words = append_to_words(reading->arena, reading->out->words, currency->code);
    }
}

enum outcome catalogue_currencies(const struct context *context, struct currency_choice *out) {
    struct currency_reading reading = {context->arena, out};
    out->count = 0;
    out->words = TEXT("");
    enum status status = currencies_list(context->connection, context->arena, note_currency, &reading);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the currencies");
}

bool catalogue_has_currency(const struct currency_choice *choice, struct text code) {
    for (size_t i = 0; i < choice->count; i++) {
        if (text_equal(choice->codes[i], code)) {
            return true;
        }
    }
    return false;
}

struct currency_finding {
    struct arena *arena;
    struct text wanted;
    bool found;
    struct currency_row *out;
    struct text words;
};

static void look_at_currency(void *context, const struct currency_row *currency) {
    struct currency_finding *finding = context;
    finding->words = append_to_words(finding->arena, finding->words, currency->code);
    if (text_equal(currency->code, finding->wanted)) {
        finding->found = true;
        *finding->out = *currency;
    }
}

enum outcome catalogue_currency(const struct context *context, struct text code, struct currency_row *out) {
    struct currency_finding finding = {context->arena, code, false, out, TEXT("")};
    enum status status = currencies_list(context->connection, context->arena, look_at_currency, &finding);
    if (status != STATUS_OK) {
        return fail(context, status, "read the currencies");
    }
    return finding.found ? OUTCOME_DONE
                         : refuse(context, "currency: there is no currency %.*s; there are %.*s", TEXT_ARGS(code),
                                  TEXT_ARGS(finding.words));
}

struct country_reading {
    struct arena *arena;
    uint64_t wanted;
    bool found;
    struct text words;
};

static void note_country(void *context, const struct country_row *country) {
    struct country_reading *reading = context;
    struct text words =
        arena_print(reading->arena, "%llu %.*s", (unsigned long long)country->code, TEXT_ARGS(country->name));
    reading->found = reading->found || country->code == reading->wanted;
    reading->words = append_to_words(reading->arena, reading->words, words);
}

enum outcome catalogue_country(const struct context *context, struct text digits, uint64_t *out) {
    struct country_reading reading = {.arena = context->arena, .words = TEXT("")};
    bool is_number = text_to_number(digits, &reading.wanted);
    enum status status = countries_list(context->connection, context->arena, note_country, &reading);
    if (status != STATUS_OK) {
        return fail(context, status, "read the countries");
    }
    if (!is_number || !reading.found) {
        return refuse(context, "country: there is no country %.*s; there are %.*s", TEXT_ARGS(digits),
                      TEXT_ARGS(reading.words));
    }
    *out = reading.wanted;
    return OUTCOME_DONE;
}

enum outcome catalogue_merchant(const struct context *context, struct text name, struct merchant_description *out) {
    enum status status = merchants_describe(context->connection, name, context->arena, out);
    if (status == STATUS_NONE) {
        return refuse(context, "there is no merchant %.*s (see recaudoctl merchant list)", TEXT_ARGS(name));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the merchant");
}

enum outcome catalogue_network(const struct context *context, struct text name, struct network_description *out) {
    enum status status = networks_describe(context->connection, name, context->arena, out);
    if (status == STATUS_NONE) {
        return refuse(context, "there is no network %.*s (see recaudoctl network list)", TEXT_ARGS(name));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the network");
}

enum outcome catalogue_merchant_option(const struct context *context, uint64_t *id) {
    struct merchant_description merchant = {.id = 0};
    enum outcome outcome = OUTCOME_DONE;
    if (arguments_has(&context->arguments, "merchant")) {
        outcome = catalogue_merchant(context, arguments_get(&context->arguments, "merchant"), &merchant);
    }
    *id = outcome == OUTCOME_DONE ? merchant.id : 0;
    return outcome;
}

enum outcome catalogue_network_option(const struct context *context, uint64_t *id) {
    struct network_description network = {.id = 0};
    enum outcome outcome = OUTCOME_DONE;
    if (arguments_has(&context->arguments, "network")) {
        outcome = catalogue_network(context, arguments_get(&context->arguments, "network"), &network);
    }
    *id = outcome == OUTCOME_DONE ? network.id : 0;
    return outcome;
}
