#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/validation.h"
#include "store/console/users.h"

#include <strings.h>

static struct text name_of_user(const struct context *context) {
    return context->arguments.words[0];
}

static void describe_user(struct record *record, const struct console_user *user) {
    record_text(record, "name", user->name);
    record_text(record, "role", console_role_name(user->role));
    record_text_or_nothing(record, "merchant", user->merchant_name);
    record_flag(record, "enabled", user->enabled);
    record_instant(record, "created_at", user->created_at);
    record_instant(record, "changed_at", user->changed_at);
    record_text(record, "changed_by", user->changed_by);
}

static void add_user_to_list(void *context, const struct console_user *user) {
    describe_user(record_list_add(context), user);
}

static enum outcome user_list(struct context *context) {
    struct record_list *users = record_list_create(context->arena);
    enum status status = console_users_list(context->connection, context->arena, add_user_to_list, users);
    if (status != STATUS_OK) {
        return fail(context, status, "list the users");
    }
    output_list(users, context->json);
    return OUTCOME_DONE;
}

static enum outcome user_show(struct context *context) {
    struct console_user user;
    enum status status = console_users_find(context->connection, name_of_user(context), context->arena, &user);
    if (status == STATUS_NONE) {
        return refuse(context, "there is no user %.*s (see recaudoctl user list)", TEXT_ARGS(name_of_user(context)));
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the user");
    }
    struct record *record = record_create(context->arena);
    describe_user(record, &user);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

/* A merchant's user needs a merchant; staff must have none. */
static enum outcome take_role(const struct context *context, struct console_user_change *out) {
    struct text role = arguments_get(&context->arguments, "role");
    if (!console_role_parse(role, &out->role)) {
        return refuse(context, "role: %.*s is none of viewer, support, operator and merchant", TEXT_ARGS(role));
    }
    if ((out->role == ROLE_MERCHANT) != arguments_has(&context->arguments, "merchant")) {
        return misuse(context, "--merchant goes with --role merchant, and only with it");
    }
    return catalogue_merchant_option(context, &out->merchant_id);
}

/* In the event log this user is console:NAME or user:NAME. A NAME that begins as an actor of its own would look like
 * somebody else, and would not count as the same person in dual control. */
static const char *judge_user_name(struct arena *arena, struct text name) {
    static const struct text ACTORS[] = {TEXT("console:"), TEXT("db:"),       TEXT("merchant:"),
                                         TEXT("network:"), TEXT("operator:"), TEXT("user:")};
    for (size_t i = 0; i < COUNT_OF(ACTORS); i++) {
        if (name.size >= ACTORS[i].size && strncasecmp(name.at, ACTORS[i].at, ACTORS[i].size) == 0) {
            return arena_print(arena, "begins with %s, which the event log writes before names of other kinds",
                               ACTORS[i].at)
                .at;
        }
    }
    return validation_name(arena, name, CONSOLE_USER_CHARACTERS);
}

static enum outcome user_add(struct context *context) {
    struct console_user_change user = {.name = name_of_user(context), .actor = context->actor};
    const char *complaint = judge_user_name(context->arena, user.name);
    if (complaint != NULL) {
        return refuse(context, "name: %s", complaint);
    }
    enum outcome outcome = take_role(context, &user);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = console_users_add(context->connection, &user);
    if (status == STATUS_CLASH) {
        return refuse(context, "user %.*s already exists (recaudoctl user set changes the role)", TEXT_ARGS(user.name));
    }
    return status == STATUS_OK ? user_show(context) : fail(context, status, "store the user");
}

/* Setting the present values again writes nothing, so that the event log holds only changes. */
static enum outcome user_set(struct context *context) {
    struct console_user_change user = {.name = name_of_user(context), .actor = context->actor};
    enum outcome outcome = take_role(context, &user);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = console_users_set(context->connection, &user);
    return status == STATUS_OK || status == STATUS_CHANGED ? user_show(context)
                                                           : fail(context, status, "change the user");
}

static enum outcome set_user_enabled(struct context *context, bool enabled) {
    enum status status = console_users_set_enabled(context->connection, name_of_user(context), enabled, context->actor);
    return status == STATUS_OK || status == STATUS_CHANGED ? user_show(context)
                                                           : fail(context, status, "change the user");
}

static enum outcome user_enable(struct context *context) {
    return set_user_enabled(context, true);
}

static enum outcome user_disable(struct context *context) {
    return set_user_enabled(context, false);
}

static const struct option_spec ROLE_OPTIONS[] = {
    {.name = "role",
     .value = "ROLE",
     .help = "viewer reads; support also retries notifications, enters claims and tests endpoints; operator also "
             "enables, disables and sets limits; merchant sees one merchant",
     .required = true},
    {.name = "merchant", .value = "NAME", .help = "the one merchant that a merchant's user sees"},
    {.name = NULL},
};

const struct command user_commands[] = {
    {"add", "NAME", "allow somebody to use the console",
     "NAME is the name by which the web server knows the user (REMOTE_USER), at most 64 characters. It must not begin\n"
     "as an actor of the event log does (operator:ana). The password, or whatever else proves who it is, belongs to\n"
     "the web server: see console.md.",
     ROLE_OPTIONS, 1, NEEDS_DATABASE, user_add},
    {"list", "", "all users of the console", NULL, no_options, 0, NEEDS_DATABASE, user_list},
    {"show", "NAME", "one user of the console", NULL, no_options, 1, NEEDS_DATABASE, user_show},
    {"set", "NAME", "give a user another role", "Takes effect with the user's next page.", ROLE_OPTIONS, 1,
     NEEDS_DATABASE, user_set},
    {"enable", "NAME", "allow a disabled user to use the console again", NULL, no_options, 1, NEEDS_DATABASE,
     user_enable},
    {"disable", "NAME", "keep a user out of the console", "Takes effect with the user's next page.", no_options, 1,
     NEEDS_DATABASE, user_disable},
    {.verb = NULL},
};
