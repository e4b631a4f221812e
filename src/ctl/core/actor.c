#include "ctl/core/actor.h"

#include "base/utf8.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

enum { ACTOR_CHARACTERS = 80 };

/* A name with a colon could be mistaken for another kind of actor: "operator:console:ana". One with a blank at an end
 * would count as another person: " ana". */
static bool is_name(const char *name) {
    struct text text = text_of(name);
    return text.size > 0 && utf8_is_valid(text) && !text_has_control(text) && strchr(name, ':') == NULL &&
           text_trim(text).size == text.size;
}

struct text actor_find(struct arena *arena) {
    const char *sudo_user = getenv("SUDO_USER");
    if (sudo_user != NULL && is_name(sudo_user)) {
        return text_start(arena_print(arena, "operator:%s", sudo_user), ACTOR_CHARACTERS);
    }
    const struct passwd *user = getpwuid(getuid());
    if (user != NULL && is_name(user->pw_name)) {
        return text_start(arena_print(arena, "operator:%s", user->pw_name), ACTOR_CHARACTERS);
    }
    return arena_print(arena, "operator:%lu", (unsigned long)getuid());
}
