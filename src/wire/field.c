#include "wire/field.h"

static enum refusal refuse_field(const struct field *field, enum refusal refusal, const char *problem,
                                 struct fault *fault) {
    *fault = (struct fault){.field = field->name, .problem = problem};
    return refusal;
}

static enum refusal refuse_empty(const struct field *field, struct fault *fault) {
    enum refusal refusal = refuse_field(field, field->malformed, "is empty", fault);
    fault->remedy = field->form;
    if (field->form == NULL && field->most > 0) {
        fault->least = 1;
        fault->most = field->most;
    }
    return refusal;
}

enum refusal field_judge(const struct field *field, struct text value, struct fault *fault) {
    if (value.size == 0) {
        return field->need == FIELD_OPTIONAL ? GRANTED : refuse_empty(field, fault);
    }
    if (field->most > 0 && text_characters(value) > field->most) {
        enum refusal refusal = refuse_field(field, field->malformed, "is too long", fault);
        fault->most = field->most;
        return refusal;
    }
    if (text_has_control(value)) {
        enum refusal refusal = refuse_field(field, field->malformed, "has a control character", fault);
        fault->remedy = "leave out line ends, tabs and the like";
        return refusal;
    }
    if (field->is_valid != NULL && !field->is_valid(value)) {
        return refuse_field(field, field->malformed, field->form == NULL ? "is not valid" : field->form, fault);
    }
    return GRANTED;
}

enum refusal field_judge_absent(const struct field *field, struct fault *fault) {
    return field->need == FIELD_OPTIONAL ? GRANTED : refuse_field(field, REFUSED_FIELD, "is missing", fault);
}
