#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "console/pages/query_parts.h"
#include "domain/currency.h"
#include "store/console/notifications.h"
#include "store/console/parties.h"
#include "store/external/integrations.h"
#include "store/order/references.h"
#include "store/party/currencies.h"

/* Rows of a list page of parties; the next page begins behind the last name. */
struct party_list {
    struct view *view;
    struct text last;
    size_t count;
};

enum { PARTIES_PER_PAGE = 200 };

static void put_enabled(struct view *view, bool enabled) {
    put_state(view, enabled ? TONE_GOOD : TONE_OFF, say(view, enabled ? SAY_ENABLED : SAY_DISABLED));
}

/* To the page that enables or disables it. */
static void put_enabling(struct view *view, const char *folder, uint64_t id, bool enabled) {
    part_action(view, folder, id, enabled ? "disable" : "enable", enabled ? SAY_DISABLE : SAY_ENABLE);
}

static void put_endpoint_state(struct view *view, const struct console_merchant *merchant) {
    static const struct {
        enum say word;
        enum tone tone;
    } STATES[] = {[ENDPOINT_NONE] = {SAY_ENDPOINT_NONE, TONE_OFF},
                  [ENDPOINT_RESTS] = {SAY_ENDPOINT_RESTS, TONE_BAD},
                  [ENDPOINT_FAILS] = {SAY_ENDPOINT_FAILS, TONE_WAITING},
                  [ENDPOINT_REFUSES] = {SAY_ENDPOINT_REFUSES, TONE_BAD},
                  [ENDPOINT_RETRIES] = {SAY_ENDPOINT_RETRIES, TONE_WAITING},
                  [ENDPOINT_TEST_FAILED] = {SAY_ENDPOINT_TEST_FAILED, TONE_BAD},
                  [ENDPOINT_GAVE_UP] = {SAY_ENDPOINT_GAVE_UP, TONE_BAD},
                  [ENDPOINT_UNKNOWN] = {SAY_ENDPOINT_UNKNOWN, TONE_OFF},
                  [ENDPOINT_WELL] = {SAY_ENDPOINT_WELL, TONE_GOOD}};
    enum part_endpoint state = part_endpoint(merchant);
    put_state(view, STATES[state].tone, say(view, STATES[state].word));
}

static void put_merchant_row(void *context, const struct console_merchant *merchant) {
    struct party_list *list = context;
    struct view *view = list->view;
    const struct merchant_description *description = &merchant->description;
    markup_fill(view->html, "<tr><th scope=\"row\"><a href=\"/merchants/{}\">{}</a></th>",
                part_number(view, description->id), description->name);
    part_text_cell(view, description->settings.commerce);
    markup_add(view->html, "<td>");
    put_enabled(view, description->enabled);
    markup_add(view->html, "</td><td>");
    put_endpoint_state(view, merchant);
    markup_add(view->html, "</td>");
    part_moment_cell(view, part_endpoint_since(merchant));
    markup_add(view->html, "</tr>\n");
    list->last = description->name;
    list->count++;
}

static void put_next_parties(struct view *view, const struct party_list *list, const char *path) {
    if (list->count == PARTIES_PER_PAGE) {
        markup_fill(view->html,
                    "<form class=\"pages\" method=\"get\" action=\"{}\"><input type=\"hidden\" name=\"after\" "
                    "value=\"{}\"><button>{}</button></form>\n",
                    text_of(path), list->last, say(view, SAY_MORE));
    }
}

enum status page_merchants(struct view *view) {
    static const enum say COLUMNS[] = {SAY_MERCHANT, SAY_COMMERCE,      SAY_STATE,
                                       SAY_ENDPOINT, SAY_FAILING_SINCE, SAY_NONE};
    struct console_reader reader = view_reader(view);
    struct party_list list = {view, TEXT(""), 0};
    view->title = say(view, SAY_MERCHANTS);
    put_table(view, SAY_MERCHANTS, COLUMNS);
    enum status status =
        console_merchants_list(&reader, request_query(view->request, "after", view->arena), put_merchant_row, &list);
    put_table_end(view);
    put_next_parties(view, &list, "/merchants");
    return status;
}

static void put_network_row(void *context, const struct network_description *network) {
    struct party_list *list = context;
    struct view *view = list->view;
    markup_fill(view->html, "<tr><th scope=\"row\"><a href=\"/networks/{}\">{}</a></th><td>",
                part_number(view, network->id), network->name);
    put_enabled(view, network->enabled);
    markup_fill(view->html, "</td><td>{}</td>", text_of(signature_rule_name(network->access.signing.signature)));
    part_moment_cell(view, network->changed_at);
    markup_add(view->html, "</tr>\n");
    list->last = network->name;
    list->count++;
}

enum status page_networks(struct view *view) {
    static const enum say COLUMNS[] = {SAY_NETWORK, SAY_STATE, SAY_SIGNATURE, SAY_CHANGED, SAY_NONE};
    struct console_reader reader = view_reader(view);
    struct party_list list = {view, TEXT(""), 0};
    view->title = say(view, SAY_NETWORKS);
    put_table(view, SAY_NETWORKS, COLUMNS);
    enum status status =
        console_networks_list(&reader, request_query(view->request, "after", view->arena), put_network_row, &list);
    put_table_end(view);
    put_next_parties(view, &list, "/networks");
    return status;
}

/* Links to the party's rows. */
static void put_lists_of(struct view *view, const char *parameter, struct text value) {
    struct text name = text_of(parameter);
    bool is_merchant = text_equal(name, TEXT("merchant"));
    markup_add(view->html, "<p class=\"actions\">");
    if (is_merchant) {
        markup_fill(view->html, "<a class=\"button\" href=\"/orders?merchant={}\">{}</a> ", value,
                    say(view, SAY_ORDERS));
        markup_fill(view->html, "<a class=\"button\" href=\"/notifications?merchant={}\">{}</a> ", value,
                    say(view, SAY_NOTIFICATIONS));
        markup_fill(view->html, "<a class=\"button\" href=\"/transactions?merchant={}\">{}</a> ", value,
                    say(view, SAY_TRANSACTIONS));
    }
    markup_fill(view->html, "<a class=\"button\" href=\"/settlement?{}={}\">{}</a> ", name, value,
                say(view, SAY_SETTLEMENT));
    markup_fill(view->html, "<a class=\"button\" href=\"/log?subject={}&amp;id={}\">{}</a></p>\n", name, value,
                say(view, SAY_LOG));
}

static void put_actions(struct view *view, const char *folder, uint64_t id, bool enabled) {
    if (view_may_operate(view)) {
        markup_add(view->html, "<p class=\"actions\">");
        put_enabling(view, folder, id, enabled);
        markup_add(view->html, "</p>\n");
    }
}

static void put_old_secret(struct view *view, instant until, instant used_at) {
    if (until != 0) {
        part_moment_fact(view, SAY_OLD_SECRET_UNTIL, until);
        part_moment_fact(view, SAY_OLD_SECRET_USED, used_at);
    }
}

static void put_merchant_facts(struct view *view, const struct console_merchant *merchant, struct text prefixes) {
    const struct merchant_description *description = &merchant->description;
    markup_fill(view->html, "<section><h2>{}</h2>\n<p>", say(view, SAY_SETTINGS));
    put_enabled(view, description->enabled);
    markup_add(view->html, "</p>\n<dl class=\"facts\">\n");
    put_fact(view, SAY_COMMERCE, description->settings.commerce);
    put_fact(view, SAY_COUNTRY, part_number(view, description->settings.country));
    put_fact(view, SAY_CURRENCY, merchant->currency);
    put_fact(view, SAY_TIME_ZONE, merchant->time_zone);
    put_fact(view, SAY_DIGEST, description->settings.notify_digest);
    put_fact(view, SAY_ACKNOWLEDGEMENT, description->settings.acknowledgement);
    put_fact(view, SAY_PREFIXES, prefixes);
    put_fact(view, SAY_QUARANTINE, part_number(view, (uint64_t)(description->reference_quarantine / DAY)));
    put_old_secret(view, description->old_hash_until, description->old_hash_used_at);
    part_moment_fact(view, SAY_OLD_NOTIFICATION_SECRET_UNTIL, description->old_notification_hash_until);
    part_moment_fact(view, SAY_CHANGED, description->changed_at);
    put_fact(view, SAY_CHANGED_BY, view_actor(view, description->changed_by));
    markup_add(view->html, "</dl></section>\n");
}

static void put_endpoint(struct view *view, const struct console_merchant *merchant) {
    markup_fill(view->html, "<section><h2>{} ", say(view, SAY_ENDPOINT));
    put_endpoint_state(view, merchant);
    markup_add(view->html, "</h2>\n<dl class=\"facts\">\n");
    put_fact(view, SAY_URL, merchant->description.settings.notify_url);
    if (merchant->failures > 0) {
        put_fact(view, SAY_FAILURES, view_count(view, merchant->failures));
    }
    part_moment_fact(view, SAY_FAILING_SINCE, part_endpoint_since(merchant));
    part_moment_fact(view, SAY_RESTING_UNTIL, merchant->resting_until);
    markup_add(view->html, "</dl>\n");
    if (view_may_support(view) || view->user->role == ROLE_MERCHANT) {
        markup_add(view->html, "<p class=\"actions\">");
        part_action(view, "merchants", merchant->description.id, "test", SAY_TEST_TITLE);
        markup_add(view->html, "</p>\n");
    }
    markup_add(view->html, "</section>\n");
}

static void put_endpoint_attempt(void *context, const struct attempt_row *attempt) {
    struct view *view = context;
    bool acknowledged = text_equal(attempt->reason, TEXT("acknowledged"));
    markup_add(view->html, "<tr><th scope=\"row\">");
    put_moment(view, attempt->started_at);
    markup_fill(view->html, "</th><td><a href=\"/notifications/{}\">{}</a></td><td>",
                part_number(view, attempt->notification_id), part_number(view, attempt->notification_id));
    put_state(view, acknowledged ? TONE_GOOD : TONE_BAD, part_reason(view, attempt->reason));
    markup_fill(view->html, "</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                attempt->http_status == 0 ? TEXT("–") : part_number(view, attempt->http_status),
                part_milliseconds(view, attempt->took));
}

static enum status put_endpoint_attempts(struct view *view, const struct console_reader *reader, uint64_t id) {
    static const enum say COLUMNS[] = {SAY_SENT_AT, SAY_NOTIFICATION, SAY_VERDICT, SAY_HTTP_STATUS, SAY_TOOK, SAY_NONE};
    put_table(view, SAY_LAST_ATTEMPTS, COLUMNS);
    enum status status = console_attempts_of_merchant(reader, id, put_endpoint_attempt, view);
    put_table_end(view);
    return status;
}

static void put_integration(void *context, const struct integration_row *row) {
    struct view *view = context;
    markup_fill(view->html, "<tr><th scope=\"row\">{}</th>", row->code);
    part_text_cell(view, row->network);
    markup_fill(view->html, "<td><code>{}</code></td><td>{}</td>", row->endpoint, row->currency);
    part_moment_cell(view, row->created_at);
    markup_add(view->html, "<td>");
    put_enabled(view, row->removed_at == 0);
    markup_add(view->html, " ");
    if (view_may_operate(view)) {
        put_enabling(view, "integrations", row->id, row->removed_at == 0);
    }
    markup_add(view->html, "</td></tr>\n");
}

static void put_query(void *context, const struct query_row *query) {
    part_query_row(context, query);
}

static enum status put_integrations(struct view *view, const struct console_reader *reader, uint64_t id) {
    static const enum say COLUMNS[] = {SAY_CODE, SAY_NETWORK, SAY_URL, SAY_CURRENCY, SAY_CREATED, SAY_STATE, SAY_NONE};
    static const enum say QUERY_COLUMNS[] = {SAY_ASKED_AT,    SAY_REFERENCE, SAY_NETWORK, SAY_OUTCOME,
                                             SAY_HTTP_STATUS, SAY_TOOK,      SAY_DETAIL,  SAY_NONE};
    const struct integration_filter filter = {.merchant_id = id, .removed_too = view_may_operate(view)};
    put_table(view, SAY_INTEGRATIONS, COLUMNS);
    enum status status = integrations_list(reader->connection, &filter, reader->arena, put_integration, view);
    put_table_end(view);
    if (status == STATUS_OK) {
        put_table(view, SAY_QUERIES, QUERY_COLUMNS);
        status = console_queries_of_merchant(reader, id, put_query, view);
        put_table_end(view);
    }
    return status;
}

enum status page_merchant(struct view *view) {
    uint64_t id;
    struct console_merchant merchant;
    struct console_reader reader = view_reader(view);
    enum status status = part_id(view, &id) ? console_merchants_find(&reader, id, &merchant) : STATUS_NONE;
    if (status != STATUS_OK) {
        return status;
    }
    struct failed_integrations failed;
    status = query_read_failed_of(view, id, &failed);
    if (status != STATUS_OK) {
        return status;
    }
    struct text prefixes;
    status = references_prefixes_of(reader.connection, id, reader.arena, &prefixes);
    if (status != STATUS_OK) {
        return status;
    }
    view->title = merchant.description.name;
    put_lists_of(view, "merchant", part_number(view, id));
    put_actions(view, "merchants", id, merchant.description.enabled);
    status = part_given_up(view, id);
    query_put_failed_notes(view, &failed);
    put_endpoint(view, &merchant);
    put_merchant_facts(view, &merchant, prefixes);
    status = status == STATUS_OK ? put_endpoint_attempts(view, &reader, id) : status;
    return status == STATUS_OK ? put_integrations(view, &reader, id) : status;
}

/* The limits of a network, and what its form for them begins with: those of one currency, if the address names it. */
struct limits_part {
    struct view *view;
    uint64_t network_id;
    struct text currency, day, outstanding; /* of the form */
    bool is_offered;                        /* the currency is among those of the form */
};

/* A limit and what of it is used. */
static void put_bound(struct view *view, const struct money_bound *bound, struct text currency) {
    if (!bound->is_set) {
        markup_fill(view->html, "<td class=\"number\">{}</td><td class=\"number\">–</td>", say(view, SAY_NO_LIMIT));
        return;
    }
    part_amount_cell(view, bound->most, currency);
    part_amount_cell(view, bound->used, currency);
}

static struct text write_bound(const struct view *view, const struct money_bound *bound, struct text currency) {
    char written[MONEY_TEXT_SIZE];
    return bound->is_set ? arena_copy(view->arena, text_of(currency_print(currency, bound->most, written))) : TEXT("");
}

/* Whoever may change them is led to the form with what they are. */
static void put_limit(void *context, const struct money_limit *limit) {
    struct limits_part *part = context;
    struct view *view = part->view;
    if (view_may_operate(view)) {
        markup_fill(view->html, "<tr><th scope=\"row\"><a href=\"/networks/{}?currency={}#limits\">{}</a></th>",
                    part_number(view, part->network_id), limit->currency, limit->currency);
    } else {
        markup_fill(view->html, "<tr><th scope=\"row\">{}</th>", limit->currency);
    }
    put_bound(view, &limit->day, limit->currency);
    put_bound(view, &limit->outstanding, limit->currency);
    markup_add(view->html, "</tr>\n");
    if (text_equal(limit->currency, part->currency)) {
        part->day = write_bound(view, &limit->day, limit->currency);
        part->outstanding = write_bound(view, &limit->outstanding, limit->currency);
    }
}

static void put_network_facts(struct view *view, const struct network_description *network) {
    const struct network_access *access = &network->access;
    markup_fill(view->html, "<section><h2>{}</h2>\n<p>", say(view, SAY_SETTINGS));
    put_enabled(view, network->enabled);
    markup_add(view->html, "</p>\n<dl class=\"facts\">\n");
    put_fact(view, SAY_ADDRESSES, access->allow.size > 0 ? access->allow : say(view, SAY_EVERYWHERE));
    put_fact(view, SAY_RATE,
             access->rate.per_second == 0 ? say(view, SAY_NO_LIMIT) : view_count(view, access->rate.per_second));
    put_fact(view, SAY_SIGNATURE, text_of(signature_rule_name(access->signing.signature)));
    part_moment_fact(view, SAY_UNSIGNED_USED, network->unsigned_used_at);
    put_old_secret(view, network->old_hash_until, network->old_hash_used_at);
    part_moment_fact(view, SAY_CREATED, network->created_at);
    part_moment_fact(view, SAY_CHANGED, network->changed_at);
    put_fact(view, SAY_CHANGED_BY, network->changed_by);
    markup_add(view->html, "</dl></section>\n");
}

static void put_currency(void *context, const struct currency_row *currency) {
    struct limits_part *part = context;
    part_option(part->view, currency->code, currency->code, part->currency);
    part->is_offered = part->is_offered || text_equal(currency->code, part->currency);
}

/* Leads to the page that shows the change before it is made. A limit in a currency that is not known any more can still
 * be taken away. */
static enum status put_limits_form(struct limits_part *part) {
    struct view *view = part->view;
    markup_fill(view->html,
                "<form class=\"filters\" id=\"limits\" method=\"get\" action=\"/networks/{}/limits\">\n"
                "<label>{} <select name=\"currency\">",
                part_number(view, part->network_id), say(view, SAY_CURRENCY));
    enum status status = currencies_list(view->connection, view->arena, put_currency, part);
    if (!part->is_offered && part->day.size + part->outstanding.size > 0) {
        part_option(view, part->currency, part->currency, part->currency);
    }
    markup_fill(view->html,
                "</select></label>\n"
                "<label>{} <input name=\"day\" inputmode=\"decimal\" placeholder=\"{}\" value=\"{}\"></label>\n",
                say(view, SAY_DAY_LIMIT), say(view, SAY_NO_LIMIT), part->day);
    markup_fill(view->html,
                "<label>{} <input name=\"outstanding\" inputmode=\"decimal\" placeholder=\"{}\" value=\"{}\"></label>\n"
                "<button>{}</button>\n</form>\n",
                say(view, SAY_OUTSTANDING_LIMIT), say(view, SAY_NO_LIMIT), part->outstanding,
                say(view, SAY_LIMITS_TITLE));
    return status;
}

enum status page_network(struct view *view) {
    static const enum say COLUMNS[] = {SAY_CURRENCY,          SAY_DAY_LIMIT,        SAY_DAY_USED,
                                       SAY_OUTSTANDING_LIMIT, SAY_OUTSTANDING_USED, SAY_NONE};
    uint64_t id;
    struct network_description network;
    struct console_reader reader = view_reader(view);
    enum status status = part_id(view, &id) ? console_networks_find(&reader, id, &network) : STATUS_NONE;
    if (status != STATUS_OK) {
        return status;
    }
    view->title = network.name;
    put_lists_of(view, "network", part_number(view, id));
    put_actions(view, "networks", id, network.enabled);
    put_network_facts(view, &network);
    struct limits_part part = {
        .view = view, .network_id = id, .currency = request_query(view->request, "currency", view->arena)};
    part.day = part.outstanding = TEXT("");
    put_table(view, SAY_LIMITS, COLUMNS);
    status = money_limits_list(reader.connection, id, reader.arena, put_limit, &part);
    put_table_end(view);
    return status == STATUS_OK && view_may_operate(view) ? put_limits_form(&part) : status;
}
