#include "base/config/ini.h"

#include <errno.h>

enum { SECTION_SIZE = 64 };

/* Returns the line without white space at either end. Writes a NUL after it. */
static char *trim(char *line) {
    line += strspn(line, " \t\r\n");
    size_t size = strlen(line);
    while (size > 0 && strchr(" \t\r\n", line[size - 1]) != NULL) {
        size--;
    }
    line[size] = '\0';
    return line;
}

static bool read_section(char *line, char section[SECTION_SIZE]) {
    size_t size = strlen(line);
    if (line[size - 1] != ']' || size - 2 >= SECTION_SIZE) {
        return false;
    }
    line[size - 1] = '\0';
    snprintf(section, SECTION_SIZE, "%s", trim(line + 1));
    return true;
}

static bool read_ini_line(char *line, char section[SECTION_SIZE],
                          bool (*each)(void *context, const char *section, const char *key, const char *value),
                          void *context) {
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#' || line[0] == ';') {
        return true;
    }
    if (line[0] == '[') {
        return read_section(line, section);
    }
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return false;
    }
    *equals = '\0';
    return each(context, section, trim(line), trim(equals + 1));
}

int ini_read(const char *path, bool (*each)(void *context, const char *section, const char *key, const char *value),
             void *context) {
    char section[SECTION_SIZE] = "";
    char *line = NULL;
    size_t room = 0;
    int number = 0;
    bool fine = true;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    for (ssize_t size; fine && (size = getline(&line, &room, file)) >= 0;) {
        number++;
        fine = strlen(line) == (size_t)size &&
               read_ini_line(line, section, each, context); /* a NUL in the line would end the string early */
    }
    bool unread = ferror(file) != 0;
    int reason = errno;
    free(line);
    fclose(file);
    if (unread) {
        errno = reason;
        return -1;
    }
    return fine ? 0 : number;
}
