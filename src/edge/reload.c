#include "edge/reload.h"

#include "base/log.h"
#include "edge/service_manager.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REASON_SIZE = 512 };

struct reload reload_create(struct supervised *what) {
    void *reason = mmap(NULL, REASON_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (reason == MAP_FAILED) {
        abort();
    }
    return (struct reload){.what = what, .reason = reason};
}

void reload_destroy(struct reload *reload) {
    if (reload->checker > 0) {
        kill(reload->checker, SIGKILL);
    }
    reload->checker = 0;
    reload->again = false;
    munmap(reload->reason, REASON_SIZE);
}

/* Logged at each refusal, even for the same mistake. It is a warning because repeated errors are only counted. */
static void refuse_reload(const char *reason) {
    const char *cause = reason[0] == '\0' ? "see the lines before" : reason;
    log_line(LOG_WARNING, "not reloaded; still using the configuration read before: %s", cause);
    service_manager_show("reload refused, serving with the configuration read before: %s", cause);
    service_manager_tell(SERVICE_READY);
}

static void check_in_child(const struct reload *reload, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
    bool fits = reload->what->reload.check(reload->what->context);
    if (!fits) {
        snprintf(reload->reason, REASON_SIZE, "%s", log_last_error());
    }
    exit(fits ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void begin_trial(struct reload *reload) {
    const struct reloading *how = &reload->what->reload;
    duration check_time;
    service_manager_tell(SERVICE_RELOADING);
    if (!how->read(reload->what->context, &check_time)) {
        char reason[REASON_SIZE];
        snprintf(reason, sizeof reason, "%s", log_last_error());
        refuse_reload(reason);
        return;
    }
    reload->reason[0] = '\0';
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        check_in_child(reload, parent);
    }
    if (pid < 0) {
        how->discard(reload->what->context);
        refuse_reload("cannot start the process that checks it");
        return;
    }
    reload->checker = pid;
    reload->until = clock_monotonic() + check_time;
}

void reload_begin(struct reload *reload) {
    if (reload->checker > 0) {
        reload->again = true;
    } else {
        begin_trial(reload);
    }
}

static bool finish_trial(struct reload *reload, int status) {
    const struct reloading *how = &reload->what->reload;
    bool fits = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    if (fits) {
        how->adopt(reload->what->context, reload->what);
        log_line(LOG_INFO, "configuration reloaded");
        service_manager_show("serving with %zu processes", reload->what->processes);
        service_manager_tell(SERVICE_READY);
        return true;
    }
    how->discard(reload->what->context);
    reload->reason[REASON_SIZE - 1] = '\0';
    refuse_reload(WIFSIGNALED(status) ? "the check of it crashed or took too long" : reload->reason);
    return false;
}

bool reload_ended(struct reload *reload, pid_t child, int status) {
    if (reload->checker == 0 || child != reload->checker) {
        return false;
    }
    reload->checker = 0;
    bool adopted = finish_trial(reload, status);
    if (reload->again) {
        reload->again = false;
        begin_trial(reload);
    }
    return adopted;
}

void reload_look(const struct reload *reload) {
    if (reload->checker > 0 && clock_monotonic() > reload->until) {
        kill(reload->checker, SIGKILL);
    }
}
