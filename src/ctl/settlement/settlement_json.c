#include "ctl/settlement/json_text.h"
#include "ctl/settlement/settlement.h"
#include "domain/currency.h"
#include "domain/instant.h"

#include <inttypes.h>

static void member(const char *key, struct text value) {
    printf("\"%s\":", key);
    json_text_print(stdout, value);
    putchar(',');
}

static void json_moment(const char *key, instant at, const char *behind) {
    char text[INSTANT_TEXT_SIZE];
    printf("\"%s\":\"%s\"%s", key, instant_print(at, text), behind);
}

static void begin_element(bool is_first) {
    fputs(is_first ? "\n{" : ",\n{", stdout);
}

static void begin_json(const struct settlement *settlement) {
    putchar('{');
    if (settlement->number == 0) {
        fputs("\"settlement\":null,", stdout);
    } else {
        printf("\"settlement\":%" PRIu64 ",", settlement->number);
    }
    member("date", settlement->date);
    member("zone", settlement->zone);
    json_moment("begins_at", settlement->begins_at, ",");
    if (settlement->ends_at == 0) {
        fputs("\"ends_at\":null,", stdout);
    } else {
        json_moment("ends_at", settlement->ends_at, ",");
    }
    member("network", settlement->network);
    member("merchant", settlement->merchant);
    fputs("\"operations\":[", stdout);
}

static void print_json_operation(const struct operation *operation, bool is_first) {
    char amount[MONEY_TEXT_SIZE];
    begin_element(is_first);
    printf("\"kind\":\"%s\",\"idservice\":%" PRIu64 ",", tally_kind_name(operation->kind), operation->id);
    member("network", operation->network);
    member("transaction", operation->transaction);
    member("merchant", operation->merchant);
    member("po_id", operation->order);
    member("currency", operation->currency);
    printf("\"amount\":\"%s\",", currency_print(operation->currency, operation->amount, amount));
    json_moment("at", operation->at, "}");
}

static void print_json_sums(const struct tally_row *row, const char *name_key, bool is_first) {
    begin_element(is_first);
    if (name_key != NULL) {
        member(name_key, row->name);
    }
    printf("\"currency\":");
    json_text_print(stdout, row->currency);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
        char amount[TOTAL_TEXT_SIZE];
        printf(",\"%s\":{\"count\":%" PRIu64 ",\"amount\":\"%s\"}", tally_kind_name(kind), row->of[kind].count,
               total_print(&row->of[kind].amount, row->currency, amount));
    }
    putchar('}');
}

static void end_json(const struct settlement *settlement, const struct tally_row *rows, size_t count,
                     const char *digest) {
    static const struct {
        const char *array, *name_key;
    } SCOPES[] = {[TALLY_NETWORK] = {"networks", "network"},
                  [TALLY_MERCHANT] = {"merchants", "merchant"},
                  [TALLY_TOTAL] = {"totals", NULL}};
    for (enum tally_scope scope = TALLY_NETWORK; scope <= TALLY_TOTAL; scope++) {
        bool is_first = true;
        printf("],\"%s\":[", SCOPES[scope].array);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].scope == scope) {
                print_json_sums(&rows[i], SCOPES[scope].name_key, is_first);
                is_first = false;
            }
        }
    }
    printf("],\"open\":%s,", settlement->is_open ? "true" : "false");
    member("closed_by", settlement->closed_by);
    fputs("\"digest\":", stdout);
    json_text_print(stdout, digest == NULL ? TEXT("") : text_of(digest));
    puts("}");
}

const struct settlement_format settlement_json = {"json", begin_json, print_json_operation, end_json};
