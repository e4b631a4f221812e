#include "console/core/request.h"

#include "base/utf8.h"
#include "console/core/multipart.h"
#include "wire/uri.h"

/* Parameters of an address or of a form, and bytes of a form or of one of its fields. A file may be larger. */
enum { PARAMETERS_MAX = 30, FORM_MAX = 64 * 1024 };

/* Whether the value has a control character other than a tab or a line end, which text fields may contain. */
static bool has_other_control(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.at[i];
        if ((c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
            return true;
        }
    }
    return false;
}

static bool is_url_encoded_form(const struct console_request *request) {
    return text_begins(request->content_type, TEXT("application/x-www-form-urlencoded"));
}

bool request_is_large(const struct console_request *request) {
    return request->too_large || (request->body.size > FORM_MAX && !multipart_is(request->content_type));
}

static bool are_sound(struct text parameters, struct arena *arena) {
    struct text names[PARAMETERS_MAX], value;
    for (size_t count = 0; parameters.size > 0; count++) {
        if (count == PARAMETERS_MAX || !uri_next_parameter(&parameters, arena, &names[count], &value) ||
            has_other_control(value)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            if (names[count].size > 0 && text_equal(names[i], names[count])) {
                return false;
            }
        }
    }
    return true;
}

bool request_is_sound(const struct console_request *request, struct arena *arena) {
    return are_sound(request->query, arena) && (!is_url_encoded_form(request) || are_sound(request->body, arena));
}

static struct text request_parameter(struct text query, const char *name, struct arena *arena) {
    struct text value;
    return uri_parameter(query, text_of(name), arena, &value) ? text_trim(value) : TEXT("");
}

struct text request_query(const struct console_request *request, const char *name, struct arena *arena) {
    return request_parameter(request->query, name, arena);
}

struct text request_file(const struct console_request *request, const char *name) {
    struct text bytes;
    return multipart_find(request->content_type, request->body, name, &bytes) ? bytes : TEXT("");
}

struct text request_form(const struct console_request *request, const char *name, struct arena *arena) {
    if (multipart_is(request->content_type)) {
        struct text value = request_file(request, name);
        bool is_fit = value.size <= FORM_MAX && utf8_is_valid(value) && !has_other_control(value);
        return is_fit ? text_trim(arena_copy(arena, value)) : TEXT("");
    }
    return is_url_encoded_form(request) ? request_parameter(request->body, name, arena) : TEXT("");
}

bool request_query_number(const struct console_request *request, const char *name, struct arena *arena, uint64_t *out) {
    return text_to_number(request_query(request, name, arena), out);
}

uint64_t request_query_id(const struct console_request *request, const char *name, struct arena *arena) {
    uint64_t id;
    if (request_query_number(request, name, arena, &id)) {
        return id == 0 ? UINT64_MAX : id;
    }
    return request_query(request, name, arena).size == 0 ? 0 : UINT64_MAX;
}

struct text request_cookie(const struct console_request *request, const char *name) {
    struct text rest = request->cookie;
    size_t size = strlen(name);
    while (rest.size > 0) {
        struct text pair = text_trim(text_cut(&rest, ';'));
        if (pair.size > size && pair.at[size] == '=' && memcmp(pair.at, name, size) == 0) {
            return (struct text){pair.at + size + 1, pair.size - size - 1};
        }
    }
    return TEXT("");
}
