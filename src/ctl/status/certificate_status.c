#include "ctl/status/certificate_status.h"

#include "auth/certificate.h"
#include "ctl/core/problem.h"

/* As in the alert RecaudoCertificate. */
#define RENEWAL_IS_LATE (14 * DAY)

void certificate_look(const struct context *context, struct record *record, struct record_list *problems) {
    const char *path = context->config.security.web_certificate;
    char error[CERTIFICATE_ERROR_SIZE];
    instant end, now = clock_host();
    if (path == NULL) {
        return;
    }
    if (!certificate_end(path, &end, error)) {
        problem_add(problems, "[security] web_certificate cannot be read: %s", error);
        return;
    }
    record_instant(record, "web_certificate_valid_until", end);
    if (end - now < RENEWAL_IS_LATE) {
        problem_add(problems,
                    "the web server's certificate, or an issuer in its file, %s: renew %s, then reload the web server",
                    end <= now ? "has expired" : "expires within 14 days", path);
    }
}
