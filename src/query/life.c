#include "query/life.h"

#include "base/clock.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* How often to feed systemd's watchdog within its interval. */
enum { TOLD_PER_WAIT = 3 };

static struct {
    int manager; /* a socket connected to systemd's; -1: none */
    duration tell_every, told_at;
    _Atomic uint64_t *beats;
} life = {.manager = -1};

/* Connects to systemd's socket. A name that begins with @ is abstract: a NUL byte replaces the @. */
static void open_manager(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);
    if (size == 0 || size >= sizeof address.sun_path) {
        return;
    }
    memcpy(address.sun_path, path, size);
    address.sun_path[0] = path[0] == '@' ? '\0' : path[0];
    int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t used = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    if (manager >= 0 && connect(manager, (const struct sockaddr *)&address, used) != 0) {
        (void)close(manager);
        manager = -1;
    }
    life.manager = manager;
}

static void open_beats(int fd) {
    void *at = mmap(NULL, sizeof *life.beats, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    life.beats = at == MAP_FAILED ? NULL : at;
}

static long long number_in(const char *variable) {
    const char *value = getenv(variable);
    return value == NULL ? 0 : strtoll(value, NULL, 10);
}

void life_begin(void) {
    const char *path = getenv("NOTIFY_SOCKET");
    if (path != NULL) {
        open_manager(path);
    }
    life.tell_every = number_in("WATCHDOG_USEC") / TOLD_PER_WAIT;
    int beats = (int)number_in("RECAUDO_BEATS");
    if (beats > 0) {
        open_beats(beats);
    }
}

void life_tell(const char *state) {
    if (life.manager >= 0) {
        (void)send(life.manager, state, strlen(state), MSG_NOSIGNAL);
    }
}

void life_reload(void) {
    char state[80];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, clock_monotonic());
    life_tell(state);
}

void life_beat(void) {
    duration now = clock_monotonic();
    if (life.beats != NULL) {
        (*life.beats)++;
    }
    if (life.tell_every > 0 && now - life.told_at >= life.tell_every) {
        life.told_at = now;
        life_tell("WATCHDOG=1");
    }
}
