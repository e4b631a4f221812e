#include "console/core/multipart.h"

enum { BOUNDARY_MAX = 70 };

struct parts {
    char line[BOUNDARY_MAX + sizeof "\r\n--"]; /* the delimiter of all parts but the first */
    struct text delimiter;                     /* `line` as text */
    struct text rest;                          /* of the body, after a delimiter */
};

bool multipart_is(struct text content_type) {
    return text_begins(content_type, TEXT("multipart/form-data"));
}

/* Moves the text before `mark` from *rest to *out, and drops the mark. Returns false if *rest has no such mark. */
static bool cut_at_mark(struct text *rest, struct text mark, struct text *out) {
    const char *found = rest->size == 0 ? NULL : memmem(rest->at, rest->size, mark.at, mark.size);
    if (found == NULL) {
        return false;
    }
    size_t used = (size_t)(found - rest->at);
    *out = (struct text){rest->at, used};
    rest->at += used + mark.size;
    rest->size -= used + mark.size;
    return true;
}

static struct text boundary_of(struct text content_type) {
    struct text before, boundary = content_type;
    if (!cut_at_mark(&boundary, TEXT("boundary="), &before)) {
        return TEXT("");
    }
    if (text_begins(boundary, TEXT("\""))) {
        struct text rest = {boundary.at + 1, boundary.size - 1};
        return cut_at_mark(&rest, TEXT("\""), &boundary) ? boundary : TEXT("");
    }
    struct text rest = boundary;
    (void)cut_at_mark(&rest, TEXT(";"), &boundary); /* else it extends to the end */
    return text_trim(boundary);
}

/* Returns false if the body is not such a form or does not begin with its boundary. */
static bool open_parts(struct text content_type, struct text body, struct parts *out) {
    struct text boundary = boundary_of(content_type);
    if (!multipart_is(content_type) || boundary.size == 0 || boundary.size > BOUNDARY_MAX) {
        return false;
    }
    memcpy(out->line, "\r\n--", 4);
    memcpy(out->line + 4, boundary.at, boundary.size);
    out->delimiter = (struct text){out->line, boundary.size + 4};
    struct text first = {out->line + 2, boundary.size + 2};
    if (!text_begins(body, first)) {
        return false;
    }
    out->rest = (struct text){body.at + first.size, body.size - first.size};
    return true;
}

/* Whether the header lines of a part give it this name. Browsers send a quote in a name as %22. */
static bool is_named(struct text headers, const char *name) {
    struct text before, given;
    return cut_at_mark(&headers, TEXT("; name=\""), &before) && cut_at_mark(&headers, TEXT("\""), &given) &&
           text_equal(given, text_of(name));
}

bool multipart_find(struct text content_type, struct text body, const char *name, struct text *out) {
    struct parts parts;
    struct text headers;
    if (!open_parts(content_type, body, &parts)) {
        return false;
    }
    while (text_begins(parts.rest, TEXT("\r\n")) && cut_at_mark(&parts.rest, TEXT("\r\n\r\n"), &headers) &&
           cut_at_mark(&parts.rest, parts.delimiter, out)) {
        if (is_named(headers, name)) {
            return true;
        }
    }
    return false;
}
