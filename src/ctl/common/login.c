#include "ctl/common/login.h"

#include <pwd.h>
#include <unistd.h>

static bool is_me(const char *user) {
    const struct passwd *me = getpwuid(geteuid());
    return me != NULL && strcmp(me->pw_name, user) == 0;
}

/* Without a password the database believes the system user alone, whom it sees on its socket. */
bool login_is_possible(const struct config *config, const struct account_config *account) {
    return account->password_file != NULL || (config->database.socket != NULL && is_me(account->user));
}
