#include "ctl/core/validation.h"

#include "base/utf8.h"
#include "domain/order.h"
#include "domain/reference.h"

const char *validation_text(struct arena *arena, struct text value, size_t longest) {
    if (!utf8_is_valid(value)) {
        return "is not UTF-8 text";
    }
    if (text_has_control(value)) {
        return "holds a control character (a tab or a line end, for example)";
    }
    if (text_characters(value) > longest) {
        return arena_print(arena, "is longer than %zu characters", longest).at;
    }
    return NULL;
}

const char *validation_name(struct arena *arena, struct text value, size_t longest) {
    const char *complaint = validation_text(arena, value, longest);
    if (complaint == NULL && value.size == 0) {
        return "is empty";
    }
    if (complaint == NULL && text_trim(value).size != value.size) {
        return "begins or ends with a blank";
    }
    return complaint;
}

const char *validation_order_number(struct text value) {
    if (value.size < 1 || value.size > ORDER_NUMBER_MAX) {
        return "must have 1 to 200 characters";
    }
    return order_number_is_valid(value) ? NULL : "may only have letters without accents, digits, _ and -";
}

const char *validation_document(struct text value) {
    return reference_is_payable(value) ? NULL : "must be 1 to 25 letters without accents, digits and hyphens";
}

const char *validation_email(struct arena *arena, struct text value, size_t longest) {
    const char *complaint = validation_text(arena, value, longest);
    return complaint != NULL || order_email_is_valid(value) ? complaint : "is not an e-mail address: NAME@HOST";
}

const char *validation_url(struct arena *arena, struct text value, size_t longest) {
    const char *complaint = validation_text(arena, value, longest);
    struct text rest = value;
    if (complaint != NULL) {
        return complaint;
    }
    size_t scheme = text_begins(value, TEXT("https://")) ? 8 : 7;
    if (scheme == 7 && !text_begins(value, TEXT("http://"))) {
        return "must begin with https:// or http://, in small letters, as https://merchant.example/notify";
    }
    if (memchr(value.at, ' ', value.size) != NULL) {
        return "must have no space: write %20";
    }
    if (memchr(value.at, '#', value.size) != NULL) {
        return "must have no #: what follows it would not be sent";
    }
    rest.at += scheme;
    rest.size -= scheme;
    size_t host = 0;
    while (host < rest.size && strchr("/?#", rest.at[host]) == NULL) {
        host++;
    }
    if (host == 0 || rest.at[0] == ':' || memchr(rest.at, '@', host) != NULL) {
        return "must name a host, and no user or password before it";
    }
    return NULL;
}
