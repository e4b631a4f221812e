#include "dispatch/become.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

bool become_user_of(const struct account_config *account) {
    if (geteuid() != 0 || account->password_file != NULL) {
        return true;
    }
    const struct passwd *user = getpwnam(account->user);
    if (user == NULL) {
        log_line(
            LOG_ERROR,
            "the system user %s does not exist: set the account's password file; without one only that user can log in",
            account->user);
        return false;
    }
    if (initgroups(user->pw_name, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) {
        log_line(LOG_ERROR, "cannot become the system user %s: %s", account->user, strerror(errno));
        return false;
    }
    return true;
}
