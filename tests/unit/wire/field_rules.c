#include "field_rules.h"

#include "unit.h"

struct text field_rules_message(const struct field_rules *rules, const char *name, const char *json,
                                struct arena *arena) {
    struct text message = text_of(rules->before);
    const char *comma = "";
    for (size_t i = 0; i < rules->count; i++) {
        const struct field_rule *rule = &rules->rules[i];
        const char *value = strcmp(rule->name, name) == 0 ? json : arena_print(arena, "\"%s\"", rule->value).at;
        if (value != NULL) {
            message = arena_print(arena, "%.*s%s\"%s\":%s", TEXT_ARGS(message), comma, rule->name, value);
            comma = ",";
        }
    }
    return arena_print(arena, "%.*s%s", TEXT_ARGS(message), rules->after);
}

struct trial {
    const struct field_rules *rules;
    const struct field_rule *rule;
    struct arena *arena;
};

static enum refusal send_value(const struct trial *trial, const char *json, struct fault *fault) {
    *fault = (struct fault){0};
    struct text message = field_rules_message(trial->rules, trial->rule->name, json, trial->arena);
    return trial->rules->read(message, trial->arena, fault);
}

static void expect_granted(const struct trial *trial, const char *json) {
    struct fault fault;
    enum refusal refusal = send_value(trial, json, &fault);
    ck_assert_msg(refusal == GRANTED, "%s as %s: %s %s", trial->rule->name, json, fault.field, fault.problem);
}

static void expect_equal(const struct trial *trial, const char *what, const char *actual, const char *expected) {
    ck_assert_msg(actual == expected || (actual != NULL && expected != NULL && strcmp(actual, expected) == 0),
                  "%s of %s is '%s', expected '%s'", what, trial->rule->name, actual, expected);
}

static void expect_refused(const struct trial *trial, const char *json, enum refusal expected,
                           const struct fault *fault) {
    struct fault actual;
    ck_assert_int_eq(send_value(trial, json, &actual), expected);
    expect_equal(trial, "field", actual.field, trial->rule->name);
    expect_equal(trial, "problem", actual.problem, fault->problem);
    expect_equal(trial, "remedy", actual.remedy, fault->remedy);
    ck_assert_uint_eq(actual.least, fault->least);
    ck_assert_uint_eq(actual.most, fault->most);
}

static void try_absent(const struct trial *trial, const char *json) {
    static const struct fault MISSING = {.problem = "is missing"};
    if (trial->rule->required) {
        expect_refused(trial, json, REFUSED_FIELD, &MISSING);
    } else {
        expect_granted(trial, json);
    }
}

static void try_empty(const struct trial *trial) {
    const struct field_rule *rule = trial->rule;
    bool tells_limits = rule->form == NULL && rule->longest > 0;
    const struct fault empty = {.problem = "is empty",
                                .remedy = rule->form,
                                .least = tells_limits ? 1 : 0,
                                .most = tells_limits ? rule->longest : 0};
    if (trial->rules->tolerant) {
        try_absent(trial, "\"\"");
        try_absent(trial, "null");
    } else if (rule->required) {
        expect_refused(trial, "\"\"", rule->malformed, &empty);
    } else {
        expect_granted(trial, "\"\"");
    }
}

static void try_other_types(const struct trial *trial) {
    const struct fault no_string = {.problem = trial->rules->tolerant ? "must be a string or a number"
                                                                      : "must be a string, in quotes"};
    expect_refused(trial, "{}", REFUSED_FIELD, &no_string);
    if (!trial->rules->tolerant) {
        expect_refused(trial, "null", REFUSED_FIELD, &no_string);
        expect_refused(trial, "7", REFUSED_FIELD, &no_string);
    }
    if (!trial->rule->or_boolean) {
        expect_refused(trial, "true", REFUSED_FIELD, &no_string);
    }
}

/* A text of this many characters, each of which is more than one byte. */
static const char *text_of_length(const struct trial *trial, size_t length) {
    char *json = arena_alloc(trial->arena, 2 * length + 3), *at = json;
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        memcpy(at, "\xC3\xB1", 2);
        at += 2;
    }
    memcpy(at, "\"", 2);
    return json;
}

static void try_lengths(const struct trial *trial) {
    enum { VERY_LONG = 600 };
    unsigned longest = trial->rule->longest;
    const struct fault too_long = {.problem = "is too long", .most = longest};
    struct fault fault;
    enum refusal refusal = send_value(trial, text_of_length(trial, longest == 0 ? VERY_LONG : longest), &fault);
    ck_assert_msg(refusal == GRANTED || strcmp(fault.problem, "is too long") != 0, "%s", trial->rule->name);
    if (longest > 0) {
        expect_refused(trial, text_of_length(trial, longest + 1), trial->rule->malformed, &too_long);
    }
}

static void try_contents(const struct trial *trial) {
    const struct field_rule *rule = trial->rule;
    const struct fault control = {.problem = "has a control character",
                                  .remedy = "leave out line ends, tabs and the like"};
    expect_refused(trial, "\"\\t\"", rule->malformed, &control);
    if (rule->wrong != NULL) {
        const struct fault wrong = {.problem = rule->form == NULL ? "is not valid" : rule->form};
        expect_refused(trial, arena_print(trial->arena, "\"%s\"", rule->wrong).at, rule->malformed, &wrong);
    }
}

void field_rules_try(const struct field_rules *rules, size_t row) {
    struct arena *arena = arena_create();
    const struct trial trial = {rules, &rules->rules[row], arena};
    expect_granted(&trial, arena_print(arena, "\"%s\"", trial.rule->value).at);
    try_absent(&trial, NULL);
    try_empty(&trial);
    try_other_types(&trial);
    try_lengths(&trial);
    try_contents(&trial);
    arena_destroy(arena);
}
