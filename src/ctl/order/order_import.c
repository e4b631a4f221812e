#include "ctl/order/order_import.h"

#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/order/answered.h"
#include "ctl/order/order_fields.h"
#include "ctl/order/order_file.h"

#include <errno.h>

/* The orders of a file. The three arrays have one element per line, at the same index. */
struct import {
    struct context *context;
    struct order_file file;
    struct batch_order *orders;
    bool *reference_assigned;
    struct currency_choice currencies;
    struct answered answered;
    uint64_t merchant_id;
};

static void refuse_line(struct import *import, size_t at, const char *complaint) {
    import->file.lines[at].complaint = complaint;
    import->orders[at].included = false;
}

static void assign_reference(struct import *import, size_t at) {
    import->reference_assigned[at] = true;
    struct text *reference = &import->orders[at].order.reference;
    for (int i = 0; i < ASSIGNMENTS_MAX; i++) {
        if (!order_fields_assign_reference(import->context->arena, reference)) {
            refuse_line(import, at, "reference: cannot be drawn: the system's random generator failed");
            return;
        }
        if (!answered_by_another(&import->answered, *reference, 0)) {
            return;
        }
    }
    refuse_line(import, at, "reference: none can be made up: merchants answer nearly all references themselves");
}

/* Assigns a reference to a line without one. */
static void look_at_reference(struct import *import, size_t at) {
    struct text reference = import->orders[at].order.reference;
    if (reference.size == 0) {
        assign_reference(import, at);
    } else if (answered_by_another(&import->answered, reference, import->merchant_id)) {
        refuse_line(import, at, answered_complaint);
    }
}

static void read_order_line(struct import *import, size_t at) {
    struct order_line *line = &import->file.lines[at];
    struct new_order *order = &import->orders[at].order;
    if (line->complaint == NULL) {
        line->complaint = order_fields_read(import->context->arena, line->fields, &import->currencies, order);
    }
    order->merchant_id = import->merchant_id;
    order->origin = TEXT("imported");
    import->orders[at].included = line->complaint == NULL;
    if (line->complaint == NULL) {
        look_at_reference(import, at);
    }
}

/* A value of a line, for comparison with the other lines. */
struct key {
    struct text value;
    size_t at;
};

static int compare_keys(const void *left, const void *right) {
    const struct key *a = left, *b = right;
    size_t size = a->value.size < b->value.size ? a->value.size : b->value.size;
    int order = memcmp(a->value.at, b->value.at, size);
    if (order == 0) {
        order = (a->value.size > b->value.size) - (a->value.size < b->value.size);
    }
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* If several lines have the same value, keeps the first and refuses the others. */
static void refuse_repeated(struct import *import, struct key *keys, size_t count, const char *field) {
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1, first = 0; i < count; i++) {
        if (!text_equal(keys[i].value, keys[first].value)) {
            first = i;
            continue;
        }
        refuse_line(import, keys[i].at,
                    arena_print(import->context->arena, "%s: is that of line %llu too", field,
                                (unsigned long long)import->file.lines[keys[first].at].number)
                        .at);
    }
}

static void refuse_doubles(struct import *import) {
    struct key *keys = arena_alloc(import->context->arena, import->file.count * sizeof *keys);
    size_t count = 0;
    for (size_t i = 0; i < import->file.count; i++) {
        if (import->orders[i].included) {
            keys[count++] = (struct key){import->orders[i].order.po_id, i};
        }
    }
    refuse_repeated(import, keys, count, "order");
    count = 0;
    for (size_t i = 0; i < import->file.count; i++) {
        if (import->orders[i].included) {
            keys[count++] = (struct key){import->orders[i].order.reference, i};
        }
    }
    refuse_repeated(import, keys, count, "reference");
}

static bool is_anothers(const struct import *import, uint64_t merchant_id) {
    return merchant_id != 0 && merchant_id != import->merchant_id;
}

/* Whether a generated reference must be replaced. Any prefix rules it out, even the merchant's own. */
static bool is_in_the_way(const struct order_obstacle *obstacle) {
    return obstacle->same_reference != 0 || obstacle->is_document || obstacle->prefix_of != 0 || obstacle->kept_by != 0;
}

/* Refuses a line because of an obstacle found by the database. A generated reference is generated again instead. */
static bool judge_file(void *context, const struct order_obstacle *obstacle) {
    struct import *import = context;
    struct arena *arena = import->context->arena;
    const char *complaint = NULL;
    if (obstacle->is_due) {
        complaint = "due: is not in the future by the database's clock";
    } else if (obstacle->same_number != 0) {
        complaint = arena_print(arena, "order: the merchant has an order of this number already (pv_po_id %llu)",
                                (unsigned long long)obstacle->same_number)
                        .at;
    } else if (is_in_the_way(obstacle) && import->reference_assigned[obstacle->at]) {
        assign_reference(import, obstacle->at);
        return true;
    } else if (obstacle->is_document) {
        complaint = "reference: is the document number of an account, which keeps it permanently";
    } else if (obstacle->same_reference != 0) {
        complaint =
            arena_print(arena, "reference: is taken by order %llu%s", (unsigned long long)obstacle->same_reference,
                        obstacle->is_closing ? " until the dispatcher has passed (recaudo-dispatch --once)"
                                             : ", which is open")
                .at;
    } else if (obstacle->kept_by != 0) {
        complaint =
            "reference: still belongs to another merchant, which had an order with it (recaudoctl reference show)";
    } else if (is_anothers(import, obstacle->prefix_of)) {
        complaint = "reference: its prefix was given to another merchant (recaudoctl reference list)";
    }
    if (complaint != NULL) {
        refuse_line(import, obstacle->at, complaint);
    }
    return false;
}

static enum outcome show_imported(struct import *import, bool stored) {
    struct context *context = import->context;
    struct record *record = record_create(context->arena);
    record_number(record, "imported", stored ? import->file.count : 0);
    struct record_list *refused = record_list(record, "refused");
    for (size_t i = 0; i < import->file.count; i++) {
        if (import->file.lines[i].complaint != NULL) {
            struct record *line = record_list_add(refused);
            record_number(line, "line", import->file.lines[i].number);
            record_text(line, "reason", text_of(import->file.lines[i].complaint));
        }
    }
    output_record(record, context->json);
    if (!stored) {
        remark("nothing was imported: %zu of %zu lines are refused", refused->count, import->file.count);
    }
    return stored ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome store_orders(struct import *import) {
    struct order_batch batch = {.orders = import->orders,
                                .count = import->file.count,
                                .actor = import->context->actor,
                                .judge = judge_file,
                                .context = import,
                                .stored = true};
    enum status status = import->file.count == 0 ? STATUS_OK : orders_insert_all(import->context->connection, &batch);
    if (status == STATUS_CLASH) {
        return refuse(import->context, "somebody else is storing the same orders at this moment; nothing was imported");
    }
    return status == STATUS_OK ? show_imported(import, batch.stored)
                               : fail(import->context, status, "store the orders");
}

static enum outcome read_order_file(struct import *import) {
    struct context *context = import->context;
    const char *path = arguments_get(&context->arguments, "file").at;
    bool is_input = strcmp(path, "-") == 0;
    FILE *from = is_input ? stdin : fopen(path, "re");
    bool read = from != NULL && order_file_read(from, context->arena, &import->file);
    int error = errno;
    if (from != NULL && !is_input) {
        fclose(from);
    }
    return read ? OUTCOME_DONE : refuse(context, "--file: %s: %s", path, strerror(error));
}

static enum outcome prepare_orders(struct import *import) {
    struct context *context = import->context;
    struct merchant_description merchant = {.id = 0};
    enum outcome outcome = catalogue_merchant(context, arguments_get(&context->arguments, "merchant"), &merchant);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_currencies(context, &import->currencies);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = answered_read(context, &import->answered);
    }
    import->merchant_id = merchant.id;
    return outcome == OUTCOME_DONE ? read_order_file(import) : outcome;
}

enum outcome order_import(struct context *context) {
    struct import import = {.context = context};
    enum outcome outcome = prepare_orders(&import);
    if (outcome == OUTCOME_DONE) {
        import.orders = arena_alloc(context->arena, import.file.count * sizeof *import.orders);
        import.reference_assigned = arena_alloc(context->arena, import.file.count * sizeof *import.reference_assigned);
        for (size_t i = 0; i < import.file.count; i++) {
            read_order_line(&import, i);
        }
        refuse_doubles(&import);
        outcome = store_orders(&import);
    }
    order_file_free(&import.file);
    return outcome;
}
