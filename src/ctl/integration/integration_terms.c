#include "ctl/integration/integration_terms.h"

#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/core/validation.h"
#include "outbound/http_url.h"

enum { URL_MAX_CHARACTERS = 2048 };

enum outcome integration_take_endpoint(const struct context *context, struct text *out) {
    *out = arguments_get(&context->arguments, "endpoint");
    const char *complaint = validation_url(context->arena, *out, URL_MAX_CHARACTERS);
    if (complaint == NULL && !http_url_is_fit(*out)) {
        complaint = "is not an address that queries can be sent to: check its host and port";
    }
    return complaint == NULL ? OUTCOME_DONE : refuse(context, "endpoint: %s", complaint);
}

enum outcome integration_take_currency(const struct context *context, struct text code, struct text *out) {
    struct currency_row currency;
    enum outcome outcome = catalogue_currency(context, code, &currency);
    *out = code;
    if (outcome == OUTCOME_DONE && !currency.has_query_code) {
        return refuse(
            context,
            "currency: %.*s has no one-digit code for queries: recaudoctl currency set %.*s --query-code DIGIT",
            TEXT_ARGS(code), TEXT_ARGS(code));
    }
    return outcome;
}
