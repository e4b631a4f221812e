#include "page/notice.h"

#include "page/document.h"

struct notice {
    enum refusal refusal;
    struct {
        const char *title, *advice;
    } in[LANGUAGE_COUNT];
};

/* The last one is used for all other refusals. */
static const struct notice NOTICES[] = {
    {REFUSED_NO_SUCH_ROUTE,
     {{"Este cupón de pago no existe", "Revise la dirección, o pida la correcta al comercio."},
      {"There is no such payment slip", "Check the address, or ask the merchant for the right one."}}},
    {REFUSED_TRY_AGAIN,
     {{"Inténtelo de nuevo en un momento", "El cupón de pago no se puede mostrar ahora. Su orden no ha cambiado."},
      {"Try again in a moment", "The payment slip cannot be shown now. Your order has not changed."}}},
    {REFUSED_PROCESSING_ERROR,
     {{"El cupón de pago no se puede mostrar", "Abra la dirección tal como la recibió. Su orden no ha cambiado."},
      {"The payment slip cannot be shown", "Open the address as you received it. Your order has not changed."}}},
};

static const struct notice *find_notice(enum refusal refusal) {
    size_t i = 0;
    while (i < COUNT_OF(NOTICES) - 1 && NOTICES[i].refusal != refusal) {
        i++;
    }
    return &NOTICES[i];
}

struct text notice_page(enum refusal refusal, struct arena *arena) {
    const struct notice *notice = find_notice(refusal);
    struct text body = arena_print(
        arena, "<h1>%s</h1>\n<p>%s</p>\n<section lang=\"en\">\n<h2>%s</h2>\n<p>%s</p>\n</section>\n",
        notice->in[SPANISH].title, notice->in[SPANISH].advice, notice->in[ENGLISH].title, notice->in[ENGLISH].advice);
    return document_of(SPANISH, text_of(notice->in[SPANISH].title), body, arena);
}
