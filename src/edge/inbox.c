#include "edge/inbox.h"

#include "base/memory.h"

enum { THE_VERSION = 1, TYPE_ABORT = 2, TYPE_STDIN = 5 };

struct head {
    unsigned char version, type, id[2], size[2], padding, reserved;
};

_Static_assert(sizeof(struct head) == 8, "as in the FastCGI specification");

void inbox_add(struct inbox *inbox, const char *bytes, size_t size) {
    if (inbox->size + size > inbox->room) {
        size_t room = 2 * (inbox->size + size);
        char *grown = memory_grown(inbox->bytes, room, 1);
        inbox->bytes = grown;
        inbox->room = room;
    }
    memcpy(inbox->bytes + inbox->size, bytes, size);
    inbox->size += size;
}

static void leave_out(struct inbox *inbox, size_t at, size_t size) {
    memmove(inbox->bytes + at, inbox->bytes + at + size, inbox->size - at - size);
    inbox->size -= size;
}

static bool is_acceptable(const struct head *head) {
    return head->version == THE_VERSION && head->type != TYPE_ABORT && (head->id[0] != 0 || head->id[1] != 0);
}

enum inbox_state inbox_look(struct inbox *inbox, size_t body_max, size_t *size) {
    while (inbox->size - inbox->looked_at >= sizeof(struct head)) {
        struct head head;
        memcpy(&head, inbox->bytes + inbox->looked_at, sizeof head);
        size_t content = (size_t)head.size[0] << 8 | head.size[1], record = sizeof head + content + head.padding;
        if (!is_acceptable(&head) || inbox->looked_at + record > INBOX_REQUEST_MAX) {
            return INBOX_BROKEN;
        }
        if (inbox->size - inbox->looked_at < record) {
            return INBOX_PART;
        }
        if (head.type == TYPE_STDIN && content > 0 && inbox->body > body_max) {
            leave_out(inbox, inbox->looked_at, record);
            continue;
        }
        inbox->body += head.type == TYPE_STDIN ? content : 0;
        inbox->looked_at += record;
        if (head.type == TYPE_STDIN && content == 0) {
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
    if (inbox->size == 0) {
        inbox_free(inbox);
    }
}

void inbox_free(struct inbox *inbox) {
    free(inbox->bytes);
    *inbox = (struct inbox){0};
}
