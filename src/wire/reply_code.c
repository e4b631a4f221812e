#include "wire/reply_code.h"

#include "base/base.h"

static const struct reply_code CODES[REFUSAL_COUNT] = {
    [GRANTED] = {"0000", 200, "OK"},
    [REFUSED_PROCESSING_ERROR] = {"0009", 500, "processing error"},
    [REFUSED_TRANSACTION_ID] = {"0010", 200, "not a valid transaction id"},
    [REFUSED_FIELD] = {"0011", 200, "field not valid"},
    [REFUSED_NO_SUCH_TRANSACTION] = {"0013", 200, "no such transaction"},
    [REFUSED_TRANSACTION_CANCELLED] = {"0014", 200, "the transaction was cancelled"},
    [REFUSED_WINDOW_CLOSED] = {"0015", 200, "the cancellation window has closed"},
    [REFUSED_OTHER_DATA] = {"0016", 200, "this transaction id is registered with other data"},
    [REFUSED_NO_SUCH_MERCHANT] = {"0018", 200, "no such merchant"},
    [REFUSED_NOT_AUTHORISED] = {"0019", 200, "not authorised"},
    [REFUSED_AMOUNT] = {"0021", 200, "amount not valid"},
    [REFUSED_COUNTRY] = {"0022", 200, "country not valid"},
    [REFUSED_CURRENCY] = {"0023", 200, "currency not valid"},
    [REFUSED_CHECKSUM] = {"0025", 200, "checksum not valid"},
    [REFUSED_CURRENCY_IN_COUNTRY] = {"0026", 200, "currency not valid in this country"},
    [REFUSED_PAYMENT_MEANS] = {"0027", 200, "payment means not valid"},
    [REFUSED_TRY_AGAIN] = {"0028", 503, "try again in a moment"},
    [REFUSED_EXPIRATION_FORM] = {"0031", 200, "expiration not valid"},
    [REFUSED_EXPIRATION_RANGE] = {"0032", 200, "expiration out of range"},
    [REFUSED_ORDER_NOT_PENDING] = {"0041", 200, "the order does not exist or its state does not allow this"},
    [REFUSED_ORDER_NUMBER_TAKEN] = {"0042", 200, "the order number exists already"},
    [REFUSED_REFERENCE_TAKEN] = {"0043", 200, "the reference is taken or reserved"},
    [REFUSED_NO_SUCH_REFERENCE] = {"0101", 200, "no order or account has this reference"},
    [REFUSED_PAID] = {"0102", 200, "already paid"},
    [REFUSED_EXPIRED] = {"0103", 200, "expired"},
    [REFUSED_DELETED] = {"0104", 200, "deleted by the merchant"},
    [REFUSED_REFUNDED] = {"0105", 200, "refunded"},
    [REFUSED_HELD] = {"0106", 200, "a payment of this order is inside its cancellation window"},
    [REFUSED_BY_MERCHANT] = {"0107", 200, "refused by the merchant"},
    [REFUSED_MERCHANT_SILENT] = {"0108", 200, "the merchant did not answer"},
    [REFUSED_MERCHANT_ANSWER] = {"0109", 200, "the merchant's answer is not valid"},
    [REFUSED_MERCHANT_RESTING] = {"0110", 200, "the merchant cannot be asked now"},
    [REFUSED_OTHER_COMMERCE] = {"0111", 200, "commerce is not the merchant of this reference"},
    [REFUSED_ACCOUNT_FULL] = {"0112", 200, "the account cannot take this amount"},
    [REFUSED_NETWORK_LIMIT] = {"0113", 200, "the payment exceeds a limit of the network"},
    [REFUSED_NOT_JSON] = {"0140", 400, "malformed request"},
    [REFUSED_NO_SUCH_ROUTE] = {"0141", 404, "no such route"},
    [REFUSED_METHOD] = {"0142", 405, "method not allowed"},
    [REFUSED_MEDIA_TYPE] = {"0143", 415, "Content-Type must be application/json"},
    [REFUSED_TOO_LARGE] = {"0144", 413, "the body is larger than 16 KiB"},
    [REFUSED_TOO_MANY] = {"0145", 429, "too many requests"},
};

const struct reply_code *reply_code_of(enum refusal refusal) {
    return &CODES[refusal];
}

enum refusal reply_code_meaning(const char *code) {
    unsigned refusal = GRANTED;
    while (refusal < REFUSAL_COUNT && strcmp(CODES[refusal].code, code) != 0) {
        refusal++;
    }
    return refusal < REFUSAL_COUNT ? (enum refusal)refusal : REFUSED_PROCESSING_ERROR;
}
