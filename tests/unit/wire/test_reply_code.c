#include "unit.h"

#include "wire/reply_code.h"

#include <ctype.h>

/* A row of the table in doc/protocol.md: | 0000 | OK | 200 | */
struct row {
    char code[5];
    int status;
};

static bool is_code(const char *text) {
    for (int i = 0; i < 4; i++) {
        if (!isdigit((unsigned char)text[i])) {
            return false;
        }
    }
    return true;
}

static bool read_row(const char *line, struct row *out) {
    if (strncmp(line, "| ", 2) != 0 || !is_code(line + 2) || strncmp(line + 6, " | ", 3) != 0) {
        return false;
    }
    const char *end = strrchr(line, '|'), *last = end;
    while (last > line + 8 && last[-1] != '|') {
        last--;
    }
    uint64_t status;
    ck_assert_msg(text_to_number(text_trim((struct text){last, (size_t)(end - last)}), &status), "%s", line);
    memcpy(out->code, line + 2, 4);
    out->code[4] = '\0';
    out->status = (int)status;
    return true;
}

static size_t read_document(struct row *rows, size_t room) {
    FILE *document = fopen(SOURCE_DIRECTORY "/doc/protocol.md", "r");
    char line[1000];
    size_t count = 0;
    ck_assert_msg(document != NULL, "doc/protocol.md cannot be read");
    while (fgets(line, sizeof line, document) != NULL) {
        ck_assert_uint_lt(count, room);
        count += read_row(line, &rows[count]);
    }
    fclose(document);
    return count;
}

static const struct reply_code *find(const char *code) {
    for (int refusal = 0; refusal < REFUSAL_COUNT; refusal++) {
        if (strcmp(reply_code_of((enum refusal)refusal)->code, code) == 0) {
            return reply_code_of((enum refusal)refusal);
        }
    }
    return NULL;
}

START_TEST(every_refusal_has_a_code_of_its_own) {
    const struct reply_code *code = reply_code_of((enum refusal)_i);
    ck_assert_msg(code->code != NULL && code->text != NULL, "refusal %d is not in the table", _i);
    ck_assert_uint_eq(strlen(code->code), 4);
    ck_assert(is_code(code->code));
    ck_assert_uint_gt(strlen(code->text), 0);
    ck_assert_ptr_eq(find(code->code), code);
    ck_assert_int_eq(reply_code_meaning(code->code), _i);
}
END_TEST

START_TEST(the_document_has_the_same_table) {
    struct row rows[100];
    size_t count = read_document(rows, COUNT_OF(rows));
    ck_assert_uint_eq(count, REFUSAL_COUNT);
    for (size_t i = 0; i < count; i++) {
        const struct reply_code *code = find(rows[i].code);
        ck_assert_msg(code != NULL, "%s is only in the document", rows[i].code);
        ck_assert_msg(code->http_status == rows[i].status, "%s is %d in the document, %d in the code", rows[i].code,
                      rows[i].status, code->http_status);
        ck_assert_msg(i == 0 || strcmp(rows[i - 1].code, rows[i].code) < 0, "%s is out of order", rows[i].code);
    }
}
END_TEST

/* The permanent code of each refusal. */
static const struct {
    enum refusal refusal;
    const char *code;
} FIXED[] = {
    {GRANTED, "0000"},
    {REFUSED_PROCESSING_ERROR, "0009"},
    {REFUSED_TRANSACTION_ID, "0010"},
    {REFUSED_FIELD, "0011"},
    {REFUSED_NO_SUCH_TRANSACTION, "0013"},
    {REFUSED_TRANSACTION_CANCELLED, "0014"},
    {REFUSED_WINDOW_CLOSED, "0015"},
    {REFUSED_OTHER_DATA, "0016"},
    {REFUSED_NO_SUCH_MERCHANT, "0018"},
    {REFUSED_NOT_AUTHORISED, "0019"},
    {REFUSED_AMOUNT, "0021"},
    {REFUSED_COUNTRY, "0022"},
    {REFUSED_CURRENCY, "0023"},
    {REFUSED_CHECKSUM, "0025"},
    {REFUSED_CURRENCY_IN_COUNTRY, "0026"},
    {REFUSED_PAYMENT_MEANS, "0027"},
    {REFUSED_TRY_AGAIN, "0028"},
    {REFUSED_EXPIRATION_FORM, "0031"},
    {REFUSED_EXPIRATION_RANGE, "0032"},
    {REFUSED_ORDER_NOT_PENDING, "0041"},
    {REFUSED_ORDER_NUMBER_TAKEN, "0042"},
    {REFUSED_REFERENCE_TAKEN, "0043"},
    {REFUSED_NO_SUCH_REFERENCE, "0101"},
    {REFUSED_PAID, "0102"},
    {REFUSED_EXPIRED, "0103"},
    {REFUSED_DELETED, "0104"},
    {REFUSED_REFUNDED, "0105"},
    {REFUSED_HELD, "0106"},
    {REFUSED_BY_MERCHANT, "0107"},
    {REFUSED_MERCHANT_SILENT, "0108"},
    {REFUSED_MERCHANT_ANSWER, "0109"},
    {REFUSED_MERCHANT_RESTING, "0110"},
    {REFUSED_OTHER_COMMERCE, "0111"},
    {REFUSED_ACCOUNT_FULL, "0112"},
    {REFUSED_NETWORK_LIMIT, "0113"},
    {REFUSED_NOT_JSON, "0140"},
    {REFUSED_NO_SUCH_ROUTE, "0141"},
    {REFUSED_METHOD, "0142"},
    {REFUSED_MEDIA_TYPE, "0143"},
    {REFUSED_TOO_LARGE, "0144"},
    {REFUSED_TOO_MANY, "0145"},
};

START_TEST(codes_are_for_ever) {
    ck_assert_str_eq(reply_code_of(FIXED[_i].refusal)->code, FIXED[_i].code);
    ck_assert_int_eq(reply_code_meaning(FIXED[_i].code), FIXED[_i].refusal);
}
END_TEST

START_TEST(what_is_no_code_means_nothing_else) {
    ck_assert_int_eq(reply_code_meaning("9999"), REFUSED_PROCESSING_ERROR);
}
END_TEST

TCase *reply_code_tests(void) {
    TCase *tests = unit_case("reply_code");
    tcase_add_loop_test(tests, every_refusal_has_a_code_of_its_own, 0, REFUSAL_COUNT);
    tcase_add_test(tests, the_document_has_the_same_table);
    add_table_test(tests, codes_are_for_ever, FIXED);
    tcase_add_test(tests, what_is_no_code_means_nothing_else);
    return tests;
}
