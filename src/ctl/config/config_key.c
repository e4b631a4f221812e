#include "ctl/config/config_key.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

static bool becomes(const struct passwd *user) {
    return initgroups(user->pw_name, user->pw_gid) == 0 && setgid(user->pw_gid) == 0 && setuid(user->pw_uid) == 0;
}

/* Tries to open the file as that user, in a child process. */
static bool may_read(const struct passwd *user, const char *path) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(becomes(user) && open(path, O_RDONLY | O_CLOEXEC) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

/* Returns the first of the users that need the key and cannot read it; NULL: none. *absent: a name that is no system
 * user of this host. */
static const char *find_barred(const struct config *config, const char **absent) {
    const char *const users[] = {config->database.worker.user, config->database.deliverer.user};
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        const struct passwd *user = getpwnam(users[i]);
        if (user == NULL) {
            *absent = users[i];
        } else if (!may_read(user, config->security.key_file)) {
            return users[i];
        }
    }
    return NULL;
}

/* Called if the current user can read the file and it is valid. */
static void check_readers(struct findings *findings) {
    struct arena *arena = findings->context->arena;
    const struct config *config = &findings->context->config;
    const char *path = config->security.key_file, *absent = NULL;
    const char *barred = geteuid() == 0 ? find_barred(config, &absent) : NULL;
    if (barred != NULL) {
        add_config_finding(findings, "key file", WRONG,
                           arena_print(arena,
                                       "the system user %s cannot read %s: chgrp recaudo %s, chmod 0640 %s; the "
                                       "user must be in the group recaudo, and may need the right to enter the "
                                       "folders above the file",
                                       barred, path, path, path)
                               .at);
        return;
    }
    const char *doubt = geteuid() != 0   ? "; whether the workers can read it, only root can try"
                        : absent != NULL ? arena_print(arena,
                                                       "; whether all that need it can read it was not tried: there "
                                                       "is no system user %s",
                                                       absent)
                                               .at
                                         : "";
    add_config_finding(findings, "key file", RIGHT, arena_print(arena, "%s%s", path, doubt).at);
}

void check_key(struct findings *findings) {
    char error[KEY_FILE_ERROR_SIZE];
    struct key_ring ring = {.count = 0};
    if (key_file_read(findings->context->config.security.key_file, &ring, error)) {
        check_readers(findings);
    } else {
        add_config_finding(findings, "key file", WRONG, error);
    }
    key_ring_wipe(&ring);
}
