#include "wire/messages.h"

#include "domain/currency.h"
#include "domain/reference.h"
#include "wire/object.h"
#include "wire/uri.h"

#include <assert.h>

enum { NAME_MAX_CHARACTERS = 40, PERSON_NAME_MAX = 100 };

static bool is_boolean(struct text value) {
    return text_equal(value, TEXT("true")) || text_equal(value, TEXT("false"));
}

#define LOOKUP(member) offsetof(struct lookup, member)

static const struct field LOOKUP_FIELDS[] = {
    {"name", FIELD_REQUIRED, false, NAME_MAX_CHARACTERS, REFUSED_FIELD, NULL, LOOKUP(name), NULL},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, LOOKUP(checksum), FORM_CHECKSUM},
};

static const struct field REFERENCE_OF_LOOKUP = {"reference",       FIELD_REQUIRED, false,
                                                 REFERENCE_MAX,     REFUSED_FIELD,  reference_is_payable,
                                                 LOOKUP(reference), FORM_REFERENCE};

#define REGISTRATION(member) offsetof(struct registration, member)

static const struct field REGISTRATION_FIELDS[] = {
    {"name", FIELD_REQUIRED, false, NAME_MAX_CHARACTERS, REFUSED_FIELD, NULL, REGISTRATION(name), NULL},
    {"reference", FIELD_REQUIRED, false, REFERENCE_MAX, REFUSED_FIELD, reference_is_payable, REGISTRATION(reference),
     FORM_REFERENCE},
    {"amount", FIELD_REQUIRED, false, 0, REFUSED_AMOUNT, money_is_valid, REGISTRATION(amount), FORM_AMOUNT},
    {"transaction", FIELD_REQUIRED, false, 64, REFUSED_TRANSACTION_ID, NULL, REGISTRATION(transaction), NULL},
    {"commerce", FIELD_REQUIRED, false, 100, REFUSED_FIELD, NULL, REGISTRATION(commerce), NULL},
    {"teller", FIELD_REQUIRED, false, 64, REFUSED_FIELD, NULL, REGISTRATION(teller), NULL},
    {"money", FIELD_REQUIRED, false, 0, REFUSED_CURRENCY, currency_is_known, REGISTRATION(money), FORM_CURRENCY},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, REGISTRATION(checksum), FORM_CHECKSUM},
    {"nombres", FIELD_OPTIONAL, false, PERSON_NAME_MAX, REFUSED_FIELD, NULL, REGISTRATION(given_names), NULL},
    {"apellido1", FIELD_OPTIONAL, false, PERSON_NAME_MAX, REFUSED_FIELD, NULL, REGISTRATION(surname1), NULL},
    {"apellido2", FIELD_OPTIONAL, false, PERSON_NAME_MAX, REFUSED_FIELD, NULL, REGISTRATION(surname2), NULL},
};

#define CONFIRMATION(member) offsetof(struct confirmation, member)

static const struct field CONFIRMATION_FIELDS[] = {
    {"name", FIELD_REQUIRED, false, NAME_MAX_CHARACTERS, REFUSED_FIELD, NULL, CONFIRMATION(name), NULL},
    {"transaction", FIELD_REQUIRED, false, 64, REFUSED_TRANSACTION_ID, NULL, CONFIRMATION(transaction), NULL},
    {"confirm", FIELD_REQUIRED, true, 0, REFUSED_FIELD, is_boolean, CONFIRMATION(confirm_text),
     "must be true or false"},
    {"checksum", FIELD_REQUIRED, false, 0, REFUSED_CHECKSUM, NULL, CONFIRMATION(checksum), FORM_CHECKSUM},
};

enum refusal messages_read_lookup(struct text reference, struct text query, struct arena *arena, struct lookup *out,
                                  struct fault *fault) {
    *out = (struct lookup){.reference = reference};
    enum refusal refusal = field_judge(&REFERENCE_OF_LOOKUP, reference, fault);
    return refusal == GRANTED ? uri_read_query(query, LOOKUP_FIELDS, COUNT_OF(LOOKUP_FIELDS), arena, out, fault)
                              : refusal;
}

enum refusal messages_read_registration(struct text body, struct arena *arena, struct registration *out,
                                        struct fault *fault) {
    *out = (struct registration){0};
    enum refusal refusal = object_read(body, REGISTRATION_FIELDS, COUNT_OF(REGISTRATION_FIELDS), arena, out, fault);
    if (refusal == GRANTED) {
        bool parsed = money_parse(out->amount, &out->value);
        assert(parsed); /* the field's rule has validated it */
    }
    return refusal;
}

enum refusal messages_read_confirmation(struct text body, struct arena *arena, struct confirmation *out,
                                        struct fault *fault) {
    *out = (struct confirmation){0};
    enum refusal refusal = object_read(body, CONFIRMATION_FIELDS, COUNT_OF(CONFIRMATION_FIELDS), arena, out, fault);
    out->confirm = text_equal(out->confirm_text, TEXT("true"));
    return refusal;
}
