#include "settlement/closing.h"

enum { BATCH = 500 };

struct sum {
    struct sheet sheet;
    struct tally *tally;
    uint64_t *counts;
};

static void take(void *context, const struct operation *operation) {
    struct sum *sum = context;
    sum->counts[operation->kind]++;
    tally_add(sum->tally, operation);
    sheet_operation(&sum->sheet, operation);
}

struct settlement closing_describe(const struct settlement_row *row) {
    return (struct settlement){.number = row->number,
                               .date = row->day,
                               .zone = row->zone,
                               .begins_at = row->opened_at,
                               .ends_at = row->closed_at,
                               .closed_by = row->closed_by,
                               .is_open = !row->is_closed};
}

enum status closing_compute(struct connection *connection, const struct settlement_row *row,
                            uint64_t counts[OPERATION_KINDS], char digest[DIGEST_HEX_SIZE]) {
    struct arena *arena = arena_create(), *scratch = arena_create();
    struct settlement settlement = closing_describe(row);
    struct settlement_span span = {.number = row->number};
    struct sum sum = {.tally = tally_create(arena), .counts = counts};
    size_t count;
    memset(counts, 0, OPERATION_KINDS * sizeof *counts);
    sheet_begin(&sum.sheet, &settlement);
    enum status status = settlements_each(connection, &span, scratch, take, &sum);
    const struct tally_row *rows = tally_rows(sum.tally, &count);
    sheet_end(&sum.sheet, &settlement, rows, count, digest);
    tally_free(sum.tally);
    arena_destroy(scratch);
    arena_destroy(arena);
    return status;
}

static enum status sum_one(struct connection *connection, uint64_t number) {
    struct arena *arena = arena_create();
    struct settlement_row row;
    uint64_t counts[OPERATION_KINDS];
    char digest[DIGEST_HEX_SIZE];
    enum status status = settlements_find(connection, number, arena, &row);
    if (status == STATUS_OK) {
        status = closing_compute(connection, &row, counts, digest);
    }
    if (status == STATUS_OK) {
        status = closings_sum(connection, number, counts, text_of(digest));
    }
    arena_destroy(arena);
    return status;
}

enum status closing_sum_all(struct connection *connection) {
    uint64_t number;
    enum status status = closings_unsummed(connection, &number);
    while (status == STATUS_OK) {
        status = sum_one(connection, number);
        if (status == STATUS_OK) {
            status = closings_unsummed(connection, &number);
        }
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status closing_close(struct connection *connection, const struct closing *closing) {
    uint64_t collected = BATCH;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && collected == BATCH) {
        status = closings_collect(connection, BATCH, &collected);
    }
    if (status == STATUS_OK) {
        status = closings_close(connection, closing);
    }
    return status == STATUS_OK ? closing_sum_all(connection) : status;
}
