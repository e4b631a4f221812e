#include "wire/merchant/external_answer.h"

#include "domain/money.h"
#include "domain/order.h"
#include "wire/object.h"
#include "wire/words.h"

enum { AMOUNT_MAX = 20, TIMESTAMP_MAX = 10, CODE_SIZE = 4 };

static bool is_code(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (!text_is_letter_or_digit(value.at[i])) {
            return false;
        }
    }
    return value.size == CODE_SIZE;
}

static bool is_document_type(struct text value) {
    return text_equal(value, TEXT("CC")) || text_equal(value, TEXT("CEDULA DE IDENTIDAD"));
}

#define ANSWER(member) offsetof(struct external_answer, member)

static const struct field TOP_FIELDS[] = {
    {"CODE", FIELD_REQUIRED, false, CODE_SIZE, REFUSED_FIELD, is_code, ANSWER(code), NULL},
    {"TEXT", FIELD_REQUIRED, false, 0, REFUSED_FIELD, NULL, ANSWER(text), NULL},
};

static const struct field DATA_FIELDS[] = {
    {"order", FIELD_REQUIRED, false, ORDER_NUMBER_MAX, REFUSED_FIELD, order_number_is_valid, ANSWER(order), NULL},
    {"amount", FIELD_REQUIRED, false, AMOUNT_MAX, REFUSED_FIELD, money_is_valid, ANSWER(amount), NULL},
    {"description", FIELD_REQUIRED, false, 40, REFUSED_FIELD, words_are_valid, ANSWER(description), NULL},
    {"email", FIELD_REQUIRED, false, 100, REFUSED_FIELD, order_email_is_valid, ANSWER(email), NULL},
    {"timestamp_end", FIELD_REQUIRED, false, TIMESTAMP_MAX, REFUSED_FIELD, text_is_digits, ANSWER(timestamp_end), NULL},
    {"min", FIELD_OPTIONAL, false, AMOUNT_MAX, REFUSED_FIELD, money_is_valid, ANSWER(least), NULL},
    {"max", FIELD_OPTIONAL, false, AMOUNT_MAX, REFUSED_FIELD, money_is_valid, ANSWER(most), NULL},
    {"checksum", FIELD_REQUIRED, false, 512, REFUSED_FIELD, NULL, ANSWER(checksum), NULL},
};

static const struct field CUSTOMER_FIELDS[][3] = {
    {{"user_di", FIELD_OPTIONAL, false, 10, REFUSED_FIELD, NULL, ANSWER(document), NULL},
     {"user_type_di", FIELD_OPTIONAL, false, 40, REFUSED_FIELD, NULL, ANSWER(document_type), NULL},
     {"user_name", FIELD_OPTIONAL, false, 150, REFUSED_FIELD, NULL, ANSWER(customer_name), NULL}},
    {{"user_di", FIELD_REQUIRED, false, 10, REFUSED_FIELD, NULL, ANSWER(document), NULL},
     {"user_type_di", FIELD_REQUIRED, false, 40, REFUSED_FIELD, is_document_type, ANSWER(document_type), NULL},
     {"user_name", FIELD_REQUIRED, false, 150, REFUSED_FIELD, NULL, ANSWER(customer_name), NULL}},
};

static bool read_data(struct text body, bool identifies_customers, struct arena *arena, struct external_answer *out,
                      struct fault *fault) {
    return object_read_inner(body, "DATA", DATA_FIELDS, COUNT_OF(DATA_FIELDS), arena, out, fault) == GRANTED &&
           object_read_inner(body, "DATA", CUSTOMER_FIELDS[identifies_customers], COUNT_OF(CUSTOMER_FIELDS[0]), arena,
                             out, fault) == GRANTED;
}

enum external_answer_kind external_answer_read(struct text body, bool identifies_customers, struct arena *arena,
                                               struct external_answer *out, struct fault *fault) {
    *out = (struct external_answer){0};
    if (object_read(body, TOP_FIELDS, COUNT_OF(TOP_FIELDS), arena, out, fault) != GRANTED) {
        return ANSWER_INVALID;
    }
    if (!text_equal(out->code, TEXT("0000"))) {
        return ANSWER_REFUSES;
    }
    if (!text_equal(out->text, TEXT("OK"))) {
        *fault = (struct fault){.field = "TEXT", .problem = "is not OK"};
        return ANSWER_INVALID;
    }
    return read_data(body, identifies_customers, arena, out, fault) ? ANSWER_GRANTS : ANSWER_INVALID;
}

/* The rule of a field with a greatest length. */
#define BOUND "has at most %u characters"

/*
 * The aspects of a field in the order in which they are checked, identified by the problem that wire/field.c and
 * wire/object.c set.
 */
static const struct {
    const char *problem, *rule;
    bool of_optional; /* applies also if the field may be absent or empty */
} ASPECTS[] = {
    {"is missing", "is sent", false},
    {"must be a string, in quotes", "is a string", true},
    {"is empty", "is not empty", false},
    {"is too long", BOUND, true},
    {"has a control character", "has no control characters", true},
    {"is not valid", NULL, true}, /* see FORMS */
};

static const struct {
    const char *field, *rule;
} FORMS[] = {
    {"CODE", "is 4 letters or digits"},
    {"order", "matches ^[a-zA-Z0-9_-]{1,200}$"},
    {"amount", "is an amount: 1 to 15 digits, a point and 1 to 4 digits may follow"},
    {"description", "matches ^[\\w -]+$, with the letters of every alphabet"},
    {"email", "is an e-mail address"},
    {"timestamp_end", "has digits only"},
    {"min", "is an amount"},
    {"max", "is an amount"},
    {"user_type_di", "is CC or CEDULA DE IDENTIDAD"},
};

static const char *form_of(const struct field *field) {
    for (size_t i = 0; field->is_valid != NULL && i < COUNT_OF(FORMS); i++) {
        if (strcmp(FORMS[i].field, field->name) == 0) {
            return FORMS[i].rule;
        }
    }
    return NULL;
}

/* Returns the rule that this aspect sets for the field, or NULL. */
static const char *rule_of(const struct field *field, size_t aspect, struct arena *arena) {
    if (field->need == FIELD_OPTIONAL && !ASPECTS[aspect].of_optional) {
        return NULL;
    }
    if (ASPECTS[aspect].rule == NULL) {
        return form_of(field);
    }
    if (strcmp(ASPECTS[aspect].rule, BOUND) != 0) {
        return ASPECTS[aspect].rule;
    }
    return field->most == 0 ? NULL : arena_print(arena, BOUND, field->most).at;
}

/* Adds the field's rules. `problem` NULL: the field is valid, or absent and optional. */
static void note_field(const struct field *field, bool is_there, const char *problem, struct arena *arena,
                       struct rule_checks *out) {
    enum rule_state state = is_there || problem != NULL ? RULE_PASSED : RULE_UNSEEN;
    for (size_t i = 0; i < COUNT_OF(ASPECTS); i++) {
        const char *rule = rule_of(field, i, arena);
        bool broken = problem != NULL && strcmp(problem, ASPECTS[i].problem) == 0;
        if (rule != NULL) {
            rule_checks_add(out, field->name, rule, broken ? RULE_BROKEN : state);
        }
        state = broken ? RULE_UNSEEN : state;
    }
}

static void examine_fields(struct text body, const char *inner, const struct field *fields, size_t count,
                           struct arena *arena, struct rule_checks *out) {
    for (size_t i = 0; i < count; i++) {
        struct external_answer answer = {0};
        struct fault fault = {0};
        enum refusal refusal = inner == NULL ? object_read(body, &fields[i], 1, arena, &answer, &fault)
                                             : object_read_inner(body, inner, &fields[i], 1, arena, &answer, &fault);
        const struct text *value = (const struct text *)((const char *)&answer + fields[i].at);
        note_field(&fields[i], value->size > 0, refusal == GRANTED ? NULL : fault.problem, arena, out);
    }
}

/* Adds the fields' rules as not seen. */
static void leave_fields(const struct field *fields, size_t count, struct arena *arena, struct rule_checks *out) {
    for (size_t i = 0; i < count; i++) {
        note_field(&fields[i], false, NULL, arena, out);
    }
}

static void examine_data(struct text body, bool readable, bool identifies_customers, struct arena *arena,
                         struct rule_checks *out) {
    const struct field *customer = CUSTOMER_FIELDS[identifies_customers];
    if (readable) {
        examine_fields(body, "DATA", DATA_FIELDS, COUNT_OF(DATA_FIELDS), arena, out);
        examine_fields(body, "DATA", customer, COUNT_OF(CUSTOMER_FIELDS[0]), arena, out);
    } else {
        leave_fields(DATA_FIELDS, COUNT_OF(DATA_FIELDS), arena, out);
        leave_fields(customer, COUNT_OF(CUSTOMER_FIELDS[0]), arena, out);
    }
}

static enum rule_state state_of_field(bool seen, bool holds) {
    return !seen ? RULE_UNSEEN : holds ? RULE_PASSED : RULE_BROKEN;
}

void external_answer_examine(struct text body, bool came, bool identifies_customers, struct arena *arena,
                             struct rule_checks *out) {
    struct external_answer answer = {0};
    struct fault fault = {0};
    bool is_json = came && object_read(body, NULL, 0, arena, &answer, &fault) == GRANTED;
    bool has_top = is_json && object_read(body, TOP_FIELDS, COUNT_OF(TOP_FIELDS), arena, &answer, &fault) == GRANTED;
    bool grants = has_top && text_equal(answer.code, TEXT("0000"));
    bool has_data = is_json && object_read_inner(body, "DATA", NULL, 0, arena, &answer, &fault) == GRANTED;
    rule_checks_add(out, "the body", "is one JSON object in UTF-8, with no key twice and nothing behind it",
                    state_of_field(came, is_json));
    if (is_json) {
        examine_fields(body, NULL, TOP_FIELDS, COUNT_OF(TOP_FIELDS), arena, out);
    } else {
        leave_fields(TOP_FIELDS, COUNT_OF(TOP_FIELDS), arena, out);
    }
    rule_checks_add(out, "CODE", "is 0000, or another, which refuses", has_top ? RULE_PASSED : RULE_UNSEEN);
    rule_checks_add(out, "TEXT", "is OK when CODE is 0000",
                    state_of_field(grants, text_equal(answer.text, TEXT("OK"))));
    rule_checks_add(out, "DATA", "is sent, and an object", state_of_field(grants, has_data));
    examine_data(body, grants && has_data, identifies_customers, arena, out);
}
