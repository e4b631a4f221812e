#include "bench/common/options.h"

#include "bench/common/fail.h"

#include <errno.h>

static void set_whole(const struct option_spec *spec, const char *text) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || (double)number < spec->least ||
        (double)number > spec->most) {
        fail("--%s: a whole number from %.0f to %.0f is needed, not %s", spec->name, spec->least, spec->most, text);
    }
    *(uint64_t *)spec->value = number;
}

static void set_decimal(const struct option_spec *spec, const char *text) {
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= spec->least) || !(number <= spec->most)) {
        fail("--%s: a number from %g to %g is needed, not %s", spec->name, spec->least, spec->most, text);
    }
    *(double *)spec->value = number;
}

static void set(const struct option_spec *spec, const char *text) {
    switch (spec->kind) {
    case OPTION_TEXT:
        *(const char **)spec->value = text;
        break;
    case OPTION_WHOLE:
        set_whole(spec, text);
        break;
    case OPTION_DECIMAL:
        set_decimal(spec, text);
        break;
    }
}

static const struct option_spec *find(const char *argument, const struct option_spec *specs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, specs[i].name) == 0) {
            return &specs[i];
        }
    }
    fail("%s: not an option; see --help", argument);
}

void options_parse(int argc, char **argv, const char *usage, const struct option_spec *specs, size_t count) {
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        const struct option_spec *spec = find(argv[i], specs, count);
        if (i + 1 == argc) {
            fail("%s: needs a value", argv[i]);
        }
        set(spec, argv[i + 1]);
    }
}

char *options_secret(const char *path) {
    char line[1024];
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL) {
        fail("%s: no secret can be read", path);
    }
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    char *secret = strdup(line);
    explicit_bzero(line, sizeof line);
    return secret;
}
