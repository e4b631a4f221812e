#include "ctl/settlement/forms.h"

#include "ctl/core/report.h"

enum outcome forms_take(const struct context *context, enum form *out) {
    static const char *const NAMES[] = {[FORM_TABLE] = "table", [FORM_CSV] = "csv", [FORM_JSON] = "json"};
    struct text given = arguments_get(&context->arguments, "format");
    *out = context->json ? FORM_JSON : FORM_TABLE;
    if (given.at == NULL) {
        return OUTCOME_DONE;
    }
    for (enum form form = FORM_TABLE; form <= FORM_JSON; form++) {
        if (text_equal(given, text_of(NAMES[form]))) {
            bool contradicts = context->json && form != FORM_JSON;
            *out = form;
            return contradicts ? misuse(context, "--json and --format %s exclude each other", NAMES[form])
                               : OUTCOME_DONE;
        }
    }
    return misuse(context, "--format is table, csv or json");
}
