#include "wire/external_query.h"

#include "base/utf8.h"
#include "domain/money.h"
#include "wire/object.h"

#include <json-c/json.h>
#include <locale.h>
#include <pthread.h>
#include <wctype.h>

enum { AMOUNT_MAX = 20, TIMESTAMP_MAX = 10, CODE_SIZE = 4 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_plain_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_order(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (!is_plain_word(value.at[i]) && value.at[i] != '-') {
            return false;
        }
    }
    return true;
}

static bool is_amount(struct text value) {
    struct money amount;
    return money_parse(value, &amount);
}

static bool is_timestamp(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (!is_digit(value.at[i])) {
            return false;
        }
    }
    return true;
}

static bool is_code(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (!is_plain_word(value.at[i]) || value.at[i] == '_') {
            return false;
        }
    }
    return value.size == CODE_SIZE;
}

static bool is_email(struct text value) {
    const char *at = memchr(value.at, '@', value.size);
    return at != NULL && at > value.at && at + 1 < value.at + value.size && memchr(value.at, ' ', value.size) == NULL;
}

static locale_t unicode;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (unicode == (locale_t)0) {
        abort();
    }
}

static wint_t character(const unsigned char *at, size_t size) {
    static const unsigned char FIRST_BITS[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    wint_t value = at[0] & FIRST_BITS[size];
    for (size_t i = 1; i < size; i++) {
        value = value << 6 | (at[i] & 0x3f);
    }
    return value;
}

/* ^[\w -]+$ with the letters and digits of every alphabet. */
static bool is_description(struct text value) {
    pthread_once(&loaded, load);
    const unsigned char *at = (const unsigned char *)value.at, *end = at + value.size;
    while (at < end) {
        size_t size = utf8_character(at, (size_t)(end - at));
        wint_t c = size == 0 ? 0 : character(at, size);
        if (c == 0 || !(iswalnum_l(c, unicode) || c == '_' || c == ' ' || c == '-')) {
            return false;
        }
        at += size;
    }
    return true;
}

static bool is_document_type(struct text value) {
    return text_equal(value, TEXT("CC")) || text_equal(value, TEXT("CEDULA DE IDENTIDAD"));
}

#define ANSWER(member) offsetof(struct external_answer, member)

static const struct field TOP_FIELDS[] = {
    {"CODE", FIELD_REQUIRED, false, CODE_SIZE, REFUSED_FIELD, is_code, ANSWER(code)},
    {"TEXT", FIELD_REQUIRED, false, 0, REFUSED_FIELD, NULL, ANSWER(text)},
};

static const struct field DATA_FIELDS[] = {
    {"order", FIELD_REQUIRED, false, 200, REFUSED_FIELD, is_order, ANSWER(order)},
    {"amount", FIELD_REQUIRED, false, AMOUNT_MAX, REFUSED_FIELD, is_amount, ANSWER(amount)},
    {"description", FIELD_REQUIRED, false, 40, REFUSED_FIELD, is_description, ANSWER(description)},
    {"email", FIELD_REQUIRED, false, 100, REFUSED_FIELD, is_email, ANSWER(email)},
    {"timestamp_end", FIELD_REQUIRED, false, TIMESTAMP_MAX, REFUSED_FIELD, is_timestamp, ANSWER(timestamp_end)},
    {"min", FIELD_OPTIONAL, false, AMOUNT_MAX, REFUSED_FIELD, is_amount, ANSWER(least)},
    {"max", FIELD_OPTIONAL, false, AMOUNT_MAX, REFUSED_FIELD, is_amount, ANSWER(most)},
    {"checksum", FIELD_REQUIRED, false, 512, REFUSED_FIELD, NULL, ANSWER(checksum)},
};

static const struct field CUSTOMER_FIELDS[][3] = {
    {{"user_di", FIELD_OPTIONAL, false, 10, REFUSED_FIELD, NULL, ANSWER(document)},
     {"user_type_di", FIELD_OPTIONAL, false, 40, REFUSED_FIELD, NULL, ANSWER(document_type)},
     {"user_name", FIELD_OPTIONAL, false, 150, REFUSED_FIELD, NULL, ANSWER(customer_name)}},
    {{"user_di", FIELD_REQUIRED, false, 10, REFUSED_FIELD, NULL, ANSWER(document)},
     {"user_type_di", FIELD_REQUIRED, false, 40, REFUSED_FIELD, is_document_type, ANSWER(document_type)},
     {"user_name", FIELD_REQUIRED, false, 150, REFUSED_FIELD, NULL, ANSWER(customer_name)}},
};

static bool read_data(struct text body, bool identifies_customers, struct arena *arena, struct external_answer *out,
                      struct fault *fault) {
    return object_read_inner(body, "DATA", DATA_FIELDS, COUNT_OF(DATA_FIELDS), arena, out, fault) == REFUSED_NOT &&
           object_read_inner(body, "DATA", CUSTOMER_FIELDS[identifies_customers], COUNT_OF(CUSTOMER_FIELDS[0]), arena,
                             out, fault) == REFUSED_NOT;
}

enum external_answer_kind external_answer_read(struct text body, bool identifies_customers, struct arena *arena,
                                               struct external_answer *out, struct fault *fault) {
    *out = (struct external_answer){0};
    if (object_read(body, TOP_FIELDS, COUNT_OF(TOP_FIELDS), arena, out, fault) != REFUSED_NOT) {
        return ANSWER_INVALID;
    }
    if (!text_equal(out->code, TEXT("0000"))) {
        return ANSWER_REFUSES;
    }
    if (!text_equal(out->text, TEXT("OK"))) {
        *fault = (struct fault){"TEXT", "is not OK"};
        return ANSWER_INVALID;
    }
    return read_data(body, identifies_customers, arena, out, fault) ? ANSWER_GRANTS : ANSWER_INVALID;
}

static void add(struct json_object *message, const char *key, struct json_object *value) {
    if (value == NULL || json_object_object_add_ex(message, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0) {
        abort();
    }
}

static void add_text(struct json_object *message, const char *key, struct text value) {
    add(message, key, json_object_new_string_len(value.at, (int)value.size));
}

static void add_number(struct json_object *message, const char *key, struct text value) {
    uint64_t number = 0;
    if (!text_to_number(value, &number)) {
        abort();
    }
    add(message, key, json_object_new_uint64(number));
}

struct text external_query_render(const struct external_query_values *values, const char *checksum,
                                  struct arena *arena) {
    struct json_object *message = json_object_new_object();
    if (message == NULL) {
        abort();
    }
    add_text(message, "reference", values->reference);
    add_text(message, "netname", values->netname);
    add_number(message, "currency", values->currency);
    add_number(message, "timestamp_start", values->timestamp_start);
    add_text(message, "checksum", text_of(checksum));
    size_t size;
    const char *printed =
        json_object_to_json_string_length(message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (printed == NULL) {
        abort();
    }
    struct text body = arena_copy(arena, (struct text){printed, size});
    json_object_put(message);
    return body;
}
