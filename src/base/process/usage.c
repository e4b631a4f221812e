#include "base/process/usage.h"

#include "base/log.h"

#include <errno.h>

enum { WRONG_USAGE = 2 };

int usage_tell(int count, char **words, const char *how, const char *configuration) {
    bool asked = count == 2 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0);
    FILE *to = asked ? stdout : stderr;
    fprintf(to, "usage: %s [--help | --version]%s (configuration: $RECAUDO_CONFIG or %s)\n", words[0], how,
            configuration);
    return usage_end(to);
}

int usage_end(FILE *to) {
    if (to == stderr) {
        return WRONG_USAGE;
    }
    if (fflush(to) != 0 || ferror(to)) {
        log_line(LOG_ERROR, "cannot write to standard output: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

bool version_is_asked(int count, char **words) {
    return count == 2 && strcmp(words[1], "--version") == 0;
}

int version_tell(const char *program) {
    printf("%s " PACKAGE_VERSION "\n", program);
    return usage_end(stdout);
}
