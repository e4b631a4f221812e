#include "api/monitoring/certificate_check.h"

#include "auth/certificate.h"
#include "base/log.h"

void certificate_check(const char *path) {
    char error[CERTIFICATE_ERROR_SIZE];
    struct validity validity;
    if (path != NULL && !certificate_read(path, &validity, error)) {
        log_line(LOG_WARNING, "[security] web_certificate cannot be read, and its end is not watched: %s", error);
    }
}
