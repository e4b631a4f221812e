#include "bench/load/load_json.h"

enum { DEPTH_LIMIT = 8 };

struct reader {
    const char *at;
    const char *end;
    unsigned depth;
};

static bool skip_value(struct reader *reader);

static bool is_space(char byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static void skip_space(struct reader *reader) {
    while (reader->at < reader->end && is_space(*reader->at)) {
        reader->at++;
    }
}

static bool take(struct reader *reader, char wanted) {
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != wanted) {
        return false;
    }
    reader->at++;
    return true;
}

static bool skip_string(struct reader *reader) {
    if (!take(reader, '"')) {
        return false;
    }
    for (; reader->at < reader->end; reader->at++) {
        if (*reader->at == '"') {
            reader->at++;
            return true;
        }
        if ((unsigned char)*reader->at < 0x20) {
            return false;
        }
        if (*reader->at == '\\') {
            reader->at++;
        }
    }
    return false;
}

static size_t skip_digits(struct reader *reader) {
    const char *start = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
        reader->at++;
    }
    return (size_t)(reader->at - start);
}

static bool next_is(const struct reader *reader, const char *any_of) {
    return reader->at < reader->end && *reader->at != '\0' && strchr(any_of, *reader->at) != NULL;
}

static bool skip_number(struct reader *reader) {
    reader->at += next_is(reader, "-");
    bool zero = next_is(reader, "0");
    size_t whole = skip_digits(reader);
    if (whole == 0 || (zero && whole > 1)) {
        return false;
    }
    if (next_is(reader, ".")) {
        reader->at++;
        if (skip_digits(reader) == 0) {
            return false;
        }
    }
    if (next_is(reader, "eE")) {
        reader->at++;
        reader->at += next_is(reader, "+-");
        return skip_digits(reader) > 0;
    }
    return true;
}

static bool skip_word(struct reader *reader) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(reader->end - reader->at) >= length && memcmp(reader->at, words[i], length) == 0) {
            reader->at += length;
            return true;
        }
    }
    return false;
}

static bool skip_array(struct reader *reader) {
    if (!take(reader, '[')) {
        return false;
    }
    if (take(reader, ']')) {
        return true;
    }
    do {
        if (!skip_value(reader)) {
            return false;
        }
    } while (take(reader, ','));
    return take(reader, ']');
}

static void note(struct text name, struct text value, struct json_member *members, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text_equal(name, text_of(members[i].name))) {
            members[i].value = value;
        }
    }
}

static bool read_object(struct reader *reader, struct json_member *members, size_t count) {
    if (!take(reader, '{')) {
        return false;
    }
    if (take(reader, '}')) {
        return true;
    }
    do {
        skip_space(reader);
        const char *name = reader->at;
        if (!skip_string(reader)) {
            return false;
        }
        struct text inside = {name + 1, (size_t)(reader->at - name) - 2};
        if (!take(reader, ':')) {
            return false;
        }
        skip_space(reader);
        const char *value = reader->at;
        if (!skip_value(reader)) {
            return false;
        }
        note(inside, (struct text){value, (size_t)(reader->at - value)}, members, count);
    } while (take(reader, ','));
    return take(reader, '}');
}

static bool skip_value(struct reader *reader) {
    skip_space(reader);
    if (reader->at == reader->end || reader->depth == DEPTH_LIMIT) {
        return false;
    }
    reader->depth++;
    bool whole;
    switch (*reader->at) {
    case '{':
        whole = read_object(reader, NULL, 0);
        break;
    case '[':
        whole = skip_array(reader);
        break;
    case '"':
        whole = skip_string(reader);
        break;
    default:
        whole = skip_word(reader) || skip_number(reader);
    }
    reader->depth--;
    return whole;
}

bool json_members(struct text object, struct json_member *members, size_t count) {
    struct reader reader = {object.at, object.at + object.size, 0};
    for (size_t i = 0; i < count; i++) {
        members[i].value = (struct text){NULL, 0};
    }
    bool whole = read_object(&reader, members, count);
    skip_space(&reader);
    return whole && reader.at == reader.end;
}
