#include "ctl/notification/notification_retry.h"

#include "ctl/common/catalogue.h"
#include "ctl/common/reason.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "ctl/notification/notification_find.h"
#include "store/notification/retries.h"

/* The report, as it grows. */
struct retrying {
    struct context *context;
    struct retry_request request;
    struct record_list *list;
    uint64_t retried, left;
};

/* The rows that retry_judge has read. */
struct found_rows {
    const struct retry_result *list; /* by order and sequence */
    size_t count;
};

/* Says why a notification is left. If later ones of its order must be sent too, adds the command that sends all of
 * them. */
static struct text explain_left(const struct retrying *retrying, const struct found_rows *found,
                                const struct retry_result *left) {
    struct arena *arena = retrying->context->arena;
    struct text words = text_of(retry_refusal_words(left->row.refusal));
    bool again = false;
    if (left->row.refusal != RETRY_FOLLOWED) {
        return words;
    }
    words = arena_print(arena, "%.*s: recaudoctl notification retry", TEXT_ARGS(words));
    for (size_t i = 0; i < found->count; i++) {
        const struct retry_result *other = &found->list[i];
        if (other->order_id == left->order_id && other->row.sequence >= left->row.sequence) {
            words = arena_print(arena, "%.*s %llu", TEXT_ARGS(words), (unsigned long long)other->row.id);
            again = again || other->row.state == NOTIFICATION_DELIVERED;
        }
    }
    return again ? arena_print(arena, "%.*s --again", TEXT_ARGS(words)) : words;
}

static void add_result(struct retrying *retrying, const struct found_rows *found, const struct retry_result *result) {
    const struct retry_row *row = &result->row;
    bool refused = row->refusal != RETRY_GRANTED;
    if (!row->chosen && row->becomes == row->state) {
        return;
    }
    struct record *record = record_list_add(retrying->list);
    record_number(record, "id", row->id);
    record_number(record, "pv_po_id", result->order_id);
    record_text(record, "merchant", result->merchant);
    record_text(record, "status", text_of(notification_status_name(result->status)));
    record_text(record, "state", text_of(notification_state_name(row->state)));
    record_text_or_nothing(record, "becomes", refused ? TEXT("") : text_of(notification_state_name(row->becomes)));
    record_text_or_nothing(record, "left_because", explain_left(retrying, found, result));
    if (row->chosen && !refused && result->was_refunded) {
        remark("order %llu (%.*s of %.*s) was refunded, and nothing follows this %s to say so: warn the merchant",
               (unsigned long long)result->order_id, TEXT_ARGS(result->po_id), TEXT_ARGS(result->merchant),
               notification_status_name(result->status));
    }
    retrying->retried += row->chosen && !refused;
    retrying->left += refused;
}

static void print_choices(const struct retrying *retrying) {
    struct record *record = record_create(retrying->context->arena);
    record_flag(record, "dry_run", retrying->request.dry_run);
    record_number(record, retrying->request.dry_run ? "would_retry" : "retried", retrying->retried);
    record_number(record, "left", retrying->left);
    record_add_list(record, "notifications", retrying->list);
    output_record(record, retrying->context->json);
}

static const struct retry_result *find_result(const struct found_rows *found, uint64_t id) {
    for (size_t i = 0; i < found->count; i++) {
        if (found->list[i].row.id == id) {
            return &found->list[i];
        }
    }
    return NULL;
}

/* If one of the chosen notifications cannot be sent, refuses for that one; nothing was changed. */
static enum outcome judge_all(const struct retrying *retrying, const struct found_rows *found) {
    for (size_t i = 0; i < retrying->request.count; i++) {
        unsigned long long id = retrying->request.ids[i];
        const struct retry_result *result = find_result(found, id);
        if (result == NULL) {
            return refuse(retrying->context, "there is no notification %llu; nothing was done", id);
        }
        if (result->row.refusal != RETRY_GRANTED) {
            struct text why = explain_left(retrying, found, result);
            return refuse(retrying->context, "notification %llu (%s, order %llu of %.*s): %.*s; nothing was done", id,
                          notification_status_name(result->status), (unsigned long long)result->order_id,
                          TEXT_ARGS(result->merchant), TEXT_ARGS(why));
        }
    }
    return OUTCOME_DONE;
}

static enum outcome run_retry(struct retrying *retrying) {
    struct context *context = retrying->context;
    struct retry_result *results;
    size_t count;
    enum status status = retries_run(context->connection, &retrying->request, context->arena, &results, &count);
    if (status != STATUS_OK) {
        return fail(context, status, "send notifications again");
    }
    const struct found_rows found = {results, count};
    enum outcome outcome = retrying->request.whole ? judge_all(retrying, &found) : OUTCOME_DONE;
    for (size_t i = 0; i < count && outcome == OUTCOME_DONE; i++) {
        add_result(retrying, &found, &results[i]);
    }
    return outcome;
}

static int order_by_id(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* A number needs no lookup: the retry itself reports a notification that does not exist. */
static enum outcome read_id(const struct context *context, struct text word, uint64_t *out) {
    struct notification_row notification = {.id = 0};
    if (text_to_number(word, out)) {
        return OUTCOME_DONE;
    }
    if (!text_begins(word, TEXT("ntf_"))) {
        return misuse(context, "%.*s is not the id of a notification", TEXT_ARGS(word));
    }
    enum status status = notification_find(context, word, &notification);
    *out = notification.id;
    if (status == STATUS_NONE) {
        return refuse(context, "there is no notification %.*s; nothing was done", TEXT_ARGS(word));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the notification");
}

static enum outcome retry_ids(struct retrying *retrying) {
    const struct arguments *arguments = &retrying->context->arguments;
    uint64_t *ids = arena_alloc(retrying->context->arena, WORDS_MAX * sizeof *ids);
    size_t count = 0;
    for (size_t i = 0; i < arguments->word_count; i++) {
        enum outcome outcome = read_id(retrying->context, arguments->words[i], &ids[i]);
        if (outcome != OUTCOME_DONE) {
            return outcome;
        }
    }
    qsort(ids, arguments->word_count, sizeof *ids, order_by_id);
    for (size_t i = 0; i < arguments->word_count; i++) {
        if (count == 0 || ids[count - 1] != ids[i]) {
            ids[count++] = ids[i];
        }
    }
    retrying->request.ids = ids;
    retrying->request.count = count;
    retrying->request.whole = true;
    enum outcome outcome = run_retry(retrying);
    if (outcome == OUTCOME_DONE) {
        print_choices(retrying);
    }
    return outcome;
}

/* Returns how many of the choices go into one transaction. The choices of an order stay together. */
static size_t count_at_once(const struct retry_choice *choices, size_t count) {
    size_t fit = count < RETRIES_AT_ONCE ? count : RETRIES_AT_ONCE;
    while (fit > 1 && fit < count && choices[fit].order_id == choices[fit - 1].order_id) {
        fit--;
    }
    return fit;
}

static enum outcome retry_choices(struct retrying *retrying, const struct retry_choice *choices, size_t count) {
    uint64_t *ids = arena_alloc(retrying->context->arena, RETRIES_AT_ONCE * sizeof *ids);
    enum outcome outcome = OUTCOME_DONE;
    for (size_t from = 0, taken; from < count && outcome == OUTCOME_DONE; from += taken) {
        taken = count_at_once(choices + from, count - from);
        for (size_t i = 0; i < taken; i++) {
            ids[i] = choices[from + i].id;
        }
        qsort(ids, taken, sizeof *ids, order_by_id);
        retrying->request.ids = ids;
        retrying->request.count = taken;
        outcome = run_retry(retrying);
    }
    if (outcome != OUTCOME_DONE && retrying->retried > 0) {
        remark("%llu notifications were queued before the failure; repeat the command for the rest",
               (unsigned long long)retrying->retried);
    }
    return outcome;
}

static enum outcome retry_merchant(struct retrying *retrying) {
    struct context *context = retrying->context;
    struct retry_search search = {.again = retrying->request.again};
    struct retry_choice *choices;
    size_t count;
    enum outcome outcome = list_options_since(context, &search.since);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_merchant_option(context, &search.merchant_id);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = retries_find(context->connection, &search, context->arena, &choices, &count);
    if (status != STATUS_OK) {
        return fail(context, status, "find the notifications");
    }
    outcome = retry_choices(retrying, choices, count);
    if (outcome == OUTCOME_DONE) {
        print_choices(retrying);
    }
    return outcome;
}

enum outcome notification_retry(struct context *context) {
    const struct arguments *arguments = &context->arguments;
    bool of_merchant = arguments_has(arguments, "merchant");
    struct retrying retrying = {.context = context, .list = record_list_create(context->arena)};
    retrying.request = (struct retry_request){.again = arguments_has(arguments, "again"),
                                              .dry_run = arguments_has(arguments, "dry-run"),
                                              .actor = context->actor};
    if (of_merchant == (arguments->word_count > 0)) {
        return misuse(context, "either ids, or --merchant NAME with --since");
    }
    if (of_merchant != arguments_has(arguments, "since")) {
        return misuse(context, "--merchant and --since go together");
    }
    enum outcome outcome = reason_take(context, REASON_MAX, &retrying.request.reason);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    return of_merchant ? retry_merchant(&retrying) : retry_ids(&retrying);
}
