#include "ctl/settlement/report_format.h"

#include "ctl/core/failure.h"

enum outcome report_format_take(const struct context *context, enum report_format *out) {
    static const char *const NAMES[] = {[REPORT_TABLE] = "table", [REPORT_CSV] = "csv", [REPORT_JSON] = "json"};
    struct text given = arguments_get(&context->arguments, "format");
    *out = context->json ? REPORT_JSON : REPORT_TABLE;
    if (given.at == NULL) {
        return OUTCOME_DONE;
    }
    for (enum report_format format = REPORT_TABLE; format <= REPORT_JSON; format++) {
        if (text_equal(given, text_of(NAMES[format]))) {
            bool contradicts = context->json && format != REPORT_JSON;
            *out = format;
            return contradicts ? misuse(context, "--json and --format %s exclude each other", NAMES[format])
                               : OUTCOME_DONE;
        }
    }
    return misuse(context, "--format is table, csv or json");
}
