#include "settlement/sheet.h"

#include "domain/currency.h"
#include "domain/instant.h"

/* `row` is a property of the settlement (in the last column, `value`), an operation, or a sum for a network, a merchant
 * or the total. */
static const char *const COLUMNS[] = {"row",      "kind",  "currency",    "count",     "amount", "network",
                                      "merchant", "order", "transaction", "idservice", "at",     "value"};

static void end_line(struct sheet *sheet, bool printed) {
    struct text line = csv_line_end(&sheet->line);
    if (sheet->digest != NULL) {
        digest_add(sheet->digest, line);
    }
    if (printed) {
        sheet->write(sheet->context, line);
    }
}

static void property(struct sheet *sheet, const char *name, struct text value) {
    csv_line_plain(&sheet->line, name);
    csv_line_nothing(&sheet->line, COUNT_OF(COLUMNS) - 2);
    csv_line_digested(&sheet->line, value);
    end_line(sheet, sheet->write != NULL);
}

static void sheet_moment(struct sheet *sheet, const char *name, instant at) {
    char text[INSTANT_TEXT_SIZE];
    property(sheet, name, text_of(instant_print(at, text)));
}

void sheet_begin(struct sheet *sheet, const struct settlement *settlement) {
    sheet->digest = digest_begin();
    sheet->summary = settlement->summary;
    for (size_t i = 0; i < COUNT_OF(COLUMNS); i++) {
        csv_line_plain(&sheet->line, COLUMNS[i]);
    }
    end_line(sheet, sheet->write != NULL);
    if (settlement->number != 0) {
        csv_line_plain(&sheet->line, "settlement");
        csv_line_nothing(&sheet->line, COUNT_OF(COLUMNS) - 2);
        csv_line_number(&sheet->line, settlement->number);
        end_line(sheet, sheet->write != NULL);
    }
    if (settlement->date.size > 0) {
        property(sheet, "date", settlement->date);
        property(sheet, "zone", settlement->zone);
    }
    sheet_moment(sheet, "begins_at", settlement->begins_at);
    if (settlement->ends_at != 0) {
        sheet_moment(sheet, "ends_at", settlement->ends_at);
    }
    if (settlement->network.size > 0) {
        property(sheet, "only_network", settlement->network);
    }
    if (settlement->merchant.size > 0) {
        property(sheet, "only_merchant", settlement->merchant);
    }
}

void sheet_operation(struct sheet *sheet, const struct operation *operation) {
    char amount[MONEY_TEXT_SIZE], at[INSTANT_TEXT_SIZE];
    struct csv_line *line = &sheet->line;
    csv_line_plain(line, "operation");
    csv_line_plain(line, tally_kind_name(operation->kind));
    csv_line_digested(line, operation->currency);
    csv_line_nothing(line, 1);
    csv_line_plain(line, currency_print(operation->currency, operation->amount, amount));
    csv_line_digested(line, operation->network);
    csv_line_digested(line, operation->merchant);
    csv_line_digested(line, operation->order);
    csv_line_digested(line, operation->transaction);
    csv_line_number(line, operation->id);
    csv_line_plain(line, instant_print(operation->at, at));
    csv_line_nothing(line, 1);
    end_line(sheet, sheet->write != NULL && !sheet->summary);
}

static void sum_sheet(struct sheet *sheet, const struct tally_row *row, enum operation_kind kind) {
    static const char *const SCOPES[] = {
        [TALLY_NETWORK] = "network", [TALLY_MERCHANT] = "merchant", [TALLY_TOTAL] = "total"};
    char amount[TOTAL_TEXT_SIZE];
    struct csv_line *line = &sheet->line;
    csv_line_plain(line, SCOPES[row->scope]);
    csv_line_plain(line, tally_kind_name(kind));
    csv_line_digested(line, row->currency);
    csv_line_number(line, row->of[kind].count);
    csv_line_plain(line, total_print(&row->of[kind].amount, row->currency, amount));
    csv_line_digested(line, row->scope == TALLY_NETWORK ? row->name : TEXT(""));
    csv_line_digested(line, row->scope == TALLY_MERCHANT ? row->name : TEXT(""));
    csv_line_nothing(line, COUNT_OF(COLUMNS) - 7);
    end_line(sheet, sheet->write != NULL);
}

void sheet_end(struct sheet *sheet, const struct settlement *settlement, const struct tally_row *rows, size_t count,
               char digest[DIGEST_HEX_SIZE]) {
    for (size_t i = 0; i < count; i++) {
        for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
            sum_sheet(sheet, &rows[i], kind);
        }
    }
    digest_end(sheet->digest, digest);
    sheet->digest = NULL;
    if (!settlement->is_open) {
        property(sheet, "digest", text_of(digest));
    } else if (settlement->number != 0) {
        property(sheet, "open", TEXT("more may come: there is no digest before the settlement is closed"));
    } else {
        property(sheet, "open", TEXT("no settlement was closed for this day: there is no digest"));
    }
    csv_line_free(&sheet->line);
}
