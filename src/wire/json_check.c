#include "wire/json_check.h"

#include "base/hex.h"
#include "base/utf8.h"

_Static_assert(JSON_DEPTH_MAX == 8, "as the remedy says");

struct scan {
    const unsigned char *at, *end;
    size_t members;
    int depth;
    const char *problem, *remedy; /* of the first mistake, at which `at` stops */
};

/* `remedy` may be NULL. */
static bool fail(struct scan *scan, const char *problem, const char *remedy) {
    scan->problem = problem;
    scan->remedy = remedy;
    return false;
}

static bool fail_too_early(struct scan *scan) {
    return fail(scan, "ends too early", "a closing } or ] is missing");
}

static void skip_space(struct scan *scan) {
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n' || *scan->at == '\r')) {
        scan->at++;
    }
}

static bool next_is(const struct scan *scan, char c) {
    return scan->at < scan->end && *scan->at == (unsigned char)c;
}

static bool take_character(struct scan *scan, char c) {
    if (!next_is(scan, c)) {
        return false;
    }
    scan->at++;
    return true;
}

static bool check_utf8(struct scan *scan) {
    size_t length = utf8_character(scan->at, (size_t)(scan->end - scan->at));
    scan->at += length;
    return length > 0 || fail(scan, "is not UTF-8", NULL);
}

static bool take_code_unit(struct scan *scan, unsigned *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = scan->at < scan->end ? hex_value((char)*scan->at) : -1;
        if (digit < 0) {
            return fail(scan, "has \\u without four hex digits", NULL);
        }
        *out = *out << 4 | (unsigned)digit;
        scan->at++;
    }
    return true;
}

static bool fail_at_half(struct scan *scan) {
    return fail(scan, "has half a surrogate pair", "write both halves, or the character itself");
}

static bool check_unicode_escape(struct scan *scan) {
    unsigned high, low;
    if (!take_code_unit(scan, &high)) {
        return false;
    }
    if (high == 0) {
        return fail(scan, "holds a NUL", "leave \\u0000 out");
    }
    if (high < 0xD800 || high > 0xDFFF) {
        return true;
    }
    if (high > 0xDBFF || !take_character(scan, '\\') || !take_character(scan, 'u')) {
        return fail_at_half(scan);
    }
    return take_code_unit(scan, &low) && ((low >= 0xDC00 && low <= 0xDFFF) || fail_at_half(scan));
}

static bool check_escape(struct scan *scan) {
    if (take_character(scan, 'u')) {
        return check_unicode_escape(scan);
    }
    if (scan->at < scan->end && *scan->at != '\0' && strchr("\"\\/bfnrt", *scan->at) != NULL) {
        scan->at++;
        return true;
    }
    return fail(scan, "has an unknown escape", "write \\\\ for a backslash");
}

static bool check_string(struct scan *scan) {
    if (!take_character(scan, '"')) { /* only keys: check_value has seen a string's quote */
        return scan->at == scan->end ? fail_too_early(scan) : fail(scan, "needs a key in double quotes", NULL);
    }
    while (scan->at < scan->end) {
        unsigned char c = *scan->at;
        if (c == '"') {
            scan->at++;
            return true;
        }
        if (c < 0x20) {
            return fail(scan, "has a control character in a string", "write \\n, \\t, or \\u and four hex digits");
        }
        if (c == '\\') {
            scan->at++;
            if (!check_escape(scan)) {
                return false;
            }
        } else if (c < 0x80) {
            scan->at++;
        } else if (!check_utf8(scan)) {
            return false;
        }
    }
    return fail(scan, "ends in the middle of a string", "a closing quote is missing");
}

static bool fail_at_value(struct scan *scan) {
    return fail(scan, "needs a value", "text in double quotes, a number, true, false, null, {...} or [...]");
}

/* Returns whether there was a digit. */
static bool take_digits(struct scan *scan) {
    const unsigned char *start = scan->at;
    while (scan->at < scan->end && text_is_digit((char)*scan->at)) {
        scan->at++;
    }
    return scan->at > start;
}

static bool fail_at_number(struct scan *scan, const unsigned char *start) {
    scan->at = start;
    return fail(scan, "has a number that is not JSON", "write it like 45000, -1 or 45000.00");
}

/* Checks a number. Nothing else can be a value here. */
static bool check_number(struct scan *scan) {
    if (*scan->at != '-' && (*scan->at < '0' || *scan->at > '9')) {
        return fail_at_value(scan);
    }
    const unsigned char *start = scan->at;
    (void)take_character(scan, '-');
    bool leading_zero = take_character(scan, '0');
    bool has_digits = take_digits(scan);
    if (leading_zero == has_digits) { /* a zero stands alone; anything else has digits */
        return fail_at_number(scan, start);
    }
    if (take_character(scan, '.') && !take_digits(scan)) {
        return fail_at_number(scan, start);
    }
    if (take_character(scan, 'e') || take_character(scan, 'E')) {
        if (!take_character(scan, '+')) {
            (void)take_character(scan, '-');
        }
        if (!take_digits(scan)) {
            return fail_at_number(scan, start);
        }
    }
    return true;
}

static bool check_word(struct scan *scan, struct text word) {
    if ((size_t)(scan->end - scan->at) < word.size || memcmp(scan->at, word.at, word.size) != 0) {
        return fail_at_value(scan);
    }
    scan->at += word.size;
    return true;
}

static bool check_value(struct scan *scan);

static bool fail_at_end_of_items(struct scan *scan, char close) {
    return scan->at == scan->end ? fail_too_early(scan)
                                 : fail(scan, close == '}' ? "needs , or }" : "needs , or ]", NULL);
}

/* Checks the items between { and } or [ and ], which commas separate. */
static bool check_items(struct scan *scan, char close, bool (*item)(struct scan *)) {
    if (++scan->depth > JSON_DEPTH_MAX) {
        return fail(scan, "is nested too deeply", "at most 8 levels");
    }
    scan->at++;
    skip_space(scan);
    bool more = !next_is(scan, close);
    while (more) {
        skip_space(scan);
        if (!item(scan)) {
            return false;
        }
        skip_space(scan);
        more = take_character(scan, ',');
    }
    scan->depth--;
    return take_character(scan, close) || fail_at_end_of_items(scan, close);
}

static bool check_member(struct scan *scan) {
    scan->members++;
    if (!check_string(scan)) {
        return false;
    }
    skip_space(scan);
    if (!take_character(scan, ':')) {
        return scan->at == scan->end ? fail_too_early(scan) : fail(scan, "needs : after a key", NULL);
    }
    skip_space(scan);
    return check_value(scan);
}

static bool check_value(struct scan *scan) {
    if (scan->at == scan->end) {
        return fail_too_early(scan);
    }
    switch (*scan->at) {
    case '{':
        return check_items(scan, '}', check_member);
    case '[':
        return check_items(scan, ']', check_value);
    case '"':
        return check_string(scan);
    case 't':
        return check_word(scan, TEXT("true"));
    case 'f':
        return check_word(scan, TEXT("false"));
    case 'n':
        return check_word(scan, TEXT("null"));
    default:
        return check_number(scan);
    }
}

static bool check_end(struct scan *scan) {
    skip_space(scan);
    return scan->at == scan->end || fail(scan, "has bytes after its end", "send one object alone");
}

static void note_no_object(struct text text, bool is_empty, struct fault *fault) {
    if (is_empty) {
        fault->problem = "is empty";
        fault->remedy = "send one JSON object, {...}";
    } else if (!utf8_is_valid(text)) { /* deflate and brotli begin with nothing that is theirs alone */
        fault->problem = "is not UTF-8";
        fault->remedy = "send one JSON object, {...}, as it is, without Content-Encoding";
    } else {
        fault->problem = "is not a JSON object, {...}";
        fault->remedy = NULL;
    }
}

bool json_check(struct text text, size_t *members, struct fault *fault) {
    const unsigned char *start = (const unsigned char *)text.at;
    struct scan scan = {.at = start, .end = text.size == 0 ? start : start + text.size};
    skip_space(&scan);
    *members = 0;
    if (!next_is(&scan, '{')) {
        note_no_object(text, scan.at == scan.end, fault);
        return false;
    }
    bool valid = check_value(&scan) && check_end(&scan);
    *members = scan.members;
    fault->problem = scan.problem;
    fault->remedy = scan.remedy;
    fault->byte = valid ? 0 : (size_t)(scan.at - start) + 1;
    return valid;
}

struct text json_member_literal(struct text text, size_t index) {
    struct scan scan = {.at = (const unsigned char *)text.at, .end = (const unsigned char *)text.at + text.size};
    skip_space(&scan);
    (void)take_character(&scan, '{');
    for (size_t i = 0; i <= index; i++) {
        skip_space(&scan);
        (void)check_string(&scan);
        skip_space(&scan);
        (void)take_character(&scan, ':');
        skip_space(&scan);
        const unsigned char *start = scan.at;
        (void)check_value(&scan);
        text = (struct text){(const char *)start, (size_t)(scan.at - start)};
        skip_space(&scan);
        (void)take_character(&scan, ',');
    }
    return text;
}
