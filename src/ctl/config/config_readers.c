#include "ctl/config/config_readers.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

static bool becomes(const struct passwd *user) {
    return initgroups(user->pw_name, user->pw_gid) == 0 && setgid(user->pw_gid) == 0 && setuid(user->pw_uid) == 0;
}

enum trial { READABLE, BARRED, UNTRIED };

/* Tries to open the file as that user, in a child process. UNTRIED: root may not become that user, as in a container
 * without that capability. */
static enum trial try_reading(const struct passwd *user, const char *path) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(!becomes(user) ? UNTRIED : open(path, O_RDONLY | O_CLOEXEC) >= 0 ? READABLE : BARRED);
    }
    bool ended = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
    return ended && WEXITSTATUS(status) <= BARRED ? (enum trial)WEXITSTATUS(status) : UNTRIED;
}

static const char *describe_remedy(struct arena *arena, enum remedy remedy, const char *user, const char *path) {
    switch (remedy) {
    case FOR_ALL:
        return arena_print(arena, "chmod 0644 %s; the user", path).at;
    case FOR_ITS_GROUP:
        return arena_print(arena, "chgrp recaudo %s, chmod 0640 %s; the user must be in the group recaudo, and", path,
                           path)
            .at;
    case FOR_ITS_USER:
        return arena_print(arena, "chown %s %s, chmod 0600 %s; the user", user, path, path).at;
    case FOR_SEALING:
        return arena_print(arena, "chgrp %s %s, chmod 0640 %s; the user", user, path, path).at;
    case FOR_ONE_GROUP:
        break;
    }
    return arena_print(arena,
                       "give it a group that the users of all programs are in, chmod 0640 %s (configuration.md, \"TLS "
                       "to the database\"); the user",
                       path)
        .at;
}

const char *find_barred_reader(const struct findings *findings, const char *path, const char *const *users,
                               enum remedy remedy) {
    struct arena *arena = findings->context->arena;
    for (; *users != NULL && geteuid() == 0; users++) {
        const struct passwd *user = getpwnam(*users);
        if (user != NULL && try_reading(user, path) == BARRED) {
            return arena_print(arena,
                               "the system user %s cannot read %s: %s may need the right to enter the folders above "
                               "the file",
                               *users, path, describe_remedy(arena, remedy, *users, path))
                .at;
        }
    }
    return NULL;
}

/* Says what find_barred_reader has not tried, or returns "". */
static const char *describe_untried(const struct findings *findings, const char *path, const char *const *users) {
    if (geteuid() != 0) {
        return "; whether the services can read it, only root can try";
    }
    for (; *users != NULL; users++) {
        const struct passwd *user = getpwnam(*users);
        if (user == NULL || try_reading(user, path) == UNTRIED) {
            return arena_print(findings->context->arena,
                               "; whether all that need it can read it was not tried: %s system user %s",
                               user == NULL ? "there is no" : "root may not become the", *users)
                .at;
        }
    }
    return "";
}

void check_readers(struct findings *findings, const char *what, const char *path, const char *const *users,
                   enum remedy remedy) {
    const char *barred = find_barred_reader(findings, path, users, remedy);
    add_config_finding(
        findings, what, barred != NULL ? WRONG : RIGHT,
        barred != NULL
            ? barred
            : arena_print(findings->context->arena, "%s%s", path, describe_untried(findings, path, users)).at);
}
