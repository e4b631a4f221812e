#include "names.h"

#include "base/text.h"

#include <check.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static bool is_released;
static char known_name[64], known_addresses[128];
static bool is_slow;

void names_set(const char *name, const char *addresses) {
    pthread_mutex_lock(&lock);
    snprintf(known_name, sizeof known_name, "%s", name);
    snprintf(known_addresses, sizeof known_addresses, "%s", addresses == NULL ? "" : addresses);
    is_slow = addresses == NULL;
    pthread_mutex_unlock(&lock);
}

void names_release(void) {
    pthread_mutex_lock(&lock);
    is_released = true;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&lock);
}

typedef int (*resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int resolve_number(const char *address, const char *service, struct addrinfo **out) {
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    void *found = dlsym(RTLD_NEXT, "getaddrinfo");
    resolver system_resolver;
    memcpy(&system_resolver, &found, sizeof found);
    return system_resolver(address, service, &hints, out);
}

static int resolve_all(char *addresses, const char *service, struct addrinfo **out) {
    char *rest = NULL;
    *out = NULL;
    for (char *one = strtok_r(addresses, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
        ck_assert_int_eq(resolve_number(one, service, out), 0);
        while (*out != NULL) {
            out = &(*out)->ai_next;
        }
    }
    return 0;
}

/* The system's version, which libcurl would call, comes after the program's own. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    char addresses[sizeof known_addresses];
    (void)hints;
    pthread_mutex_lock(&lock);
    bool known = strcmp(name, known_name) == 0;
    while (known && is_slow && !is_released) {
        pthread_cond_wait(&released, &lock);
    }
    snprintf(addresses, sizeof addresses, "%s", known_addresses);
    pthread_mutex_unlock(&lock);
    if (known && addresses[0] != '\0') {
        return resolve_all(addresses, service, out);
    }
    return resolve_number(name, service, out);
}
