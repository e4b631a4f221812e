#include "api/worker/known_countries.h"
#include "api/worker/unstored.h"
#include "api/worker/usecases.h"
#include "base/hex.h"
#include "base/zone/zone.h"
#include "base/zone/zone_day.h"
#include "page/slip.h"
#include "store/order/slips.h"
#include "wire/uri.h"

enum { TOKEN_SIZE = 32 };

static bool is_token(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (hex_value(value.at[i]) < 0) {
            return false;
        }
    }
    return value.size == TOKEN_SIZE;
}

static const struct field TOKEN = {"token", FIELD_REQUIRED, false, TOKEN_SIZE, REFUSED_FIELD, is_token, 0, NULL};

/* False: malformed; it gets the same reply as an unknown token. */
static bool read_token(struct call *call, struct text *token) {
    struct fault fault;
    return uri_read_query(call->query, &TOKEN, 1, call->arena, token, &fault) == GRANTED;
}

static enum refusal find_slip(struct call *call, struct text token, struct slip *slip) {
    struct connection *connection;
    enum status status = call_take_connection(call, &connection);
    if (status == STATUS_OK) {
        status = slips_find(connection, token, call->arena, slip);
        if (status == STATUS_OK && unstored_resolve(call, connection, &slip->order, slip->now)) {
            status = slips_find(connection, token, call->arena, slip);
        }
        pool_give(call->service->pool, connection);
    }
    return status == STATUS_NONE ? REFUSED_NO_SUCH_ROUTE : call_refusal_of(status);
}

static bool read_slip_clocks(const struct slip *slip, const struct country *country, struct slip_view *view) {
    bool known = zone_due(country->time_zone, slip->order.due_at, &view->due) &&
                 zone_to_local(country->time_zone, slip->now, &view->now);
    if (!known) {
        known_countries_complain(country);
    }
    return known;
}

static enum refusal show_slip(struct call *call, const struct slip *slip) {
    struct country country;
    struct slip_view view = {.order = &slip->order,
                             .po_id = slip->po_id,
                             .payable = order_judge(&slip->order, slip->now),
                             .paid = slip->paid,
                             .language = wording_language(slip->language),
                             .country = slip->country};
    enum status status = known_countries_find(call, slip->country, &country);
    if (status != STATUS_OK || !read_slip_clocks(slip, &country, &view)) {
        return status == STATUS_OK ? REFUSED_PROCESSING_ERROR : call_refusal_of(status);
    }
    view.time_zone = text_of(country.time_zone);
    call_reply_page(call, GRANTED, slip_page(&view, call->arena));
    return GRANTED;
}

void pay_handle(struct call *call) {
    struct text token;
    struct slip slip = {0};
    enum refusal refusal = read_token(call, &token) ? find_slip(call, token, &slip) : REFUSED_NO_SUCH_ROUTE;
    if (refusal == GRANTED) {
        refusal = show_slip(call, &slip);
    }
    if (refusal != GRANTED) {
        call_refuse(call, refusal, &call->fault);
    }
}
