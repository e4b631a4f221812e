#include "outbound/trust.h"

#include <curl/curl.h>
#include <errno.h>

const char *trust_file(const char *ca_file) {
    return ca_file == NULL ? curl_version_info(CURLVERSION_NOW)->cainfo : ca_file;
}

static bool holds_certificate(FILE *file) {
    char line[128];
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "-----BEGIN ", 11) == 0 && strstr(line, "CERTIFICATE-----") != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns what is wrong with the file, or NULL. */
static const char *fault_of(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return strerror(errno);
    }
    errno = 0;
    bool holds = holds_certificate(file);
    const char *fault = holds ? NULL : errno != 0 ? strerror(errno) : "it holds none";
    fclose(file);
    return fault;
}

bool trust_check(const char *ca_file, char error[TRUST_ERROR_SIZE]) {
    const char *path = trust_file(ca_file), *fault = path == NULL ? NULL : fault_of(path);
    if (fault != NULL) {
        snprintf(error, TRUST_ERROR_SIZE, "no certificates to trust in %s (%s), so https to merchants fails: %s", path,
                 fault,
                 ca_file == NULL ? "install the package ca-certificates, or name a file in [security] ca_file"
                                 : "mend [security] ca_file");
    }
    return fault == NULL;
}

void trust_tell(const struct config *config) {
    char error[TRUST_ERROR_SIZE];
    if (!trust_check(config->security.ca_file, error)) {
        log_line(LOG_WARNING, "%s", error);
    }
}
