#include "wire/uri.h"

#include "base/hex.h"
#include "base/utf8.h"

/* Decodes %XX, and + as a space if `plus_is_space`. False: a malformed escape, NUL, or not UTF-8. */
static bool decode(struct text raw, bool plus_is_space, struct arena *arena, struct text *out) {
    char *to = arena_alloc(arena, raw.size + 1);
    size_t used = 0;
    for (size_t i = 0; i < raw.size; i++) {
        char c = raw.at[i];
        if (c == '%') {
            if (raw.size - i < 3 || !hex_read((struct text){raw.at + i + 1, 2}, &c, 1)) {
                return false;
            }
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        if (c == '\0') {
            return false;
        }
        to[used++] = c;
    }
    *out = (struct text){to, used};
    return utf8_is_valid(*out);
}

static size_t count_slashes(struct text text) {
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        count += text.at[i] == '/';
    }
    return count;
}

bool uri_decode_path(struct text raw, struct arena *arena, struct text *out) {
    return decode(raw, false, arena, out) && count_slashes(raw) == count_slashes(*out);
}

/* Finds the parameter; *count: how often it occurs. False: it has a malformed escape. */
static bool find_parameter(struct text query, struct text name, struct arena *arena, struct text *value,
                           size_t *count) {
    *count = 0;
    while (query.size > 0) {
        struct text parameter = text_cut(&query, '&'), parameter_name;
        struct text raw_name = text_cut(&parameter, '=');
        if (!decode(raw_name, true, arena, &parameter_name) || !text_equal(parameter_name, name)) {
            continue;
        }
        (*count)++;
        if (!decode(parameter, true, arena, value)) {
            return false;
        }
    }
    return true;
}

static enum refusal read_parameter(struct text query, const struct field *field, struct arena *arena, void *message,
                                   struct fault *fault) {
    struct text *to = (struct text *)((char *)message + field->at);
    size_t count;
    bool well_formed = find_parameter(query, text_of(field->name), arena, to, &count);
    if (!well_formed || count > 1) {
        *fault = count > 1 ? (struct fault){.field = field->name, .problem = "stands there twice"}
                           : (struct fault){field->name, "has an invalid percent-encoding", .remedy = URI_ESCAPE};
        return REFUSED_FIELD;
    }
    return count == 0 ? field_judge_absent(field, fault) : field_judge(field, *to, fault);
}

enum refusal uri_read_query(struct text query, const struct field *fields, size_t count, struct arena *arena,
                            void *message, struct fault *fault) {
    enum refusal refusal = GRANTED;
    for (size_t i = 0; refusal == GRANTED && i < count; i++) {
        refusal = read_parameter(query, &fields[i], arena, message, fault);
    }
    return refusal;
}

bool uri_parameter(struct text query, struct text name, struct arena *arena, struct text *out) {
    size_t count;
    return find_parameter(query, name, arena, out, &count) && count == 1;
}

bool uri_next_parameter(struct text *rest, struct arena *arena, struct text *name, struct text *value) {
    struct text parameter = text_cut(rest, '&'), raw_name = text_cut(&parameter, '=');
    return decode(raw_name, true, arena, name) && decode(parameter, true, arena, value);
}
