#include "unit.h"

#include "page/slip.h"

static struct arena *arena;
static struct order order;
static struct slip_view view;

/* 2026-11-22 00:00 in Colombia. */
#define MIDNIGHT (1795305600 * SECOND)

static void set_up(void) {
    arena = arena_create();
    order = (struct order){.reference = TEXT("12345678901234"),
                           .amount = {450000000},
                           .currency = TEXT("COP"),
                           .description = TEXT("Zapatos rojos"),
                           .commerce = TEXT("Tienda & Cía")};
    view = (struct slip_view){.order = &order,
                              .po_id = TEXT("PO-1"),
                              .payable = GRANTED,
                              .country = 343,
                              .time_zone = TEXT("America/Bogota"),
                              .due = MIDNIGHT,
                              .now = MIDNIGHT - 5 * HOUR};
}

static void tear_down(void) {
    arena_destroy(arena);
}

static bool shows(const char *part) {
    struct text page = slip_page(&view, arena);
    return memmem(page.at, page.size, part, strlen(part)) != NULL;
}

START_TEST(shows_what_is_needed_at_the_counter) {
    ck_assert(shows("<html lang=\"es\">"));
    ck_assert(shows("<title>Cupón de pago: Tienda &amp; Cía</title>"));
    ck_assert(shows("<p class=\"merchant\"><bdi>Tienda &amp; Cía</bdi></p>"));
    ck_assert(shows("<span>1234</span><span>5678</span><span>901</span><span>234</span>"));
    ck_assert(shows(">1 2 3 4, 5 6 7 8, 9 0 1, 2 3 4</span>"));
    ck_assert(shows("<title id=\"barcode-title\">Código de barras de la referencia 12345678901234</title>"));
    ck_assert(shows("<title id=\"qr-title\">Código QR de la referencia 12345678901234</title>"));
    ck_assert(shows("<h2>Valor a pagar</h2>\n<p class=\"amount\">45.000,00\u00A0COP</p>"));
    ck_assert(shows("<dt>Concepto</dt><dd><bdi>Zapatos rojos</bdi></dd>"));
    ck_assert(shows("<dt>Orden</dt><dd><bdi>PO-1</bdi></dd>"));
    ck_assert(shows("Estado el 21 de noviembre de 2026, 19:00 (hora de Colombia)"));
}
END_TEST

/* Midnight is shown as the end of the previous day; other times as they are. */
START_TEST(ends_with_the_day) {
    ck_assert(shows("<bdi>21 de noviembre de 2026, 23:59 (hora de Colombia)</bdi>"));
    view.due += 15 * HOUR;
    ck_assert(shows("<bdi>22 de noviembre de 2026, 15:00 (hora de Colombia)</bdi>"));
}
END_TEST

START_TEST(leaves_out_what_is_empty) {
    ck_assert(shows("<dt>Concepto</dt>"));
    order.description = TEXT("");
    ck_assert(!shows("<dt>Concepto</dt>"));
}
END_TEST

START_TEST(escapes_what_others_wrote) {
    order.description = TEXT("<script>\"'&\u202E");
    order.commerce = TEXT("</title><img src=x>");
    ck_assert(shows("<bdi>&lt;script&gt;&quot;&#39;&amp;</bdi>"));
    ck_assert(!shows("<img") && !shows("<script"));
}
END_TEST

static const struct {
    enum refusal payable;
    const char *spanish, *english;
} CLOSED[] = {
    {REFUSED_HELD, "Pago en confirmación", "Payment being confirmed"},
    {REFUSED_PAID, "Pagada", "Paid"},
    {REFUSED_EXPIRED, "Vencida", "Expired"},
    {REFUSED_DELETED, "El comercio canceló", "The merchant cancelled"},
    {REFUSED_REFUNDED, "se anuló", "was reversed"},
    {REFUSED_NOT_AUTHORISED, "No se puede pagar ahora", "Cannot be paid now"},
};

START_TEST(invites_nobody_to_pay_what_cannot_be_paid) {
    view.payable = CLOSED[_i].payable;
    ck_assert(shows(CLOSED[_i].spanish) && shows("<dt>Referencia</dt><dd><bdi>12345678901234</bdi></dd>"));
    ck_assert(!shows("<svg") && !shows("class=\"reference\"") && !shows("Valor a pagar"));
    view.language = ENGLISH;
    ck_assert(shows(CLOSED[_i].english) && shows("<html lang=\"en\">"));
    ck_assert(!shows("<svg") && !shows("Amount to pay"));
}
END_TEST

static const struct {
    uint64_t least, most, paid;
    const char *spanish, *english;
} OPEN[] = {
    {0, 0, 0, ">El valor que usted elija (COP)<", ">Any amount you choose (COP)<"},
    {10000, 20000, 0, ">El valor que usted elija, desde 1,00\u00A0COP hasta 2,00\u00A0COP<",
     ">Any amount you choose, from COP\u00A01.00 to COP\u00A02.00<"},
    {0, 20000, 0, ">El valor que usted elija, hasta 2,00\u00A0COP<", ">Any amount you choose, up to COP\u00A02.00<"},
    {10000, 20000, 15000, ">1,50\u00A0COP<", ">COP\u00A01.50<"},
};

START_TEST(says_what_may_be_paid_of_an_open_amount) {
    order.amount.units = 0;
    order.has_limits = OPEN[_i].most > 0;
    order.least.units = OPEN[_i].least;
    order.most.units = OPEN[_i].most;
    view.paid.units = OPEN[_i].paid;
    ck_assert(shows(OPEN[_i].spanish));
    view.language = ENGLISH;
    ck_assert(shows(OPEN[_i].english));
}
END_TEST

TCase *slip_tests(void) {
    TCase *tests = unit_case("slip");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, shows_what_is_needed_at_the_counter);
    tcase_add_test(tests, ends_with_the_day);
    tcase_add_test(tests, leaves_out_what_is_empty);
    tcase_add_test(tests, escapes_what_others_wrote);
    add_table_test(tests, invites_nobody_to_pay_what_cannot_be_paid, CLOSED);
    add_table_test(tests, says_what_may_be_paid_of_an_open_amount, OPEN);
    return tests;
}
