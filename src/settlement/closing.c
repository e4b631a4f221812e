#include "settlement/closing.h"

#include "base/zone/zone_day.h"
#include "domain/instant.h"

enum { BATCH = 500 };

struct summing {
    struct arena *arena, *scratch;
    struct settlement settlement;
    struct settlement_place place;
    struct sheet sheet;
    struct tally *tally;
    uint64_t counts[OPERATION_KINDS];
};

static void take_closing(void *context, const struct operation *operation) {
    struct summing *summing = context;
    summing->counts[operation->kind]++;
    tally_add(summing->tally, operation);
    sheet_operation(&summing->sheet, operation);
}

bool closing_cuts_alike(const struct named_day *day) {
    instant midnight, begins, ends, theirs_begins, theirs_ends;
    return !text_equal(day->zone, text_of(day->configured)) && instant_parse_day(day->date, &midnight) &&
           zone_day(day->zone.at, midnight, &begins, &ends) &&
           zone_day(day->configured, midnight, &theirs_begins, &theirs_ends) && begins == theirs_begins &&
           ends == theirs_ends;
}

enum status closing_find_day(struct connection *connection, const struct named_day *day, struct arena *arena,
                             struct settlement_row *out) {
    enum status status = settlements_find_day(connection, day->date, day->zone, arena, out);
    return status == STATUS_NONE && closing_cuts_alike(day)
               ? settlements_find_day(connection, day->date, text_of(day->configured), arena, out)
               : status;
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

/* Ends the sheet and frees `summing`. */
static void end_closing(struct summing *summing, char digest[DIGEST_HEX_SIZE]) {
    size_t count;
    const struct tally_row *rows = tally_rows(summing->tally, &count);
    sheet_end(&summing->sheet, &summing->settlement, rows, count, digest);
    tally_free(summing->tally);
    arena_destroy(summing->scratch);
    arena_destroy(summing->arena);
}

void closing_sum_drop(struct summing *summing) {
    char digest[DIGEST_HEX_SIZE];
    if (summing != NULL) {
        end_closing(summing, digest);
    }
}

/* Begins with the oldest closed settlement without a digest. STATUS_NONE: all have one. */
static enum status begin_closing(struct connection *connection, struct summing **out) {
    uint64_t number;
    struct settlement_row row;
    enum status status = closings_unsummed(connection, &number);
    if (status != STATUS_OK) {
        return status;
    }
    struct arena *arena = arena_create();
    status = settlements_find(connection, number, arena, &row);
    if (status != STATUS_OK) {
        arena_destroy(arena);
        return status;
    }
    struct summing *summing = arena_alloc(arena, sizeof *summing);
    *summing = (struct summing){.arena = arena, .scratch = arena_create(), .place = {.number = number}};
    summing->settlement = closing_describe(&row);
    summing->tally = tally_create(arena);
    sheet_begin(&summing->sheet, &summing->settlement);
    *out = summing;
    return STATUS_OK;
}

/* Writes counts and digest. Frees `summing`. */
static enum status write_sum(struct connection *connection, struct summing *summing) {
    uint64_t number = summing->place.number, counts[OPERATION_KINDS];
    char digest[DIGEST_HEX_SIZE];
    memcpy(counts, summing->counts, sizeof counts);
    end_closing(summing, digest);
    return closings_sum(connection, number, counts, text_of(digest));
}

enum status closing_sum_step(struct connection *connection, struct summing **summing, bool *more) {
    *more = true;
    if (*summing == NULL) {
        enum status status = begin_closing(connection, summing);
        *more = status == STATUS_OK;
        return status == STATUS_NONE ? STATUS_OK : status;
    }
    struct summing *current = *summing;
    enum status status = settlements_page(connection, &current->place, current->scratch, take_closing, current);
    if (status == STATUS_OK && current->place.read == SETTLEMENT_PAGE) {
        return STATUS_OK;
    }
    *summing = NULL;
    if (status == STATUS_OK) {
        return write_sum(connection, current);
    }
    closing_sum_drop(current);
    return status;
}

enum status closing_sum_all(struct connection *connection) {
    struct summing *summing = NULL;
    bool more = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && more) {
        status = closing_sum_step(connection, &summing, &more);
    }
    return status;
}

enum status closing_close(struct connection *connection, const struct closing *closing) {
    uint64_t collected = BATCH;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && collected == BATCH) {
        status = closings_collect(connection, BATCH, &collected);
    }
    return status == STATUS_OK ? closings_close(connection, closing) : status;
}
