#include "settlement/tally.h"

#include "base/hash.h"
#include "base/memory.h"

enum { ROOM_FIRST = 64 };

/* An open hash table, at most half full; a row without a currency is free. */
struct tally {
    struct arena *arena;
    struct tally_row *rows;
    size_t room, count;
};

static struct tally_row *new_rows(size_t room) {
    struct tally_row *rows = memory_zeroed(room, sizeof *rows);
    return rows;
}

struct tally *tally_create(struct arena *arena) {
    struct tally *tally = arena_alloc(arena, sizeof *tally);
    *tally = (struct tally){arena, new_rows(ROOM_FIRST), ROOM_FIRST, 0};
    return tally;
}

void tally_free(struct tally *tally) {
    free(tally->rows);
}

static struct tally_row *find_tally_row(struct tally_row *rows, size_t room, enum tally_scope scope, struct text name,
                                        struct text currency) {
    size_t at = hash_add_text(hash_add_text(HASH_START + scope, name), currency) % room;
    while (rows[at].currency.size > 0 &&
           !(rows[at].scope == scope && text_equal(rows[at].name, name) && text_equal(rows[at].currency, currency))) {
        at = (at + 1) % room;
    }
    return &rows[at];
}

static void grow_tally(struct tally *tally) {
    size_t room = 2 * tally->room;
    struct tally_row *rows = new_rows(room);
    for (size_t i = 0; i < tally->room; i++) {
        const struct tally_row *row = &tally->rows[i];
        if (row->currency.size > 0) {
            *find_tally_row(rows, room, row->scope, row->name, row->currency) = *row;
        }
    }
    free(tally->rows);
    tally->rows = rows;
    tally->room = room;
}

static void add_to_row(struct tally *tally, enum tally_scope scope, struct text name,
                       const struct operation *operation) {
    struct tally_row *row = find_tally_row(tally->rows, tally->room, scope, name, operation->currency);
    if (row->currency.size == 0) {
        row->scope = scope;
        row->name = arena_copy(tally->arena, name);
        row->currency = arena_copy(tally->arena, operation->currency);
        tally->count++;
    }
    row->of[operation->kind].count++;
    total_add(&row->of[operation->kind].amount, operation->amount);
    if (2 * tally->count > tally->room) {
        grow_tally(tally);
    }
}

void tally_add(struct tally *tally, const struct operation *operation) {
    add_to_row(tally, TALLY_NETWORK, operation->network, operation);
    add_to_row(tally, TALLY_MERCHANT, operation->merchant, operation);
    add_to_row(tally, TALLY_TOTAL, TEXT(""), operation);
}

static int compare_text(struct text a, struct text b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size == 0 ? 0 : memcmp(a.at, b.at, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_tally_rows(const void *one, const void *other) {
    const struct tally_row *a = one, *b = other;
    int order = (a->scope > b->scope) - (a->scope < b->scope);
    order = order != 0 ? order : compare_text(a->name, b->name);
    return order != 0 ? order : compare_text(a->currency, b->currency);
}

const struct tally_row *tally_rows(struct tally *tally, size_t *count) {
    size_t kept = 0;
    for (size_t i = 0; i < tally->room; i++) {
        if (tally->rows[i].currency.size > 0) {
            tally->rows[kept++] = tally->rows[i];
        }
    }
    qsort(tally->rows, kept, sizeof *tally->rows, compare_tally_rows);
    *count = kept;
    return tally->rows;
}

const char *tally_kind_name(enum operation_kind kind) {
    static const char *const NAMES[OPERATION_KINDS] = {
        [OPERATION_FINALISED] = "finalised", [OPERATION_CANCELLED] = "cancelled", [OPERATION_REFUNDED] = "refunded"};
    return NAMES[kind];
}
