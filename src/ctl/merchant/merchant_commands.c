#include "ctl/common/catalogue.h"
#include "ctl/common/rotation.h"
#include "ctl/common/secrets.h"
#include "ctl/common/stored_secrets.h"
#include "ctl/common/waiting.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/shell_word.h"
#include "ctl/core/validation.h"
#include "ctl/merchant/merchant_rotate.h"
#include "ctl/merchant/merchant_show.h"
#include "outbound/http_url.h"
#include "store/payment/approvals.h"

enum { NAME_MAX_CHARACTERS = 50, COMMERCE_MAX_CHARACTERS = 100, URL_MAX_CHARACTERS = 2048 };

static bool is_one_of(struct text value, const char *one, const char *other) {
    return text_equal(value, text_of(one)) || text_equal(value, text_of(other));
}

static enum outcome judge_words(const struct context *context, const struct merchant_settings *settings) {
    const char *complaint = NULL;
    if (settings->commerce.at != NULL) {
        complaint = validation_name(context->arena, settings->commerce, COMMERCE_MAX_CHARACTERS);
    }
    if (complaint != NULL) {
        return refuse(context, "commerce: %s", complaint);
    }
    if (settings->notify_url.size > 0) {
        complaint = validation_url(context->arena, settings->notify_url, URL_MAX_CHARACTERS);
        if (complaint == NULL && !http_url_is_fit(settings->notify_url)) {
            complaint = "is not an address that messages can be sent to: check its host and port";
        }
    }
    return complaint == NULL ? OUTCOME_DONE : refuse(context, "notify-url: %s", complaint);
}

/* Reads the options; a setting without an option keeps its value in *out. */
static enum outcome take_merchant_settings(const struct context *context, struct merchant_settings *out) {
    static const struct {
        const char *option;
        size_t at;
    } TEXTS[] = {{"commerce", offsetof(struct merchant_settings, commerce)},
                 {"notify-url", offsetof(struct merchant_settings, notify_url)},
                 {"notify-digest", offsetof(struct merchant_settings, notify_digest)},
                 {"ack", offsetof(struct merchant_settings, acknowledgement)}};
    const struct arguments *arguments = &context->arguments;
    for (size_t i = 0; i < COUNT_OF(TEXTS); i++) {
        if (arguments_has(arguments, TEXTS[i].option)) {
            *(struct text *)((char *)out + TEXTS[i].at) = arguments_get(arguments, TEXTS[i].option);
        }
    }
    if (arguments_has(arguments, "notify-digest") && !is_one_of(out->notify_digest, "sha256", "sha512")) {
        return misuse(context, "--notify-digest is sha256 or sha512");
    }
    if (arguments_has(arguments, "ack") && !is_one_of(out->acknowledgement, "strict", "http2xx")) {
        return misuse(context, "--ack is strict or http2xx");
    }
    enum outcome outcome = judge_words(context, out);
    if (outcome == OUTCOME_DONE && arguments_has(arguments, "country")) {
        outcome = catalogue_country(context, arguments_get(arguments, "country"), &out->country);
    }
    return outcome;
}

static void add_secret(struct record *record, const char *key, const struct secret *secret) {
    record_text(record, key, (struct text){(const char *)secret->bytes, secret->size});
}

static enum outcome store_new_merchant(const struct context *context, const struct merchant_settings *settings,
                                       const struct secret *fixed, const struct secret *notification) {
    struct text sealed = secrets_seal(context, SECRET_OF_MERCHANT, merchant_argument(context), fixed);
    struct text sealed_notification =
        secrets_seal(context, SECRET_OF_NOTIFICATIONS, merchant_argument(context), notification);
    if (sealed.at == NULL || sealed_notification.at == NULL) {
        return OUTCOME_REFUSED;
    }
    enum status status = merchants_insert(context->connection, merchant_argument(context), settings, sealed,
                                          sealed_notification, context->actor);
    if (status == STATUS_CLASH) {
        return refuse(context, "name: merchant %.*s already exists", TEXT_ARGS(merchant_argument(context)));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "store the merchant");
}

static enum outcome add_with_secrets(const struct context *context, const struct merchant_settings *settings) {
    struct secret fixed = {.size = 0}, notification = {.size = 0};
    enum outcome outcome = secrets_take(context, "hash-file", &fixed);
    if (outcome == OUTCOME_DONE) {
        outcome = secrets_take(context, "notification-hash-file", &notification);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = store_new_merchant(context, settings, &fixed, &notification);
    }
    if (outcome == OUTCOME_DONE) {
        struct record *record = record_create(context->arena);
        record_text(record, "name", merchant_argument(context));
        add_secret(record, "fixed_hash", &fixed);
        add_secret(record, "notification_hash", &notification);
        output_record(record, context->json);
    }
    secret_wipe(&fixed);
    secret_wipe(&notification);
    return outcome;
}

static enum outcome merchant_add(struct context *context) {
    struct merchant_settings settings = {.commerce = merchant_argument(context),
                                         .country = 343,
                                         .notify_digest = TEXT("sha256"),
                                         .acknowledgement = TEXT("strict")};
    const char *complaint = validation_name(context->arena, merchant_argument(context), NAME_MAX_CHARACTERS);
    if (complaint != NULL) {
        return refuse(context, "name: %s", complaint);
    }
    if (text_equal(arguments_get(&context->arguments, "hash-file"), TEXT("-")) &&
        text_equal(arguments_get(&context->arguments, "notification-hash-file"), TEXT("-"))) {
        return misuse(context, "only one of --hash-file and --notification-hash-file can be standard input");
    }
    enum outcome outcome = take_merchant_settings(context, &settings);
    if (outcome == OUTCOME_DONE) {
        outcome = stored_secrets_need_key(context, context->vault);
    }
    return outcome == OUTCOME_DONE ? add_with_secrets(context, &settings) : outcome;
}

static void add_merchant_to_list(void *context, const struct merchant_description *merchant) {
    merchant_describe(record_list_add(context), merchant);
}

static enum outcome merchant_list(struct context *context) {
    struct record_list *merchants = record_list_create(context->arena);
    enum status status = merchants_list(context->connection, context->arena, add_merchant_to_list, merchants);
    if (status != STATUS_OK) {
        return fail(context, status, "list the merchants");
    }
    output_list(merchants, context->json);
    return OUTCOME_DONE;
}

/* Refused if the URL now waits for a second user. The other options would not wait, so they have to be given without
 * the URL. */
static enum outcome ask_for_url(const struct context *context, uint64_t merchant_id,
                                const struct merchant_settings *settings, struct text reason, size_t given) {
    const struct approval_wish wish = {.kind = APPROVAL_NOTIFY_URL,
                                       .subject_id = merchant_id,
                                       .notify_url = settings->notify_url,
                                       .reason = reason,
                                       .actor = context->actor};
    uint64_t number = 0;
    if (!arguments_has(&context->arguments, "notify-url")) {
        return OUTCOME_DONE;
    }
    enum status status = approvals_ask(context->connection, &wish, &number);
    if (status != STATUS_OK) {
        return fail(context, status, "store the URL");
    }
    if (number == 0) {
        return OUTCOME_DONE;
    }
    return refuse(context, "the URL is not set yet: %s%s", waiting_advice(context, number),
                  given > 1 ? "; what else was given is not set either: set it without --notify-url" : "");
}

static size_t count_given(const struct context *context) {
    static const char *const OPTIONS[] = {"commerce", "country", "notify-url", "notify-digest", "ack"};
    size_t given = 0;
    for (size_t i = 0; i < COUNT_OF(OPTIONS); i++) {
        given += arguments_has(&context->arguments, OPTIONS[i]);
    }
    return given;
}

static void tell_of_pending(const struct context *context, const struct merchant_description *merchant,
                            struct text url) {
    if (url.size == 0) {
        remark("without a URL nothing is sent: notifications wait until there is one. New ones are unaddressed; those "
               "there are stay pending or waiting: recaudoctl notification list --merchant %s",
               shell_word(context->arena, merchant->name));
    } else {
        remark("what is pending goes to the new URL at its next attempt; at once with: recaudoctl notification retry "
               "--merchant %s --since T",
               shell_word(context->arena, merchant->name));
    }
}

static enum outcome merchant_set(struct context *context) {
    struct merchant_settings settings = {.country = 0};
    struct merchant_description merchant;
    struct text reason;
    size_t given = count_given(context);
    if (given == 0) {
        return misuse(context, "nothing to set was given");
    }
    enum outcome outcome = catalogue_merchant(context, merchant_argument(context), &merchant);
    if (outcome == OUTCOME_DONE) {
        outcome = take_merchant_settings(context, &settings);
    }
    if (outcome == OUTCOME_DONE && merchants_has_settings(&merchant, &settings)) {
        remark("the merchant has these settings already; nothing was changed");
        return merchant_show(context);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = reason_take(context, REASON_MAX, &reason);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = ask_for_url(context, merchant.id, &settings, reason, given);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = reason_give(context, reason);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = merchants_change(context->connection, merchant_argument(context), &settings, context->actor);
    if (status == STATUS_OK && arguments_has(&context->arguments, "notify-url")) {
        tell_of_pending(context, &merchant, arguments_get(&context->arguments, "notify-url"));
    }
    return status == STATUS_OK ? merchant_show(context) : fail(context, status, "change the merchant");
}

/* Setting the present state again writes nothing, so that the event log holds only changes. */
static enum outcome set_merchant_enabled(struct context *context, bool enabled) {
    enum outcome outcome = reason_apply(context, REASON_MAX);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status =
        merchants_set_enabled(context->connection, merchant_argument(context), enabled, context->actor);
    return status == STATUS_OK || status == STATUS_CHANGED ? merchant_show(context)
                                                           : fail(context, status, "change the merchant");
}

static enum outcome merchant_enable(struct context *context) {
    return set_merchant_enabled(context, true);
}

static enum outcome merchant_disable(struct context *context) {
    return set_merchant_enabled(context, false);
}

#define SETTINGS                                                                                                       \
    {.name = "country", .value = "N", .help = "country code, 343 Colombia, 314 Costa Rica, 345 Ecuador, 348 Peru"},    \
        {.name = "notify-url",                                                                                         \
         .value = "URL",                                                                                               \
         .help = "where notifications go; empty: nowhere",                                                             \
         .may_be_empty = true},                                                                                        \
        {.name = "notify-digest", .value = "sha256|sha512", .help = "digest of pv_checksum in notifications"},         \
        {.name = "ack", .value = "strict|http2xx", .help = "acknowledged by 2xx and OK in the body, or by any 2xx"}

static const struct option_spec ADD_OPTIONS[] = {
    {.name = "commerce", .value = "TEXT", .help = "name that networks see as COMMERCE; else NAME"},
    SETTINGS,
    {.name = "hash-file", .value = "FILE|-", .help = "take FIXED_HASH from there instead of making one up"},
    {.name = "notification-hash-file", .value = "FILE|-", .help = "the same for NOTIFICATION_HASH"},
    WEAK_SECRET_OPTION,
    {.name = NULL},
};

static const struct option_spec SET_OPTIONS[] = {
    {.name = "commerce", .value = "TEXT", .help = "name that networks see as COMMERCE"},
    SETTINGS,
    REASON_OPTION,
    {.name = NULL},
};

const struct command merchant_commands[] = {
    {"add", "NAME", "add a merchant; its FIXED_HASH and NOTIFICATION_HASH are shown only once",
     "NAME is the field `merchant` of the merchant's requests, at most 50 characters; it never changes.\n"
     "Without options: country 343 (Colombia), no notifications, sha256, strict.",
     ADD_OPTIONS, 1, NEEDS_DATABASE | NEEDS_KEY, merchant_add},
    {"list", "", "all merchants", NULL, no_options, 0, NEEDS_DATABASE, merchant_list},
    {"show", "NAME", "one merchant, with its history", NULL, no_options, 1, NEEDS_DATABASE, merchant_show},
    {"set", "NAME", "change the given settings; others stay",
     "A merchant that gets its first notify_url is sent what was unaddressed until then; notification test tries it.",
     SET_OPTIONS, 1, NEEDS_DATABASE, merchant_set},
    {"enable", "NAME", "allow payments of a disabled merchant's orders again",
     "Takes effect within 5 seconds: the workers remember merchants that long.", reason_alone, 1, NEEDS_DATABASE,
     merchant_enable},
    {"disable", "NAME", "refuse lookups and payments of its orders (0019)",
     "Takes effect within 5 seconds: the workers remember merchants that long. What was registered before can still\n"
     "be confirmed, and notifications still go out.",
     reason_alone, 1, NEEDS_DATABASE, merchant_disable},
    {"rotate", "NAME", "give a merchant a new secret, shown only once",
     ROTATION_DETAILS
     "\nExternal queries carry the new one within 5 s, notifications within 1 s; until the end of the old one\n"
     "notifications are signed with both. For a merchant that must know it before: agree on one, and give it with\n"
     "--hash-file.",
     merchant_rotate_options, 1, NEEDS_DATABASE | NEEDS_KEY, merchant_rotate},
    {.verb = NULL},
};
