#include "wire/merchant/acknowledgement.h"

#include "base/hex.h"
#include "domain/notification/delivery.h"

/*
 * Not the strict reader of wire/object.h: the specification's own sample is not JSON, and merchants send it as printed
 * there. A shop plugin omits the comma between members. So the body is read word by word, and only brackets and quotes
 * structure it.
 */
struct scan {
    const char *at, *end;
    size_t depth; /* open brackets */
};

static bool is_listed(char c, const char *characters) {
    return c != '\0' && strchr(characters, c) != NULL;
}

static bool take_token(struct scan *scan, char c) {
    while (scan->at < scan->end && is_listed(*scan->at, " \t\r\n")) {
        scan->at++;
    }
    bool there = scan->at < scan->end && *scan->at == c;
    scan->at += there;
    return there;
}

/* Takes the text before the closing quote, and the quote. A backslash escapes the character after it. */
static bool take_quoted(struct scan *scan, char quote, struct text *out) {
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at != quote) {
        scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
    }
    *out = (struct text){start, (size_t)(scan->at - start)};
    return take_token(scan, quote);
}

/* Takes a word: with quotes of either kind, or without, up to the next quote, bracket, colon or comma. */
static bool take_word(struct scan *scan, struct text *out) {
    if (take_token(scan, '"')) {
        return take_quoted(scan, '"', out);
    }
    if (take_token(scan, '\'')) {
        return take_quoted(scan, '\'', out);
    }
    const char *start = scan->at;
    while (scan->at < scan->end && !is_listed(*scan->at, "\"'{}[]:,")) {
        scan->at++;
    }
    *out = delivery_reply_text((struct text){start, (size_t)(scan->at - start)});
    return out->size > 0;
}

/* Takes a bracket, comma or colon. False: at the end, or something else follows. */
static bool take_mark(struct scan *scan) {
    if (take_token(scan, '{') || take_token(scan, '[')) {
        scan->depth++;
        return true;
    }
    if (take_token(scan, '}') || take_token(scan, ']')) {
        scan->depth--;
        return true;
    }
    return take_token(scan, ',') || take_token(scan, ':');
}

/* Takes a character, or a \u escape for one: \u0065 is e. The words compared need no other escapes. */
static char take_reply_character(struct text *rest) {
    unsigned char bytes[2] = {0};
    size_t size = 1;
    if (text_begins(*rest, TEXT("\\u")) && rest->size >= 6 && hex_read((struct text){rest->at + 2, 4}, bytes, 2)) {
        size = 6;
    }
    char c = size == 1 ? rest->at[0] : bytes[0] == 0 ? (char)bytes[1] : '\0';
    rest->at += size;
    rest->size -= size;
    return c;
}

/* Takes the word, in any case, from what was said. False: it does not begin so. */
static bool take_reply_word(struct text *said, struct text word) {
    for (; said->size > 0 && word.size > 0; word.at++, word.size--) {
        char c = take_reply_character(said);
        if (!text_equal_any_case((struct text){&c, 1}, (struct text){word.at, 1})) {
            return false;
        }
    }
    return word.size == 0;
}

static bool is_reply_word(struct text said, struct text word) {
    return take_reply_word(&said, word) && said.size == 0;
}

/* Whether the word, and perhaps a description behind it, was said. */
static bool begins_with_reply_word(struct text said, struct text word) {
    return take_reply_word(&said, word) && (said.size == 0 || !text_is_letter_or_digit(said.at[0]));
}

struct found {
    bool ok, error, other;
};

static void note_value(struct found *found, struct text value) {
    if (is_reply_word(value, TEXT("OK"))) {
        found->ok = true;
    } else if (begins_with_reply_word(value, TEXT("ERROR"))) {
        found->error = true;
    } else {
        found->other = true;
    }
}

/* Reads the object to its last bracket and records the values of its own `status`. False: it has no end. */
static bool read_object(struct scan *scan, struct found *found) {
    struct text word, value;
    while (scan->depth > 0) {
        if (take_mark(scan)) {
            continue;
        }
        if (!take_word(scan, &word)) {
            return false;
        }
        if (scan->depth == 1 && is_reply_word(word, TEXT("status")) && take_token(scan, ':')) {
            note_value(found, take_word(scan, &value) ? value : TEXT(""));
        }
    }
    return true;
}

enum reply_says acknowledgement_says(struct text body) {
    struct text reply = delivery_reply_text(body);
    const char *open = reply.size == 0 ? NULL : memchr(reply.at, '{', reply.size);
    if (open == NULL) {
        return REPLY_SAYS_NOTHING;
    }
    struct found found = {0};
    struct scan scan = {open + 1, reply.at + reply.size, 1};
    bool is_whole = read_object(&scan, &found) && open == reply.at && scan.at == scan.end;
    if (found.error) {
        return REPLY_SAYS_ERROR;
    }
    return is_whole && found.ok && !found.other ? REPLY_SAYS_OK : REPLY_SAYS_NOTHING;
}
