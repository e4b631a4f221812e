#include "unit.h"

#include "settlement/comparison.h"

#include <inttypes.h>

static struct arena *arena;
static struct network_file file;
static struct comparison *comparison;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    if (comparison != NULL) {
        comparison_free(comparison);
    }
    comparison = NULL;
    network_file_free(&file);
    arena_destroy(arena);
}

static void read_file(const char *content, const char *zone) {
    FILE *from = fmemopen((void *)(uintptr_t)content, strlen(content), "r");
    ck_assert_ptr_nonnull(from);
    ck_assert(network_file_read(from, zone, arena, &file));
    fclose(from);
}

static const struct {
    const char *content, *zone;
    const char *transaction, *amount, *currency, *day, *state;
    bool is_cancelled;
} LINES[] = {
    {"transaction,amount\nT-1,45000.00\n", "UTC", "T-1", "45000", "", "", "", false},
    {"Monto;IDTRANSACTION\n45000;T-1\n", "UTC", "T-1", "45000", "", "", "", false},
    {"\xEF\xBB\xBFtransaction,amount,other\r\n T-1 , 0.5 ,x\r\n", "UTC", "T-1", "0.5", "", "", "", false},
    {"Transacción,valor,moneda,estado\nñ 1,45000,COP,Cancelada\n", "UTC", "ñ 1", "45000", "COP", "", "Cancelada", true},
    {"transaction,amount,status\nT,1,paid\n", "UTC", "T", "1", "", "", "paid", false},
    {"transaction,amount,confirm\nT,1,false\n", "UTC", "T", "1", "", "", "false", true},
    {"transaction,amount,date\nT,1,2026-11-21\n", "America/Bogota", "T", "1", "", "2026-11-21", "", false},
    {"transaction,amount,fecha\nT,1,2026-11-21 23:59:59\n", "America/Bogota", "T", "1", "", "2026-11-21", "", false},
    {"transaction,amount,at\nT,1,2026-11-21T03:00:00Z\n", "America/Bogota", "T", "1", "", "2026-11-20", "", false},
    {"transaction,amount,timestamp\nT,1,1795253400\n", "Asia/Tokyo", "T", "1", "", "2026-11-21", "", false},
    {"transaction,amount,date\n\"T,\"\"1\"\"\",1,\n", "UTC", "T,\"1\"", "1", "", "", "", false},
    {"transaction,amount\n \t\" T \" ,\" 1 \"\n", "UTC", " T ", "1", "", "", "", false},
};

START_TEST(reads_what_networks_write) {
    char amount[MONEY_TEXT_SIZE];
    read_file(LINES[_i].content, LINES[_i].zone);
    ck_assert_uint_eq(file.count, 1);
    const struct network_line *line = &file.lines[0];
    ck_assert_msg(line->complaint == NULL, "%s", line->complaint);
    assert_text(line->transaction, LINES[_i].transaction);
    ck_assert_str_eq(money_print(line->amount, 0, amount), LINES[_i].amount);
    assert_text(line->currency, LINES[_i].currency);
    assert_text(line->day, LINES[_i].day);
    assert_text(line->state, LINES[_i].state);
    ck_assert(line->is_cancelled == LINES[_i].is_cancelled);
    ck_assert_uint_eq(line->number, 2);
}
END_TEST

static const struct {
    const char *content;
    uint64_t line;
    const char *complaint; /* the beginning of the complaint */
} COMPLAINTS[] = {
    {"", 1, "the first line must name the columns"},
    {"a,b\nT,1\n", 1, "the first line must name the columns, and names no transaction"},
    {"transaction\nT\n", 1, "the first line must name the columns, and names no amount"},
    {"transaction,amount,monto\nT,1,1\n", 1, "columns 2 and 3 are both the amount"},
    {"transaction,\xFF\n", 1, "is not UTF-8 text"},
    {"transaction,amount\n\nT\n", 3, "has 1 fields where the first line has 2"},
    {"transaction,amount\nT,1,2\n", 2, "has 3 fields where the first line has 2"},
    {"transaction,amount\n\"T,1\n", 2, "has a quote"},
    {"transaction,amount\nT,1\rU,2\n", 2, "has a carriage return"},
    {"transaction,amount\rT,1\r", 1, "has a carriage return"},
    {"transaction,amount\n,1\n", 2, "transaction: is missing"},
    {"transaction,amount\nT\xFF,1\n", 2, "transaction: is not UTF-8 text"},
    {"transaction,amount\nT\x1b[2J,1\n", 2, "transaction: is not UTF-8 text"},
    {"transaction,amount\nT,\n", 2, "amount: is not an amount"},
    {"transaction,amount\nT,-1\n", 2, "amount: is not an amount"},
    {"transaction,amount\nT,\"45,000\"\n", 2, "amount: is not an amount"},
    {"transaction,amount,date\nT,1,21/11/2026\n", 2, "date: must be like"},
    {"transaction,amount,date\nT,1,2026-11-31\n", 2, "date: must be like"},
    {"transaction,amount,date\nT,1,2026-11-21T02:26:38-05:00\n", 2, "date: must be like"},
    {"transaction,amount,date\nT,1,2026-11\n", 2, "date: must be like"},
    {"transaction,amount,date\nT,1,20261121\n", 2, "date: must be like"},
    {"transaction,amount,date\nT,1,2026-11-21 24:00:00\n", 2, "date: must be like"},
    {"transaction,amount,state\nT,1,maybe\n", 2, "state: must be a word like paid"},
    {"transaction,amount,currency\nT,1,\x1b\n", 2, "currency: is not UTF-8 text"},
};

START_TEST(says_what_is_wrong_with_a_line) {
    read_file(COMPLAINTS[_i].content, "UTC");
    ck_assert_uint_eq(file.count, 1);
    ck_assert_uint_eq(file.lines[0].number, COMPLAINTS[_i].line);
    ck_assert_ptr_nonnull(file.lines[0].complaint);
    ck_assert_msg(strncmp(file.lines[0].complaint, COMPLAINTS[_i].complaint, strlen(COMPLAINTS[_i].complaint)) == 0,
                  "%s", file.lines[0].complaint);
}
END_TEST

static struct own_payment payment(uint64_t id, const char *transaction, const char *state, const char *amount) {
    struct own_payment own = {.id = id,
                              .transaction = text_of(transaction),
                              .state = text_of(state),
                              .currency = TEXT("COP"),
                              .day = TEXT("2026-11-21")};
    ck_assert(money_parse(text_of(amount), &own.amount));
    return own;
}

static void take(uint64_t id, const char *transaction, const char *state, const char *amount) {
    struct own_payment own = payment(id, transaction, state, amount);
    comparison_take(comparison, &own);
}

/* Returns "differs 2 T-1 5 amount 45000.00 45001.00; ..." */
static const char *found(void) {
    static const char *const KINDS[] = {"missing_here", "missing_there", "differs", "refused"};
    struct text words = TEXT("");
    for (const struct difference *one = comparison_end(comparison)->first; one != NULL; one = one->next) {
        words = arena_print(arena, "%.*s%s%s %" PRIu64 " %.*s %" PRIu64 " %s [%.*s] [%.*s]", TEXT_ARGS(words),
                            words.size > 0 ? "; " : "", KINDS[one->kind], one->line, TEXT_ARGS(one->transaction),
                            one->idservice, one->field, TEXT_ARGS(one->here), TEXT_ARGS(one->there));
    }
    return words.size == 0 ? "" : words.at;
}

static void begin(const char *content, const char *day) {
    read_file(content, "UTC");
    comparison = comparison_create(arena, &file, text_of(day));
}

START_TEST(equal_lists_do_not_differ) {
    begin("transaction,amount,currency,date,state\nT-1,45000,COP,2026-11-21,paid\nT-2,0.50,COP,2026-11-21,cancelled\n"
          "T-4,8,COP,2026-11-21,cancelled\n",
          "");
    take(1, "T-1", "FINALIZADA", "45000.00");
    take(2, "T-2", "CANCELADA", "0.5");
    take(3, "T-3", "CANCELADA", "7");  /* no money moved, so the network need not list it */
    take(4, "T-4", "REGISTRADA", "8"); /* paid on neither side */
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(found(), "");
    ck_assert_uint_eq(comparison_end(comparison)->agreeing, 3);
}
END_TEST

START_TEST(what_is_missing_on_either_side) {
    begin("transaction,amount\nT-1,45000\nT-2,8\n", "2026-11-21");
    take(1, "T-1", "FINALIZADA", "45000");
    take(3, "T-3", "FINALIZADA", "9.5");
    const struct network_line *line = comparison_next(comparison);
    assert_text(line->transaction, "T-2");
    comparison_answer_unknown(comparison, line);
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(found(), "missing_there 0 T-3 3 amount [9.50] []; missing_here 3 T-2 0 amount [] [8.0000]");
}
END_TEST

START_TEST(what_was_cancelled_there_is_not_missing_here) {
    begin("transaction,amount,state\nT-1,45000,cancelled\nT-2,45000,paid\n", "2026-11-21");
    comparison_answer_unknown(comparison, comparison_next(comparison));
    comparison_answer_unknown(comparison, comparison_next(comparison));
    ck_assert_str_eq(found(), "missing_here 3 T-2 0 amount [] [45000.0000]");
    ck_assert_uint_eq(comparison_end(comparison)->agreeing, 1);
}
END_TEST

START_TEST(ids_that_differ_in_blanks) {
    begin("transaction,amount\n\"T-1\",1\n\"T-1 \",2\n", "2026-11-21");
    take(5, "T-1", "FINALIZADA", "1");
    take(6, "T-1 ", "FINALIZADA", "2");
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(found(), "");
}
END_TEST

START_TEST(every_field_that_differs) {
    begin(
        "transaction,amount,currency,date,state\nT-1,45001,USD,2026-11-20,confirmed\nT-2,1,COP,2026-11-21,reversada\n",
        "");
    take(5, "T-1", "CANCELADA", "45000");
    take(6, "T-2", "FINALIZADA", "1");
    ck_assert_str_eq(found(),
                     "differs 2 T-1 5 state [CANCELADA] [confirmed]; differs 2 T-1 5 amount [45000.00] [45001.00];"
                     " differs 2 T-1 5 currency [COP] [USD]; differs 2 T-1 5 day [2026-11-21] [2026-11-20];"
                     " differs 3 T-2 6 state [FINALIZADA] [reversada]");
    ck_assert_uint_eq(comparison_end(comparison)->agreeing, 0);
}
END_TEST

START_TEST(a_line_that_was_settled_on_another_day_or_not_at_all) {
    begin("transaction,amount\nT-1,1\nT-2,1\n", "2026-11-22");
    struct own_payment other_day = payment(5, "T-1", "FINALIZADA", "1"), open = payment(6, "T-2", "REGISTRADA", "1");
    open.day = TEXT("");
    comparison_answer(comparison, comparison_next(comparison), &other_day);
    comparison_answer(comparison, comparison_next(comparison), &open);
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(found(),
                     "differs 2 T-1 5 day [2026-11-21] [2026-11-22]; differs 3 T-2 6 state [REGISTRADA] [paid]");
}
END_TEST

START_TEST(lines_that_say_nothing) {
    begin("transaction,amount\nT-1,1\nT-1,1\nT-2,x\n", "2026-11-21");
    take(5, "T-1", "FINALIZADA", "1");
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(
        found(),
        "refused 3 T-1 0 line [] [transaction: is that of line 2 too];"
        " refused 4 T-2 0 line [] [amount: is not an amount: up to 15 digits, and after a point up to 4 decimals]");
}
END_TEST

START_TEST(a_payment_whose_line_is_refused_is_not_missing_there) {
    begin("transaction,amount\nT-1,x\nT-2,x\nT-2,1\n", "2026-11-21");
    take(5, "T-1", "FINALIZADA", "1");
    take(6, "T-2", "FINALIZADA", "1");
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(
        found(),
        "refused 2 T-1 0 line [] [amount: is not an amount: up to 15 digits, and after a point up to 4 decimals];"
        " refused 3 T-2 0 line [] [amount: is not an amount: up to 15 digits, and after a point up to 4 decimals]");
    ck_assert_uint_eq(comparison_end(comparison)->agreeing, 1);
}
END_TEST

START_TEST(a_line_of_another_day_than_the_one_compared) {
    begin("transaction,amount,date\nT-1,1,2026-11-21\n", "2026-11-22");
    struct own_payment other_day = payment(5, "T-1", "FINALIZADA", "1");
    comparison_answer(comparison, comparison_next(comparison), &other_day);
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(found(), "refused 2 T-1 0 line [] [date: is not of the day that is compared]");
    ck_assert_uint_eq(comparison_end(comparison)->agreeing, 0);
}
END_TEST

START_TEST(an_amount_with_more_decimals_than_its_currency) {
    begin("transaction,amount,currency\nT-1,45.000,COP\n", "2026-11-21");
    ck_assert_ptr_null(comparison_next(comparison));
    ck_assert_str_eq(found(), "refused 2 T-1 0 line [] [amount: has more decimals than its currency; a point may only "
                              "stand before decimals]");
}
END_TEST

START_TEST(finds_each_of_many) {
    struct text content = TEXT("transaction,amount\n");
    for (int i = 0; i < 500; i++) {
        content = arena_print(arena, "%.*sT-%d,%d\n", TEXT_ARGS(content), i, i + 1);
    }
    begin(content.at, "2026-11-21");
    for (int i = 499; i >= 0; i -= 2) {
        take((uint64_t)i + 1, arena_print(arena, "T-%d", i).at, "FINALIZADA", arena_print(arena, "%d", i + 1).at);
    }
    ck_assert_uint_eq(comparison_end(comparison)->agreeing, 250);
    size_t others = 0;
    while (comparison_next(comparison) != NULL) {
        others++;
    }
    ck_assert_uint_eq(others, 250);
}
END_TEST

TCase *comparison_tests(void) {
    TCase *tests = unit_case("comparison");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, reads_what_networks_write, LINES);
    add_table_test(tests, says_what_is_wrong_with_a_line, COMPLAINTS);
    tcase_add_test(tests, equal_lists_do_not_differ);
    tcase_add_test(tests, what_is_missing_on_either_side);
    tcase_add_test(tests, what_was_cancelled_there_is_not_missing_here);
    tcase_add_test(tests, ids_that_differ_in_blanks);
    tcase_add_test(tests, every_field_that_differs);
    tcase_add_test(tests, a_line_that_was_settled_on_another_day_or_not_at_all);
    tcase_add_test(tests, lines_that_say_nothing);
    tcase_add_test(tests, a_payment_whose_line_is_refused_is_not_missing_there);
    tcase_add_test(tests, a_line_of_another_day_than_the_one_compared);
    tcase_add_test(tests, an_amount_with_more_decimals_than_its_currency);
    tcase_add_test(tests, finds_each_of_many);
    return tests;
}
