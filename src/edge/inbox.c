#include "edge/inbox.h"

#include "base/memory.h"

enum { THE_VERSION = 1, BEGIN = 1, PARAMETERS = 4, BODY = 5, RESPONDER = 1, LONG_SIZE = 0x80 };

struct head {
    unsigned char version, type, id[2], size[2], padding, reserved;
};

/* Content of the record that begins a request. */
struct begin {
    unsigned char role[2], flags, reserved[5];
};

/* Read position in the parameters, which continue from record to record. */
struct parameters {
    const char *at, *end;
    size_t left, padding; /* of the record */
};

_Static_assert(sizeof(struct head) == 8, "as in the FastCGI specification");
_Static_assert(sizeof(struct begin) == 8, "as in the FastCGI specification");

void inbox_add(struct inbox *inbox, const char *bytes, size_t size) {
    if (inbox->size + size > inbox->room) {
        inbox->room = 2 * (inbox->size + size);
        inbox->bytes = memory_grown(inbox->bytes, inbox->room, 1);
    }
    memcpy(inbox->bytes + inbox->size, bytes, size);
    inbox->size += size;
}

static void leave_out(struct inbox *inbox, size_t at, size_t size) {
    memmove(inbox->bytes + at, inbox->bytes + at + size, inbox->size - at - size);
    inbox->size -= size;
}

static size_t content_size(const struct head *head) {
    return (size_t)head->size[0] << 8 | head->size[1];
}

static unsigned expected_type(const struct inbox *inbox) {
    return inbox->looked_at == 0 ? BEGIN : inbox->parameters_ended ? BODY : PARAMETERS;
}

static bool is_acceptable(struct inbox *inbox, const struct head *head) {
    if (inbox->looked_at == 0) {
        memcpy(inbox->id, head->id, sizeof inbox->id);
    }
    return head->version == THE_VERSION && head->type == expected_type(inbox) &&
           (head->id[0] != 0 || head->id[1] != 0) && memcmp(head->id, inbox->id, sizeof inbox->id) == 0 &&
           (head->type != BEGIN || content_size(head) == sizeof(struct begin));
}

/* Moves to the next record's content if the current one is at its end. False: there is no more content. */
static bool has_more(struct parameters *parameters) {
    while (parameters->left == 0) {
        struct head head;
        parameters->at += parameters->padding;
        parameters->padding = 0;
        if (parameters->at == parameters->end) {
            return false;
        }
        memcpy(&head, parameters->at, sizeof head);
        parameters->at += sizeof head;
        parameters->left = content_size(&head);
        parameters->padding = head.padding;
    }
    return true;
}

static bool read_byte(struct parameters *parameters, unsigned char *out) {
    bool more = has_more(parameters);
    if (more) {
        *out = (unsigned char)*parameters->at++;
        parameters->left--;
    }
    return more;
}

static bool read_size(struct parameters *parameters, size_t *out) {
    unsigned char byte;
    bool read = read_byte(parameters, &byte);
    bool is_long = read && (byte & LONG_SIZE) != 0;
    *out = read ? byte & ~(is_long ? LONG_SIZE : 0U) : 0;
    for (int i = 0; is_long && read && i < 3; i++) {
        read = read_byte(parameters, &byte);
        *out = *out << 8 | byte;
    }
    return read;
}

static bool skip(struct parameters *parameters, size_t size) {
    while (size > 0 && has_more(parameters)) {
        size_t part = size < parameters->left ? size : parameters->left;
        parameters->at += part;
        parameters->left -= part;
        size -= part;
    }
    return size == 0;
}

/* Whether each name and value is complete. libfcgi allocates the announced size first, and aborts if it cannot. */
static bool parameters_fit(const struct inbox *inbox) {
    size_t from =
        sizeof(struct head) + sizeof(struct begin) + (unsigned char)inbox->bytes[offsetof(struct head, padding)];
    struct parameters parameters = {.at = inbox->bytes + from, .end = inbox->bytes + inbox->looked_at};
    bool fit = true;
    while (fit && has_more(&parameters)) {
        size_t name, value;
        fit = read_size(&parameters, &name) && read_size(&parameters, &value) && skip(&parameters, name + value);
    }
    return fit;
}

static bool asks_for_reply(const struct inbox *inbox) {
    struct begin begin;
    memcpy(&begin, inbox->bytes + sizeof(struct head), sizeof begin);
    return begin.role[0] == 0 && begin.role[1] == RESPONDER;
}

/* Takes a complete, acceptable record. False: its content is invalid. */
static bool take_in(struct inbox *inbox, const struct head *head) {
    size_t content = content_size(head);
    inbox->looked_at += sizeof *head + content + head->padding;
    switch (head->type) {
    case BEGIN:
        return asks_for_reply(inbox);
    case PARAMETERS:
        inbox->parameters_ended = content == 0;
        return content > 0 || parameters_fit(inbox);
    default:
        inbox->body += content;
        return true;
    }
}

/* Reads the head of the record at `at`, and the size of the whole record. False: the head is not complete. */
static bool read_head(const struct inbox *inbox, size_t at, struct head *head, size_t *record) {
    bool is_complete = inbox->size - at >= sizeof *head;
    if (is_complete) {
        memcpy(head, inbox->bytes + at, sizeof *head);
        *record = sizeof *head + content_size(head) + head->padding;
    }
    return is_complete;
}

/* Leaves out the records of a body that is too large, all at once: they may be many, of one byte each. */
static void leave_out_body(struct inbox *inbox) {
    struct head head;
    size_t at = inbox->looked_at, record;
    while (read_head(inbox, at, &head, &record) && is_acceptable(inbox, &head) && content_size(&head) > 0 &&
           inbox->size - at >= record) {
        at += record;
    }
    leave_out(inbox, inbox->looked_at, at - inbox->looked_at);
}

enum inbox_state inbox_look(struct inbox *inbox, size_t body_max, size_t *size) {
    struct head head;
    size_t record;
    while (read_head(inbox, inbox->looked_at, &head, &record)) {
        if (!is_acceptable(inbox, &head) || inbox->looked_at + record > INBOX_REQUEST_MAX) {
            return INBOX_BROKEN;
        }
        if (inbox->size - inbox->looked_at < record) {
            return INBOX_PART;
        }
        if (head.type == BODY && content_size(&head) > 0 && inbox->body > body_max) {
            leave_out_body(inbox);
            continue;
        }
        if (!take_in(inbox, &head)) {
            return INBOX_BROKEN;
        }
        if (head.type == BODY && content_size(&head) == 0) {
            *size = inbox->looked_at;
            return INBOX_WHOLE;
        }
    }
    return INBOX_PART;
}

void inbox_take(struct inbox *inbox, size_t size) {
    leave_out(inbox, 0, size);
    inbox->looked_at = 0;
    inbox->body = 0;
    inbox->parameters_ended = false;
    if (inbox->size == 0) {
        inbox_free(inbox);
    }
}

void inbox_free(struct inbox *inbox) {
    free(inbox->bytes);
    *inbox = (struct inbox){0};
}
