#include "ctl/core/output.h"
#include "ctl/core/record.h"
#include "ctl/settlement/settlement.h"
#include "domain/currency.h"
#include "domain/instant.h"

#include <inttypes.h>

enum { NAME_WIDTH = 16 };

/* 2026-11-21 09:30:00Z */
static const char *short_instant(instant at, char out[INSTANT_TEXT_SIZE]) {
    instant_print(at - at % SECOND, out);
    out[10] = ' ';
    memcpy(out + 19, "Z", 2);
    return out;
}

/* Pads by characters, not bytes. */
static void print_name(struct text name) {
    struct text shown = name.size == 0 ? TEXT("-") : name;
    size_t width = text_characters(shown);
    printf("  %.*s%*s", TEXT_ARGS(shown), width < NAME_WIDTH ? (int)(NAME_WIDTH - width) : 0, "");
}

/* "settlement of DAY in ZONE", "settlement 7 of DAY in ZONE" or "settlement 7" */
static void print_name_of(const struct settlement *settlement) {
    fputs("settlement", stdout);
    if (settlement->number != 0) {
        printf(" %" PRIu64, settlement->number);
    }
    if (settlement->date.size > 0) {
        printf(" of %.*s in %.*s", TEXT_ARGS(settlement->date), TEXT_ARGS(settlement->zone));
    }
}

static void begin_table(const struct settlement *settlement) {
    char begins[INSTANT_TEXT_SIZE], ends[INSTANT_TEXT_SIZE];
    duration length = settlement->ends_at - settlement->begins_at;
    print_name_of(settlement);
    printf(": from %s to %s", short_instant(settlement->begins_at, begins),
           settlement->ends_at == 0 ? "now" : short_instant(settlement->ends_at, ends));
    if (settlement->number == 0 && length != DAY) {
        printf(", %d:%02d hours", (int)(length / HOUR), (int)(length % HOUR / MINUTE));
    }
    if (settlement->closed_by.size > 0) {
        printf(", closed by %.*s", TEXT_ARGS(settlement->closed_by));
    }
    printf("%s%.*s%s%.*s\n", settlement->network.size > 0 ? ", network " : "", TEXT_ARGS(settlement->network),
           settlement->merchant.size > 0 ? ", merchant " : "", TEXT_ARGS(settlement->merchant));
}

static void print_table_operation(const struct operation *operation, bool is_first) {
    char at[INSTANT_TEXT_SIZE], amount[MONEY_TEXT_SIZE];
    if (is_first) {
        puts("\nat                    kind            idservice              amount       network           merchant"
             "          transaction, order");
    }
    printf("%s  %-9s  %14" PRIu64 "  %18s  %.*s", short_instant(operation->at, at), tally_kind_name(operation->kind),
           operation->id, currency_print(operation->currency, operation->amount, amount),
           TEXT_ARGS(operation->currency));
    print_name(operation->network);
    print_name(operation->merchant);
    printf("  %.*s%s%.*s\n", TEXT_ARGS(operation->transaction), operation->order.size > 0 ? ", " : "",
           TEXT_ARGS(operation->order));
}

static void print_table_sums(struct record_list *list, const struct tally_row *row, const char *name_key) {
    struct record *record = record_list_add(list);
    if (name_key != NULL) {
        record_text(record, name_key, row->name.size == 0 ? TEXT("(top-ups)") : row->name);
    }
    record_text(record, "currency", row->currency);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
        char amount[TOTAL_TEXT_SIZE];
        record_number(record, tally_kind_name(kind), row->of[kind].count);
        record_sum(record, "amount", text_of(total_print(&row->of[kind].amount, row->currency, amount)));
    }
}

static void end_table(const struct settlement *settlement, const struct tally_row *rows, size_t count,
                      const char *digest) {
    static const char *const NAME_KEYS[] = {
        [TALLY_NETWORK] = "network", [TALLY_MERCHANT] = "merchant", [TALLY_TOTAL] = NULL};
    struct arena *arena = arena_create();
    if (count == 0) {
        puts("\nno operations");
    }
    for (enum tally_scope scope = TALLY_NETWORK; count > 0 && scope <= TALLY_TOTAL; scope++) {
        struct record_list *list = record_list_create(arena);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].scope == scope) {
                print_table_sums(list, &rows[i], NAME_KEYS[scope]);
            }
        }
        puts(scope == TALLY_TOTAL ? "\ntotal:" : "");
        output_list(list, false);
    }
    if (!settlement->is_open) {
        printf("\ndigest %s\n", digest);
    } else if (settlement->number != 0) {
        printf("\nOPEN: settlement %" PRIu64 " is not closed: more may come, so there is no digest\n",
               settlement->number);
    } else {
        puts("\nOPEN: no settlement was closed for this day: these are the operations between its instants, "
             "without a digest");
    }
    arena_destroy(arena);
}

const struct settlement_format settlement_table = {"table", begin_table, print_table_operation, end_table};
