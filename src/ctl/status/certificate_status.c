#include "ctl/status/certificate_status.h"

#include "auth/certificate.h"
#include "ctl/core/problem.h"

void certificate_look(const struct context *context, struct record *record, struct record_list *problems) {
    const char *path = context->config.security.web_certificate;
    char error[CERTIFICATE_ERROR_SIZE];
    struct validity validity;
    if (path == NULL) {
        return;
    }
    if (!certificate_read(path, &validity, error)) {
        problem_add(problems, "[security] web_certificate cannot be read: %s", error);
        return;
    }
    record_instant(record, "web_certificate_valid_from", validity.from);
    record_instant(record, "web_certificate_valid_until", validity.until);
    if (certificate_judge(path, &validity, clock_host(), error) != VALIDITY_NOW) {
        problem_add(problems, "%s", error);
    }
}
