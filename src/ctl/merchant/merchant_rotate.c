#include "ctl/merchant/merchant_rotate.h"

#include "ctl/common/catalogue.h"
#include "ctl/common/rotation.h"
#include "ctl/common/secrets.h"
#include "ctl/merchant/merchant_show.h"
#include "store/payment/approvals.h"

const struct option_spec merchant_rotate_options[] = {
    {.name = "notification", .help = "the NOTIFICATION_HASH instead of the FIXED_HASH"},
    {.name = "hash-file", .value = "FILE|-", .help = "take it from there instead of making one up"},
    WEAK_SECRET_OPTION,
    ROTATION_OPTIONS,
    {.name = NULL},
};

/* What differs between a merchant's two secrets. */
static const struct {
    const char *column, *name, *option, *key, *until_key, *approval;
    size_t until; /* offset in struct merchant_description */
} SECRETS[] = {
    [MERCHANT_FIXED_HASH] = {SECRET_OF_MERCHANT, "FIXED_HASH", "", "fixed_hash", "old_hash_until",
                             APPROVAL_MERCHANT_SECRET, offsetof(struct merchant_description, old_hash_until)},
    [MERCHANT_NOTIFICATION_HASH] = {SECRET_OF_NOTIFICATIONS, "NOTIFICATION_HASH", " --notification",
                                    "notification_hash", "old_notification_hash_until", APPROVAL_NOTIFICATION_SECRET,
                                    offsetof(struct merchant_description, old_notification_hash_until)},
};

static enum merchant_secret which_secret(const struct context *context) {
    return arguments_has(&context->arguments, "notification") ? MERCHANT_NOTIFICATION_HASH : MERCHANT_FIXED_HASH;
}

static instant until_of(const struct merchant_description *merchant, enum merchant_secret which) {
    return *(const instant *)((const char *)merchant + SECRETS[which].until);
}

static enum status rotate_merchant_secret(const struct context *context, const struct rotated_secret *secret,
                                          struct text sealed, duration overlap) {
    return merchants_rotate(context->connection, which_secret(context), secret->owner_was, sealed, overlap,
                            context->actor);
}

static enum status end_old_merchant_secret(const struct context *context, const struct rotated_secret *secret) {
    return merchants_end_old_secret(context->connection, which_secret(context), secret->owner_was, context->actor);
}

static enum status read_merchant_until(const struct context *context, instant *until) {
    struct merchant_description merchant;
    enum status status = merchants_describe(context->connection, merchant_argument(context), context->arena, &merchant);
    *until = status == STATUS_OK ? until_of(&merchant, which_secret(context)) : 0;
    return status;
}

static const struct rotation_store STORE = {rotate_merchant_secret, end_old_merchant_secret, read_merchant_until,
                                            merchant_show};

enum outcome merchant_rotate(struct context *context) {
    enum merchant_secret which = which_secret(context);
    struct merchant_description merchant;
    struct rotation rotation;
    enum outcome outcome = rotation_read(context, &rotation);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_merchant(context, merchant_argument(context), &merchant);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    const struct rotated_secret secret = {.owner_kind = "merchant",
                                          .owner = merchant_argument(context),
                                          .owner_was = &merchant,
                                          .owner_id = merchant.id,
                                          .table = SEALED_MERCHANTS,
                                          .approval = SECRETS[which].approval,
                                          .column = SECRETS[which].column,
                                          .name = SECRETS[which].name,
                                          .option = SECRETS[which].option,
                                          .key = SECRETS[which].key,
                                          .until_key = SECRETS[which].until_key,
                                          .old_until = until_of(&merchant, which),
                                          .old_used_at = which == MERCHANT_FIXED_HASH ? merchant.old_hash_used_at : 0,
                                          .store = &STORE};
    return rotation_run(context, &rotation, &secret);
}
