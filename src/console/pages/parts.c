#include "console/pages/parts.h"

#include "base/zone/zone_day.h"
#include "console/pages/query_parts.h"
#include "domain/instant.h"
#include "store/console/notifications.h"
#include "store/console/parties.h"

#include <inttypes.h>

const struct part_state PART_ORDER_STATES[] = {
    {"PENDIENTE", TONE_WAITING, SAY_PENDIENTE}, {"APROBADA", TONE_GOOD, SAY_APROBADA},
    {"VENCIDA", TONE_OFF, SAY_VENCIDA},         {"CANCELADA", TONE_OFF, SAY_CANCELADA},
    {"ANULADA", TONE_BAD, SAY_ANULADA},         {"", TONE_PLAIN, SAY_NONE}};

const struct part_state PART_TRANSACTION_STATES[] = {{"REGISTRADA", TONE_PLAIN, SAY_REGISTRADA},
                                                     {"CONFIRMADA", TONE_WAITING, SAY_CONFIRMADA},
                                                     {"FINALIZADA", TONE_GOOD, SAY_FINALIZADA},
                                                     {"CANCELADA", TONE_OFF, SAY_CANCELADA},
                                                     {"", TONE_PLAIN, SAY_NONE}};

const struct part_state PART_NOTIFICATION_STATES[] = {
    {"pending", TONE_WAITING, SAY_NOTIFICATION_PENDING},  {"waiting", TONE_PLAIN, SAY_NOTIFICATION_WAITING},
    {"exhausted", TONE_BAD, SAY_NOTIFICATION_EXHAUSTED},  {"unaddressed", TONE_OFF, SAY_NOTIFICATION_UNADDRESSED},
    {"delivered", TONE_GOOD, SAY_NOTIFICATION_DELIVERED}, {"", TONE_PLAIN, SAY_NONE}};

const struct part_state PART_QUERY_OUTCOMES[] = {
    {"answered", TONE_GOOD, SAY_ANSWERED}, {"refused", TONE_BAD, SAY_REFUSED}, {"expired", TONE_BAD, SAY_OFFER_EXPIRED},
    {"invalid", TONE_BAD, SAY_INVALID},    {"silent", TONE_BAD, SAY_SILENT},   {"", TONE_PLAIN, SAY_NONE}};

const struct part_state PART_ORDER_ORIGINS[] = {{"registered", TONE_PLAIN, SAY_REGISTERED_ORDER},
                                                {"imported", TONE_PLAIN, SAY_IMPORTED_ORDER},
                                                {"external", TONE_PLAIN, SAY_EXTERNAL_ORDER},
                                                {"", TONE_PLAIN, SAY_NONE}};

static const struct part_state *find_state(const struct part_state *states, struct text state) {
    while (states->state[0] != '\0' && !text_equal(text_of(states->state), state)) {
        states++;
    }
    return states;
}

struct text part_state_word(const struct view *view, const struct part_state *states, struct text state) {
    const struct part_state *found = find_state(states, state);
    return found->word == SAY_NONE ? state : say(view, found->word);
}

void part_state(struct view *view, const struct part_state *states, struct text state) {
    put_state(view, find_state(states, state)->tone, part_state_word(view, states, state));
}

struct text part_reason(const struct view *view, struct text reason) {
    static const struct {
        const char *reason;
        enum say words;
    } REASONS[] = {
        {"acknowledged", SAY_REASON_ACKNOWLEDGED},
        {"status", SAY_REASON_STATUS},
        {"reply", SAY_REASON_REPLY},
        {"secret", SAY_REASON_SECRET},
        {"url", SAY_REASON_URL},
        {"dns", SAY_REASON_DNS},
        {"address", SAY_REASON_ADDRESS},
        {"connect", SAY_REASON_CONNECT},
        {"certificates", SAY_REASON_CERTIFICATES},
        {"tls", SAY_REASON_TLS},
        {"tls_expired", SAY_REASON_TLS_EXPIRED},
        {"tls_name", SAY_REASON_TLS_NAME},
        {"tls_authority", SAY_REASON_TLS_AUTHORITY},
        {"tls_version", SAY_REASON_TLS_VERSION},
        {"tls_absent", SAY_REASON_TLS_ABSENT},
        {"timeout", SAY_REASON_TIMEOUT},
        {"protocol", SAY_REASON_PROTOCOL},
        {"too_large", SAY_REASON_TOO_LARGE},
        {"files", SAY_REASON_FILES},
    };
    for (size_t i = 0; i < COUNT_OF(REASONS); i++) {
        if (text_equal(reason, text_of(REASONS[i].reason))) {
            return say(view, REASONS[i].words);
        }
    }
    return reason;
}

struct text part_number(const struct view *view, uint64_t number) {
    return arena_print(view->arena, "%" PRIu64, number);
}

struct text part_decimal(const struct view *view, struct text decimal) {
    const char *point = decimal.size == 0 ? NULL : memchr(decimal.at, '.', decimal.size);
    uint64_t whole;
    struct text digits = {decimal.at, point == NULL ? decimal.size : (size_t)(point - decimal.at)};
    if (!text_to_number(digits, &whole)) {
        return decimal;
    }
    struct text fraction = {decimal.at + digits.size, decimal.size - digits.size};
    return fraction.size == 0
               ? view_count(view, whole)
               : arena_print(view->arena, "%.*s%c%.*s", TEXT_ARGS(view_count(view, whole)),
                             view->language == ENGLISH ? '.' : ',', (int)fraction.size - 1, fraction.at + 1);
}

struct text part_milliseconds(const struct view *view, duration took) {
    return arena_print(view->arena, "%.*s ms", TEXT_ARGS(view_count(view, (uint64_t)(took / MILLISECOND))));
}

void part_order_link(struct view *view, uint64_t id, struct text text) {
    markup_fill(view->html, "<a href=\"/orders/{}\">{}</a>", part_number(view, id), text);
}

void part_action(struct view *view, const char *folder, uint64_t id, const char *verb, enum say label) {
    markup_fill(view->html, "<a class=\"button\" href=\"/{}/{}/{}\">{}</a> ", text_of(folder), part_number(view, id),
                text_of(verb), say(view, label));
}

void part_option(struct view *view, struct text value, struct text label, struct text chosen) {
    markup_fill(view->html, "<option value=\"{}\"", value);
    markup_add(view->html, text_equal(value, chosen) ? " selected" : "");
    markup_fill(view->html, ">{}</option>", label);
}

struct text part_order_amount(const struct view *view, struct money amount, struct text currency) {
    return money_is_zero(amount)
               ? arena_print(view->arena, "%.*s (%.*s)", TEXT_ARGS(say(view, SAY_OPEN_AMOUNT)), TEXT_ARGS(currency))
               : view_amount(view, amount, currency);
}

void part_amount_cell(struct view *view, struct money amount, struct text currency) {
    markup_fill(view->html, "<td class=\"number\">{}</td>", view_amount(view, amount, currency));
}

void part_moment_cell(struct view *view, instant at) {
    markup_add(view->html, "<td>");
    put_moment(view, at);
    markup_add(view->html, "</td>");
}

void part_text_cell(struct view *view, struct text text) {
    markup_fill(view->html, "<td><bdi>{}</bdi></td>", text);
}

void part_merchant_cell(struct view *view, struct text merchant) {
    if (view_reader(view).scope.everything) {
        part_text_cell(view, merchant);
    }
}

void part_moment_fact(struct view *view, enum say label, instant at) {
    if (at != 0) {
        markup_fill(view->html, "<div><dt>{}</dt><dd>", say(view, label));
        put_moment(view, at);
        markup_add(view->html, "</dd></div>\n");
    }
}

void part_query_row(struct view *view, const struct query_row *query) {
    const struct query_record *record = &query->record;
    markup_add(view->html, "<tr><th scope=\"row\">");
    put_moment(view, record->asked_at);
    markup_add(view->html, "</th>");
    part_text_cell(view, record->reference);
    part_text_cell(view, query->network);
    markup_add(view->html, "<td>");
    query_put_outcome(view, record);
    markup_fill(view->html, "</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>",
                record->http_status == 0 ? TEXT("–") : part_number(view, record->http_status),
                part_milliseconds(view, record->took));
    query_put_detail(view, query);
    markup_add(view->html, "</td></tr>\n");
}

bool part_id(const struct view *view, uint64_t *out) {
    return text_to_number(view->words[0], out) && *out <= INT64_MAX;
}

bool part_day(const struct view *view, struct text day, instant *begins, instant *ends) {
    instant midnight;
    return instant_parse_day(day, &midnight) && zone_day(view->zone, midnight, begins, ends) && *begins != *ends;
}

struct merchant_options {
    struct view *view;
    struct text chosen, last;
    size_t count;
};

static void add_merchant_option(void *context, uint64_t id, struct text name) {
    struct merchant_options *options = context;
    part_option(options->view, part_number(options->view, id), name, options->chosen);
    options->last = name;
    options->count++;
}

/* At most so many are offered; a merchant's own page leads to its lists too. */
enum { MERCHANTS_OFFERED = 600, MERCHANTS_READ = 200 };

enum status part_merchants(struct view *view, uint64_t chosen) {
    struct console_reader reader = view_reader(view);
    struct merchant_options options = {view, chosen == 0 ? TEXT("") : part_number(view, chosen), TEXT(""), 0};
    if (!reader.scope.everything) {
        return STATUS_OK;
    }
    markup_fill(view->html, "<label>{} <select name=\"merchant\">", say(view, SAY_MERCHANT));
    part_option(view, TEXT(""), say(view, SAY_ANY), options.chosen);
    enum status status = STATUS_OK;
    for (size_t before = 0, wanted = MERCHANTS_READ; status == STATUS_OK && wanted <= MERCHANTS_OFFERED;
         wanted += MERCHANTS_READ) {
        status = console_merchants_names(&reader, options.last, add_merchant_option, &options);
        if (options.count < before + MERCHANTS_READ) {
            break;
        }
        before = options.count;
    }
    markup_add(view->html, "</select></label>\n");
    return status;
}

enum part_endpoint part_endpoint(const struct console_merchant *merchant) {
    bool has_url = merchant->description.settings.notify_url.size > 0;
    return !has_url                        ? ENDPOINT_NONE
           : merchant->resting_until != 0  ? ENDPOINT_RESTS
           : merchant->failures > 0        ? ENDPOINT_FAILS
           : merchant->refusing_since != 0 ? ENDPOINT_REFUSES
           : merchant->has_retries         ? ENDPOINT_RETRIES
           : merchant->last_test_failed    ? ENDPOINT_TEST_FAILED
           : merchant->has_given_up        ? ENDPOINT_GAVE_UP
           : merchant->is_acknowledged     ? ENDPOINT_WELL
                                           : ENDPOINT_UNKNOWN;
}

enum status part_given_up(struct view *view, uint64_t merchant_id) {
    const struct console_reader reader = view_reader(view);
    uint64_t count;
    enum status status = console_notifications_given_up(&reader, merchant_id, &count);
    if (status == STATUS_OK && count > 0) {
        bool is_own = view->user->role == ROLE_MERCHANT;
        enum say said = count == 1 ? (is_own ? SAY_OWN_ONE_GIVEN_UP : SAY_ONE_GIVEN_UP)
                                   : (is_own ? SAY_OWN_SEVERAL_GIVEN_UP : SAY_SEVERAL_GIVEN_UP);
        markup_fill(view->html,
                    "<p class=\"note bad\"><strong>{}{} {}</strong> "
                    "<a href=\"/notifications?state=exhausted&amp;merchant={}\">{}</a></p>\n",
                    count == CONSOLE_GIVEN_UP_MAX ? TEXT("≥ ") : TEXT(""), view_count(view, count), say(view, said),
                    part_number(view, merchant_id), say(view, SAY_SEE_GIVEN_UP));
    }
    return status;
}

instant part_endpoint_since(const struct console_merchant *merchant) {
    return merchant->failing_since != 0 ? merchant->failing_since : merchant->refusing_since;
}
