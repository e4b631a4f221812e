#include "console/core/refusals.h"

#include "wire/reply_code.h"

static const struct text SPANISH_WORDS[] = {
    [GRANTED] = TEXT("aceptada"),
    [REFUSED_PROCESSING_ERROR] = TEXT("error de proceso"),
    [REFUSED_TRANSACTION_ID] = TEXT("el número de transacción no es válido"),
    [REFUSED_FIELD] = TEXT("un campo no es válido"),
    [REFUSED_NO_SUCH_TRANSACTION] = TEXT("la transacción no existe"),
    [REFUSED_TRANSACTION_CANCELLED] = TEXT("la transacción se canceló"),
    [REFUSED_WINDOW_CLOSED] = TEXT("terminó el plazo de cancelación"),
    [REFUSED_OTHER_DATA] = TEXT("esta transacción está registrada con otros datos"),
    [REFUSED_NO_SUCH_MERCHANT] = TEXT("el comercio no existe"),
    [REFUSED_NOT_AUTHORISED] = TEXT("no autorizado"),
    [REFUSED_AMOUNT] = TEXT("el valor no es válido"),
    [REFUSED_COUNTRY] = TEXT("el país no es válido"),
    [REFUSED_CURRENCY] = TEXT("la moneda no es válida"),
    [REFUSED_CHECKSUM] = TEXT("la firma de control (checksum) no es válida"),
    [REFUSED_CURRENCY_IN_COUNTRY] = TEXT("la moneda no es válida en este país"),
    [REFUSED_PAYMENT_MEANS] = TEXT("el medio de pago no es válido"),
    [REFUSED_TRY_AGAIN] = TEXT("inténtelo de nuevo en un momento"),
    [REFUSED_EXPIRATION_FORM] = TEXT("la fecha de vencimiento no es válida"),
    [REFUSED_EXPIRATION_RANGE] = TEXT("la fecha de vencimiento está fuera de los límites"),
    [REFUSED_ORDER_NOT_PENDING] = TEXT("la orden no existe o su estado no lo permite"),
    [REFUSED_ORDER_NUMBER_TAKEN] = TEXT("el número de orden ya existe"),
    [REFUSED_REFERENCE_TAKEN] = TEXT("la referencia está ocupada o reservada"),
    [REFUSED_NO_SUCH_REFERENCE] = TEXT("ninguna orden o cuenta tiene esta referencia"),
    [REFUSED_PAID] = TEXT("ya pagada"),
    [REFUSED_EXPIRED] = TEXT("vencida"),
    [REFUSED_DELETED] = TEXT("cancelada por el comercio"),
    [REFUSED_REFUNDED] = TEXT("reembolsada"),
    [REFUSED_HELD] = TEXT("un pago de esta orden todavía se puede cancelar"),
    [REFUSED_BY_MERCHANT] = TEXT("rechazada por el comercio"),
    [REFUSED_MERCHANT_SILENT] = TEXT("el comercio no respondió"),
    [REFUSED_MERCHANT_ANSWER] = TEXT("la respuesta del comercio no es válida"),
    [REFUSED_MERCHANT_RESTING] = TEXT("ahora no se puede preguntar al comercio"),
    [REFUSED_OTHER_COMMERCE] = TEXT("commerce no es el comercio de esta referencia"),
    [REFUSED_ACCOUNT_FULL] = TEXT("la cuenta no puede recibir este valor"),
    [REFUSED_NETWORK_LIMIT] = TEXT("el pago supera un límite de la red"),
    [REFUSED_NOT_JSON] = TEXT("la solicitud está mal formada"),
    [REFUSED_NO_SUCH_ROUTE] = TEXT("la ruta no existe"),
    [REFUSED_METHOD] = TEXT("el método no se permite"),
    [REFUSED_MEDIA_TYPE] = TEXT("Content-Type debe ser application/json"),
    [REFUSED_TOO_LARGE] = TEXT("el cuerpo supera 16 KiB"),
    [REFUSED_TOO_MANY] = TEXT("demasiadas solicitudes"),
};

_Static_assert(COUNT_OF(SPANISH_WORDS) == REFUSAL_COUNT, "each refusal has its words");

struct text refusal_words(enum refusal refusal, enum language language) {
    return language == SPANISH ? SPANISH_WORDS[refusal] : text_of(reply_code_of(refusal)->text);
}
