#include "unit.h"

#include "domain/instant.h"
#include "page/barcode.h"
#include "page/document.h"
#include "page/html.h"
#include "page/notice.h"
#include "page/readable.h"

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static bool holds(struct text whole, const char *part) {
    return memmem(whole.at, whole.size, part, strlen(part)) != NULL;
}

static const struct {
    const char *text, *escaped;
} TEXTS[] = {
    {"", ""},
    {"Tienda Única", "Tienda Única"},
    {"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
    {"a & b &amp; c", "a &amp; b &amp;amp; c"},
    {"\" onload='x'", "&quot; onload=&#39;x&#39;"},
    {"a\tb\nc\x7f"
     "d\xC2\x85"
     "e",
     "a b c d e"},
    {"Pague \u202E00054\u202C ya\u2066x\u2069\u200F\u061C", "Pague 00054 yax"},
    {"\u2028\u2029\u2070", "\u2028\u2029\u2070"},
    {"🙂", "🙂"},
    {"\xff<", "\xff&lt;"},
};

START_TEST(escapes) {
    assert_text(html_escape(text_of(TEXTS[_i].text), arena), TEXTS[_i].escaped);
}
END_TEST

#define SPACE "\u00A0"

static const struct {
    const char *amount, *currency, *spanish, *english;
} AMOUNTS[] = {
    {"45000", "COP", "45.000,00" SPACE "COP", "COP" SPACE "45,000.00"},
    {"0.5", "COP", "0,50" SPACE "COP", "COP" SPACE "0.50"},
    {"999", "USD", "999,00" SPACE "USD", "USD" SPACE "999.00"},
    {"1234567.89", "CRC", "1.234.567,89" SPACE "CRC", "CRC" SPACE "1,234,567.89"},
    {"1234.5", "PEN", "1,234.50" SPACE "PEN", "PEN" SPACE "1,234.50"},
    {"45000", "CLP", "45.000" SPACE "CLP", "CLP" SPACE "45,000"},
    {"1000.5", "BHD", "1.000,500" SPACE "BHD", "BHD" SPACE "1,000.500"},
    {"1000.0001", "COP", "1.000,0001" SPACE "COP", "COP" SPACE "1,000.0001"},
    {"999999999999999.9999", "COP", "999.999.999.999.999,9999" SPACE "COP", "COP" SPACE "999,999,999,999,999.9999"},
};

START_TEST(writes_amounts_as_people_do) {
    struct money amount;
    struct text currency = text_of(AMOUNTS[_i].currency);
    ck_assert(money_parse(text_of(AMOUNTS[_i].amount), &amount));
    assert_text(readable_amount(amount, currency, SPANISH, arena), AMOUNTS[_i].spanish);
    assert_text(readable_amount(amount, currency, ENGLISH, arena), AMOUNTS[_i].english);
}
END_TEST

static const struct {
    const char *local;
    uint64_t country;
    const char *spanish, *english;
} MOMENTS[] = {
    {"2026-11-21T23:59:00Z", 343, "21 de noviembre de 2026, 23:59 (hora de Colombia)",
     "21 November 2026, 23:59 (Colombia time)"},
    {"2027-01-01T00:05:59Z", 348, "1 de enero de 2027, 00:05 (hora de Perú)", "1 January 2027, 00:05 (Peru time)"},
    {"2028-02-29T12:00:00Z", 999, "29 de febrero de 2028, 12:00 (America/Panama)",
     "29 February 2028, 12:00 (America/Panama)"},
};

START_TEST(writes_moments_as_people_do) {
    instant local;
    ck_assert(instant_parse(text_of(MOMENTS[_i].local), &local));
    uint64_t country = MOMENTS[_i].country;
    assert_text(readable_moment(local, country, TEXT("America/Panama"), SPANISH, arena), MOMENTS[_i].spanish);
    assert_text(readable_moment(local, country, TEXT("America/Panama"), ENGLISH, arena), MOMENTS[_i].english);
}
END_TEST

static const struct {
    const char *reference, *groups;
} REFERENCES[] = {
    {"1", "1"},
    {"1234", "1234"},
    {"12345", "123 45"},
    {"123456", "123 456"},
    {"123456789", "123 456 789"},
    {"12345678901234", "1234 5678 901 234"},
    {"1234567890123456789012345", "1234 5678 9012 3456 789 012 345"},
};

START_TEST(groups_references) {
    struct text reference = text_of(REFERENCES[_i].reference), joined = {NULL, 0};
    for (size_t i = 0; i < readable_group_count(reference); i++) {
        joined = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(joined), i == 0 ? "" : " ",
                             TEXT_ARGS(readable_group(reference, i)));
    }
    assert_text(joined, REFERENCES[_i].groups);
}
END_TEST

/* A barcode of one digit: start, digit, check and stop, 46 modules of two units, between quiet zones of 20 units. */
START_TEST(draws_a_barcode) {
    assert_text(barcode_svg(BARCODE_CODE_128, TEXT("1"), TEXT("Barcode 1"), arena),
                "<svg class=\"barcode\" role=\"img\" aria-labelledby=\"barcode-title\" width=\"198\" height=\"150\" "
                "viewBox=\"-20 0 132 100\" preserveAspectRatio=\"none\"><title id=\"barcode-title\">Barcode 1</title>"
                "<path d=\"M0 0h4v100h-4zM6 0h2v100h-2zM12 0h2v100h-2zM22 0h2v100h-2zM28 0h6v100h-6zM38 0h4v100h-4z"
                "M44 0h4v100h-4zM52 0h6v100h-6zM62 0h2v100h-2zM66 0h4v100h-4zM76 0h6v100h-6zM84 0h2v100h-2z"
                "M88 0h4v100h-4z\"/></svg>");
}
END_TEST

START_TEST(draws_a_qr_code) {
    struct text svg = barcode_svg(BARCODE_QR, TEXT("1234567890123456789012345"), TEXT("QR"), arena);
    ck_assert(holds(svg, "width=\"145\" height=\"145\" viewBox=\"-8 -8 58 58\""));
    ck_assert(holds(svg, "<title id=\"qr-title\">QR</title><path d=\"M0 0h14v2h-14z"));
}
END_TEST

START_TEST(draws_nothing_of_nothing) {
    capture_errors();
    ck_assert_uint_eq(barcode_svg(BARCODE_QR, TEXT(""), TEXT("QR"), arena).size, 0);
}
END_TEST

START_TEST(frames_a_page) {
    struct text page = document_of(ENGLISH, TEXT("A title"), TEXT("<h1>x</h1>\n"), arena);
    ck_assert(text_begins(page, TEXT("<!DOCTYPE html>\n<html lang=\"en\">\n")));
    ck_assert(holds(page, "<title>A title</title>"));
    ck_assert(holds(page, "<meta name=\"robots\" content=\"noindex, nofollow\">"));
    ck_assert(holds(page, "<main>\n<h1>x</h1>\n</main>"));
}
END_TEST

static const struct {
    enum refusal refusal;
    const char *spanish, *english;
} NOTICES[] = {
    {REFUSED_NO_SUCH_ROUTE, "Este cupón de pago no existe", "There is no such payment slip"},
    {REFUSED_TRY_AGAIN, "Inténtelo de nuevo en un momento", "Try again in a moment"},
    {REFUSED_PROCESSING_ERROR, "El cupón de pago no se puede mostrar", "The payment slip cannot be shown"},
    {REFUSED_METHOD, "El cupón de pago no se puede mostrar", "The payment slip cannot be shown"},
};

START_TEST(gives_notice_in_both_languages) {
    struct text page = notice_page(NOTICES[_i].refusal, arena);
    ck_assert(holds(page, "<html lang=\"es\">") && holds(page, "<section lang=\"en\">"));
    ck_assert(holds(page, NOTICES[_i].spanish) && holds(page, NOTICES[_i].english));
}
END_TEST

TCase *page_tests(void) {
    TCase *tests = unit_case("page");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, escapes, TEXTS);
    add_table_test(tests, writes_amounts_as_people_do, AMOUNTS);
    add_table_test(tests, writes_moments_as_people_do, MOMENTS);
    add_table_test(tests, groups_references, REFERENCES);
    tcase_add_test(tests, draws_a_barcode);
    tcase_add_test(tests, draws_a_qr_code);
    tcase_add_test(tests, draws_nothing_of_nothing);
    tcase_add_test(tests, frames_a_page);
    add_table_test(tests, gives_notice_in_both_languages, NOTICES);
    return tests;
}
