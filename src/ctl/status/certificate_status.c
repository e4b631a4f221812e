#include "ctl/status/certificate_status.h"

#include "auth/certificate.h"
#include "ctl/core/problem.h"

void certificate_look(const struct context *context, struct record *record, struct record_list *problems) {
    const char *path = context->config.security.web_certificate;
    char error[CERTIFICATE_ERROR_SIZE];
    instant end;
    if (path == NULL) {
        return;
    }
    if (!certificate_end(path, &end, error)) {
        problem_add(problems, "[security] web_certificate cannot be read: %s", error);
        return;
    }
    record_instant(record, "web_certificate_valid_until", end);
    if (certificate_renewal(path, end, error) != RENEWAL_IN_TIME) {
        problem_add(problems, "%s", error);
    }
}
