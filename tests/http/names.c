/*
 * Loaded before the C library: looks up names in the file $RECAUDO_TEST_NAMES, a line `name address` each. One whose
 * address is `hang` is not answered before it has another; the file $RECAUDO_TEST_NAMES.hung then says so. Everything
 * else is the system's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool find(const char *name, char address[64]) {
    const char *path = getenv("RECAUDO_TEST_NAMES");
    FILE *file = path == NULL || name == NULL ? NULL : fopen(path, "re");
    char known[64];
    bool found = false;
    while (file != NULL && !found && fscanf(file, "%63s %63s", known, address) == 2) {
        found = strcmp(known, name) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static void note_hang(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s.hung", getenv("RECAUDO_TEST_NAMES"));
    FILE *file = fopen(path, "we");
    if (file != NULL) {
        fclose(file);
    }
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    int (*of_system)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
    char address[64];
    memcpy(&of_system, &symbol, sizeof symbol);
    if (!find(name, address)) {
        return of_system(name, service, hints, out);
    }
    while (strcmp(address, "hang") == 0) {
        note_hang();
        usleep(10000);
        (void)find(name, address);
    }
    return of_system(address, service, hints, out);
}
