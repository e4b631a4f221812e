#include "ctl/core/login.h"

#include <pwd.h>
#include <unistd.h>

static bool is_me(const char *user) {
    const struct passwd *me = getpwuid(geteuid());
    return me != NULL && strcmp(me->pw_name, user) == 0;
}

/* An account without a password authenticates by unix_socket: only its own system user can log in. */
bool login_is_possible(const struct config *config, const struct account_config *account) {
    return account->password_file != NULL || (config->database.socket != NULL && is_me(account->user));
}
