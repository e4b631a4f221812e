#include "base/config/config.h"
#include "ctl/common/catalogue.h"
#include "ctl/common/prefix_overlap.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/validation.h"
#include "ctl/order/answered.h"
#include "store/order/references.h"

enum { PREFIX_LEAST = 3, PREFIX_MOST = 12, OTHERS_COUNTED = 1000 };

#define QUARANTINE_MOST (3660 * DAY)

static struct text word_of(const struct context *context) {
    return context->arguments.words[0];
}

/* Adds who alone may use the reference in an order, whether or not there has been one with it. */
static void record_exclusive(struct record *record, const struct reference_description *found,
                             const struct integration *answering) {
    record_flag(record, "free", !found->is_kept && found->prefix_merchant.size == 0 && answering == NULL);
    record_text_or_nothing(record, "prefix_of", found->prefix_merchant);
    record_text_or_nothing(record, "answered_by", answering == NULL ? TEXT("") : answering->merchant);
    record_number_or_nothing(record, "integration", answering == NULL ? 0 : answering->id);
}

static enum outcome reference_show(struct context *context) {
    struct reference_description found;
    struct answered answered;
    const char *complaint = validation_document(word_of(context));
    if (complaint != NULL) {
        return refuse(context, "reference: %s", complaint);
    }
    enum status status = references_describe(context->connection, word_of(context), context->arena, &found);
    if (status != STATUS_OK) {
        return fail(context, status, "read the reference");
    }
    enum outcome outcome = answered_read(context, &answered);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record *record = record_create(context->arena);
    record_text(record, "reference", word_of(context));
    record_text(record, "owner",
                found.is_account ? TEXT("account")
                : found.is_taken ? TEXT("merchant")
                                 : TEXT("nobody"));
    record_text_or_nothing(record, "merchant", found.merchant);
    record_number_or_nothing(record, "open_order", found.open_order);
    record_instant(record, "kept_until", found.kept_until);
    record_exclusive(record, &found, answered_find(&answered, word_of(context)));
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static void add_prefix(void *context, const struct reference_prefix *prefix) {
    struct record *record = record_list_add(context);
    record_text(record, "prefix", prefix->prefix);
    record_text(record, "merchant", prefix->merchant);
    record_instant(record, "created_at", prefix->created_at);
    record_text(record, "changed_by", prefix->changed_by);
}

static enum outcome reference_list(struct context *context) {
    struct record_list *prefixes = record_list_create(context->arena);
    enum status status = references_list_prefixes(context->connection, context->arena, add_prefix, prefixes);
    if (status != STATUS_OK) {
        return fail(context, status, "list the prefixes");
    }
    output_list(prefixes, context->json);
    return OUTCOME_DONE;
}

struct overlap {
    struct text prefix, merchant;
    struct text found, whose; /* another merchant's prefix that overlaps this one, and the merchant */
};

static void note_other_prefix(void *context, const struct reference_prefix *other) {
    struct overlap *overlap = context;
    if (prefix_overlap(other->prefix, overlap->prefix) &&
        (!text_equal(other->merchant, overlap->merchant) || text_equal(other->prefix, overlap->prefix))) {
        overlap->found = other->prefix;
        overlap->whose = other->merchant;
    }
}

static enum outcome judge_prefix(const struct context *context, struct text prefix, struct text merchant) {
    struct overlap overlap = {.prefix = prefix, .merchant = merchant};
    if (!text_is_digits(prefix) || prefix.size < PREFIX_LEAST || prefix.size > PREFIX_MOST) {
        return refuse(context, "prefix: must be %d to %d digits", PREFIX_LEAST, PREFIX_MOST);
    }
    enum status status = references_list_prefixes(context->connection, context->arena, note_other_prefix, &overlap);
    if (status != STATUS_OK) {
        return fail(context, status, "list the prefixes");
    }
    return overlap.found.size == 0 ? OUTCOME_DONE
                                   : refuse(context, "prefix: %.*s was given to %.*s: take it away first",
                                            TEXT_ARGS(overlap.found), TEXT_ARGS(overlap.whose));
}

static enum outcome judge_free(const struct context *context, struct text prefix, struct text merchant) {
    enum outcome outcome = judge_prefix(context, prefix, merchant);
    return outcome == OUTCOME_DONE ? prefix_overlap_judge_prefix(context, prefix, merchant) : outcome;
}

/* Open orders of other merchants keep their references. The prefix is not exclusive before they are closed. */
static void remark_others(const struct context *context, struct text prefix, uint64_t merchant_id) {
    uint64_t count = 0;
    enum status status = references_count_others(context->connection, prefix, merchant_id, OTHERS_COUNTED, &count);
    if (status == STATUS_OK && count > 0) {
        remark("%s%llu open orders of other merchants begin with %.*s and keep their references until they are closed",
               count == OTHERS_COUNTED ? "at least " : "", (unsigned long long)count, TEXT_ARGS(prefix));
    }
}

static enum outcome reference_release(struct context *context) {
    struct merchant_description merchant;
    struct text prefix = word_of(context);
    enum outcome outcome = catalogue_merchant(context, arguments_get(&context->arguments, "merchant"), &merchant);
    if (outcome == OUTCOME_DONE) {
        outcome = judge_free(context, prefix, merchant.name);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = references_give_prefix(context->connection, prefix, merchant.id, context->actor);
    if (status == STATUS_CLASH) { /* another operator was faster; find out whose prefix it is */
        outcome = judge_free(context, prefix, merchant.name);
        return outcome != OUTCOME_DONE
                   ? outcome
                   : refuse(context, "prefix: %.*s was reserved by somebody else just now", TEXT_ARGS(prefix));
    }
    if (status != STATUS_OK) {
        return fail(context, status, "give the prefix");
    }
    remark_others(context, prefix, merchant.id);
    return reference_list(context);
}

static enum outcome assign_prefix(struct context *context) {
    enum status status = references_take_prefix(context->connection, word_of(context), context->actor);
    if (status == STATUS_CHANGED) {
        return refuse(context, "prefix: %.*s was given to nobody (recaudoctl reference list)",
                      TEXT_ARGS(word_of(context)));
    }
    return status == STATUS_OK ? reference_list(context) : fail(context, status, "take the prefix away");
}

static enum outcome reference_keep(struct context *context) {
    struct merchant_description merchant;
    duration quarantine;
    struct text name = arguments_get(&context->arguments, "merchant");
    if (!config_parse_duration(word_of(context), &quarantine) || quarantine % SECOND != 0 ||
        quarantine > QUARANTINE_MOST) {
        return refuse(context, "duration: must be whole seconds up to 3660d, such as 90d; 0 for none");
    }
    enum outcome outcome = catalogue_merchant(context, name, &merchant);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = references_set_quarantine(context->connection, name, quarantine, context->actor);
    if (status != STATUS_OK && status != STATUS_CHANGED) {
        return fail(context, status, "change the merchant");
    }
    struct record *record = record_create(context->arena);
    record_text(record, "name", name);
    record_number(record, "reference_quarantine_seconds", (uint64_t)(quarantine / SECOND));
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static const struct option_spec MERCHANT_OPTIONS[] = {
    {.name = "merchant", .value = "M", .help = "the merchant", .required = true},
    {.name = NULL},
};

const struct command reference_commands[] = {
    {"show", "REFERENCE", "who owns a reference, and until when it is reserved",
     "The number of an order or the document number of an account. `free`: any merchant may use it in an order now.\n"
     "If not, an account has it, or only one merchant may: `merchant`, whose order has or had it; `prefix_of`, whose\n"
     "prefix it has; or `answered_by`, who answers it itself, by that `integration`.",
     no_options, 1, NEEDS_DATABASE, reference_show},
    {"list", "", "the prefixes reserved for merchants", NULL, no_options, 0, NEEDS_DATABASE, reference_list},
    {"give", "PREFIX", "reserve a prefix of 3 to 12 digits: only this merchant may use references that begin with it",
     "Refused to others with 0043. The merchant may still use references outside of its prefixes; references that are\n"
     "assigned keep clear of all prefixes. Open orders of other merchants keep theirs. Refused while an integration\n"
     "lets another merchant answer for such references.",
     MERCHANT_OPTIONS, 1, NEEDS_DATABASE, reference_release},
    {"take", "PREFIX", "release a prefix: every merchant may use it again", NULL, no_options, 1, NEEDS_DATABASE,
     assign_prefix},
    {"keep", "DURATION", "set how long a merchant's references stay reserved after its order is closed",
     "90d at first. Late payers with old slips must not pay another merchant. The merchant itself may use a reference\n"
     "again at once. Counts for what is closed already too. 0: not at all.",
     MERCHANT_OPTIONS, 1, NEEDS_DATABASE, reference_keep},
    {.verb = NULL},
};
