#include "page/wording.h"

static const struct words WORDS[LANGUAGE_COUNT] = {
    [SPANISH] =
        {
            .code = "es",
            .title = "Cupón de pago",
            .reference = "Referencia",
            .merchant = "Comercio",
            .description = "Concepto",
            .order = "Orden",
            .due = "Fecha límite de pago",
            .barcode = "Código de barras de la referencia",
            .qr_code = "Código QR de la referencia",
            .as_of = "Estado el",
            .any_amount = "El valor que usted elija",
            .months = {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
                       "octubre", "noviembre", "diciembre"},
        },
    [ENGLISH] =
        {
            .code = "en",
            .title = "Payment slip",
            .reference = "Reference",
            .merchant = "Merchant",
            .description = "Description",
            .order = "Order",
            .due = "Pay by",
            .barcode = "Barcode of the reference",
            .qr_code = "QR code of the reference",
            .as_of = "State on",
            .any_amount = "Any amount you choose",
            .months = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                       "November", "December"},
        },
};

enum language wording_language(struct text code) {
    return text_equal(code, TEXT("en")) ? ENGLISH : SPANISH;
}

const struct words *wording_in(enum language language) {
    return &WORDS[language];
}

static const struct {
    enum refusal payable;
    struct state_words words;
} STATES[] = {
    {GRANTED,
     {"pending",
      {{"Pendiente de pago", "Muestre esta página en un punto de pago, o dicte allí la referencia.", "Valor a pagar"},
       {"To be paid", "Show this page at a payment point, or read the reference out there.", "Amount to pay"}}}},
    {REFUSED_HELD,
     {"held",
      {{"Pago en confirmación",
        "Un punto de pago acaba de recibir el dinero. No pague otra vez: abra esta página de nuevo en un minuto.",
        "Valor recibido"},
       {"Payment being confirmed",
        "A payment point has just taken the money. Do not pay again: open this page once more in a minute.",
        "Amount received"}}}},
    {REFUSED_PAID,
     {"paid",
      {{"Pagada", "El pago se recibió. No hay nada más que pagar.", "Valor pagado"},
       {"Paid", "The payment was received. There is nothing more to pay.", "Amount paid"}}}},
    {REFUSED_EXPIRED,
     {"closed",
      {{"Vencida", "Ya no se puede pagar. Pida una orden nueva al comercio.", "Valor"},
       {"Expired", "It can no longer be paid. Ask the merchant for a new order.", "Amount"}}}},
    {REFUSED_DELETED,
     {"closed",
      {{"Cancelada", "El comercio canceló esta orden. No la pague.", "Valor"},
       {"Cancelled", "The merchant cancelled this order. Do not pay it.", "Amount"}}}},
    {REFUSED_REFUNDED,
     {"closed",
      {{"Cancelada", "El pago de esta orden se anuló. No la pague otra vez.", "Valor"},
       {"Cancelled", "The payment of this order was reversed. Do not pay it again.", "Amount"}}}},
    {REFUSED_NOT_AUTHORISED,
     {"closed",
      {{"No se puede pagar ahora", "El comercio no recibe pagos en este momento. Inténtelo más tarde.", "Valor"},
       {"Cannot be paid now", "The merchant takes no payments at the moment. Try again later.", "Amount"}}}},
};

const struct state_words *wording_of_state(enum refusal payable) {
    size_t i = 0;
    while (i < COUNT_OF(STATES) - 1 && STATES[i].payable != payable) {
        i++;
    }
    return &STATES[i].words;
}

static const struct {
    uint64_t code;
    const char *names[LANGUAGE_COUNT];
} COUNTRIES[] = {
    {314, {"Costa Rica", "Costa Rica"}},
    {343, {"Colombia", "Colombia"}},
    {345, {"Ecuador", "Ecuador"}},
    {348, {"Perú", "Peru"}},
};

const char *wording_country(uint64_t code, enum language language) {
    for (size_t i = 0; i < COUNT_OF(COUNTRIES); i++) {
        if (COUNTRIES[i].code == code) {
            return COUNTRIES[i].names[language];
        }
    }
    return NULL;
}
