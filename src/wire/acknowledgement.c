#include "wire/acknowledgement.h"

#include "domain/delivery.h"

/*
 * Not the strict reader of wire/object.h: the specification's own sample is no JSON, and merchants send it as it stands there. Only
 * `status` matters, so everything else is passed over as long as its brackets and quotes close.
 */
struct scan {
    const char *at, *end;
};

static bool is_one_of(char c, const char *characters) {
    return c != '\0' && strchr(characters, c) != NULL;
}

static bool take(struct scan *scan, char c) {
    while (scan->at < scan->end && is_one_of(*scan->at, " \t\r\n")) {
        scan->at++;
    }
    bool there = scan->at < scan->end && *scan->at == c;
    scan->at += there;
    return there;
}

/* What stands before the closing quote, which is taken too; a backslash hides the character after it. */
static bool take_quoted(struct scan *scan, char quote, struct text *out) {
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at != quote) {
        scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
    }
    *out = (struct text){start, (size_t)(scan->at - start)};
    return take(scan, quote);
}

static bool take_word(struct scan *scan, struct text *out) {
    if (take(scan, '"')) {
        return take_quoted(scan, '"', out);
    }
    if (take(scan, '\'')) {
        return take_quoted(scan, '\'', out);
    }
    const char *start = scan->at;
    while (scan->at < scan->end && !is_one_of(*scan->at, "\"'{}[]:,")) {
        scan->at++;
    }
    *out = delivery_reply_text((struct text){start, (size_t)(scan->at - start)});
    return out->size > 0;
}

/* Passes over an object or array, of which the first bracket is taken, up to its last one. */
static bool pass_nested(struct scan *scan) {
    size_t depth = 1;
    struct text passed;
    while (depth > 0 && scan->at < scan->end) {
        char c = *scan->at++;
        if (is_one_of(c, "\"'") && !take_quoted(scan, c, &passed)) {
            return false;
        }
        depth += is_one_of(c, "{[");
        depth -= is_one_of(c, "}]");
    }
    return depth == 0;
}

static bool take_value(struct scan *scan, struct text *out) {
    *out = TEXT("");
    return take(scan, '{') || take(scan, '[') ? pass_nested(scan) : take_word(scan, out);
}

bool acknowledgement_says_ok(struct text body) {
    struct text object = delivery_reply_text(body), key, value;
    bool ok = false, other = false;
    if (object.size == 0) {
        return false;
    }
    struct scan scan = {object.at, object.at + object.size};
    bool more = take(&scan, '{');
    while (more) {
        if (!take_word(&scan, &key) || !take(&scan, ':') || !take_value(&scan, &value)) {
            return false;
        }
        if (text_equal_any_case(key, TEXT("status"))) {
            *(text_equal_any_case(value, TEXT("OK")) ? &ok : &other) = true;
        }
        more = take(&scan, ',');
    }
    return take(&scan, '}') && scan.at == scan.end && ok && !other;
}
