#include "settlement/comparison.h"

#include "base/hash.h"
#include "base/memory.h"
#include "domain/currency.h"

struct comparison {
    struct arena *arena;
    const struct network_file *file;
    struct text day;
    const struct network_line **places; /* open hash table by transaction, at most half full */
    bool *is_taken;                     /* by index of the line in the file */
    size_t room, next;
    struct differences found;
};

const char *difference_kind_name(enum difference_kind kind) {
    static const char *const NAMES[] = {[MISSING_HERE] = "missing_here",
                                        [MISSING_THERE] = "missing_there",
                                        [DIFFERS] = "differs",
                                        [REFUSED_LINE] = "refused"};
    return NAMES[kind];
}

static struct difference *add_to_comparison(struct comparison *comparison, enum difference_kind kind,
                                            struct text transaction) {
    struct difference *new = arena_alloc(comparison->arena, sizeof *new);
    struct differences *found = &comparison->found;
    new->kind = kind;
    new->transaction = arena_copy(comparison->arena, transaction);
    if (found->last == NULL) {
        found->first = new;
    } else {
        found->last->next = new;
    }
    found->last = new;
    found->count++;
    return new;
}

static void refuse(struct comparison *comparison, const struct network_line *line, const char *complaint) {
    struct difference *new = add_to_comparison(comparison, REFUSED_LINE, line->transaction);
    new->line = line->number;
    new->field = "line";
    new->there = text_of(complaint);
}

/* Returns the slot of the line with this transaction, or the free slot for it. */
static const struct network_line **find_line(struct comparison *comparison, struct text transaction) {
    size_t at = hash_add_text(HASH_START, transaction) % comparison->room;
    while (comparison->places[at] != NULL && !text_equal(comparison->places[at]->transaction, transaction)) {
        at = (at + 1) % comparison->room;
    }
    return &comparison->places[at];
}

static void place_line(struct comparison *comparison, size_t at) {
    const struct network_line *line = &comparison->file->lines[at];
    const struct network_line **found = find_line(comparison, line->transaction);
    bool is_twice = *found != NULL && (*found)->complaint == NULL;
    comparison->is_taken[at] = line->complaint != NULL || is_twice;
    if (line->complaint != NULL) {
        refuse(comparison, line, line->complaint);
    } else if (is_twice) {
        refuse(comparison, line,
               arena_print(comparison->arena, "transaction: is that of line %llu too",
                           (unsigned long long)(*found)->number)
                   .at);
    }
    if (!is_twice && line->transaction.size > 0) {
        *found = line; /* a refused line too, so that its payment is not reported as missing there */
    }
}

struct comparison *comparison_create(struct arena *arena, const struct network_file *file, struct text day) {
    struct comparison *comparison = arena_alloc(arena, sizeof *comparison);
    comparison->arena = arena;
    comparison->file = file;
    comparison->day = day;
    comparison->room = 2 * file->count + 1;
    comparison->places = memory_zeroed(comparison->room, sizeof(struct network_line *));
    comparison->is_taken = memory_zeroed(file->count + 1, sizeof(bool));
    for (size_t i = 0; i < file->count; i++) {
        place_line(comparison, i);
    }
    return comparison;
}

void comparison_free(struct comparison *comparison) {
    free(comparison->places);
    free(comparison->is_taken);
}

static struct text print_amount(struct arena *arena, struct money amount, struct text currency) {
    char text[MONEY_TEXT_SIZE];
    return arena_copy(arena, text_of(currency_print(currency, amount, text)));
}

static void differ(struct comparison *comparison, const struct network_line *line, const struct own_payment *payment,
                   const char *field, struct text here, struct text there) {
    struct difference *new = add_to_comparison(comparison, DIFFERS, line->transaction);
    new->line = line->number;
    new->idservice = payment->id;
    new->field = field;
    new->here = arena_copy(comparison->arena, here);
    new->there = arena_copy(comparison->arena, there);
    new->currency = arena_copy(comparison->arena, payment->currency);
}

/* One that they cancelled and that was never confirmed here was paid on neither side. */
static bool same_state(const struct network_line *line, const struct own_payment *payment) {
    return line->is_cancelled
               ? text_equal(payment->state, TEXT("CANCELADA")) || text_equal(payment->state, TEXT("REGISTRADA"))
               : text_equal(payment->state, TEXT("FINALIZADA"));
}

static void compare_lines(struct comparison *comparison, const struct network_line *line,
                          const struct own_payment *payment) {
    struct arena *arena = comparison->arena;
    struct text day = comparison->file->has_days ? line->day : comparison->day;
    size_t before = comparison->found.count;
    if (!same_state(line, payment)) {
        differ(comparison, line, payment, "state", payment->state, line->state.size > 0 ? line->state : TEXT("paid"));
    }
    if (!money_equal(line->amount, payment->amount)) {
        differ(comparison, line, payment, "amount", print_amount(arena, payment->amount, payment->currency),
               print_amount(arena, line->amount, payment->currency));
    }
    if (line->currency.size > 0 && !text_equal(line->currency, payment->currency)) {
        differ(comparison, line, payment, "currency", payment->currency, line->currency);
    }
    if (payment->day.size > 0 && day.size > 0 && !text_equal(day, payment->day)) {
        differ(comparison, line, payment, "day", payment->day, day);
    }
    comparison->found.agreeing += comparison->found.count == before;
}

void comparison_take(struct comparison *comparison, const struct own_payment *payment) {
    const struct network_line *line = *find_line(comparison, payment->transaction);
    if (line != NULL && line->complaint != NULL) {
        return; /* already reported as refused */
    }
    if (line != NULL) {
        comparison->is_taken[line - comparison->file->lines] = true;
        compare_lines(comparison, line, payment);
    } else if (text_equal(payment->state, TEXT("FINALIZADA"))) {
        struct difference *new = add_to_comparison(comparison, MISSING_THERE, payment->transaction);
        new->idservice = payment->id;
        new->field = "amount";
        new->here = print_amount(comparison->arena, payment->amount, payment->currency);
        new->currency = arena_copy(comparison->arena, payment->currency);
    }
}

const struct network_line *comparison_next(struct comparison *comparison) {
    while (comparison->next < comparison->file->count && comparison->is_taken[comparison->next]) {
        comparison->next++;
    }
    bool at_end = comparison->next == comparison->file->count;
    return at_end ? NULL : &comparison->file->lines[comparison->next++];
}

void comparison_answer(struct comparison *comparison, const struct network_line *line,
                       const struct own_payment *payment) {
    bool is_of_another_day = comparison->day.size > 0 && line->day.size > 0 && !text_equal(line->day, comparison->day);
    if (is_of_another_day) {
        refuse(comparison, line, "date: is not of the day that is compared");
    } else {
        compare_lines(comparison, line, payment);
    }
}

/* A payment that the network lists as cancelled and that is unknown here agrees: neither side has its money.
 * comparison_take treats the opposite case alike. */
void comparison_answer_unknown(struct comparison *comparison, const struct network_line *line) {
    if (line->is_cancelled) {
        comparison->found.agreeing++;
        return;
    }
    struct difference *new = add_to_comparison(comparison, MISSING_HERE, line->transaction);
    new->line = line->number;
    new->field = "amount";
    new->there = print_amount(comparison->arena, line->amount, line->currency);
    new->currency = line->currency;
}

const struct differences *comparison_end(const struct comparison *comparison) {
    return &comparison->found;
}
