#include "audit/seal_text.h"

#include "base/memory.h"

enum { FIRST_ROOM = 1024, NUMBER_BITS = 7, NUMBER_MORE = 0x80, NUMBER_BYTES_MAX = 10 };

static void add_bytes(struct event_digests *digests, const char *bytes, size_t size) {
    if (digests->line_room - digests->line_size < size) {
        digests->line_room = 2 * (digests->line_room + size) + FIRST_ROOM;
        digests->line = memory_grown(digests->line, digests->line_room, 1);
    }
    memcpy(digests->line + digests->line_size, bytes, size);
    digests->line_size += size;
}

static const char *escape_of(char c) {
    switch (c) {
    case '\\':
        return "\\\\";
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\0':
        return "\\0";
    default:
        return NULL;
    }
}

static void add_field(struct event_digests *digests, struct text value) {
    size_t plain = 0;
    if (value.at == NULL) {
        add_bytes(digests, "\\N", 2);
        return;
    }
    for (size_t i = 0; i < value.size; i++) {
        const char *escape = escape_of(value.at[i]);
        if (escape != NULL) {
            add_bytes(digests, value.at + plain, i - plain);
            add_bytes(digests, escape, 2);
            plain = i + 1;
        }
    }
    add_bytes(digests, value.at + plain, value.size - plain);
}

static void add_number(struct event_digests *digests, uint64_t number) {
    char text[24];
    int size = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    add_bytes(digests, text, (size_t)size);
}

static void add_number_or_null(struct event_digests *digests, bool is_there, uint64_t number) {
    add_bytes(digests, "\t", 1);
    if (is_there) {
        add_number(digests, number);
    } else {
        add_field(digests, (struct text){NULL, 0});
    }
}

static void print_event(struct event_digests *digests, const struct logged_event *event) {
    digests->line_size = 0;
    add_number(digests, event->id);
    add_bytes(digests, "\t", 1);
    add_field(digests, event->at);
    add_bytes(digests, "\t", 1);
    add_field(digests, event->subject);
    add_bytes(digests, "\t", 1);
    add_number(digests, event->subject_id);
    add_number_or_null(digests, event->has_version, event->version);
    for (size_t i = 0; i < EVENT_TEXTS; i++) {
        add_bytes(digests, "\t", 1);
        add_field(digests, event->texts[i]);
    }
    add_number_or_null(digests, event->has_order, event->order_id);
    add_number_or_null(digests, event->has_order_version, event->order_version);
    add_bytes(digests, "\n", 1);
}

void event_digests_add(struct event_digests *digests, const struct logged_event *event) {
    if (digests->count == digests->room) {
        digests->room = digests->room == 0 ? FIRST_ROOM : 2 * digests->room;
        digests->all = memory_grown(digests->all, digests->room, sizeof *digests->all);
    }
    if (digests->digest == NULL) {
        digests->digest = digest_begin();
    }
    struct event_digest *added = &digests->all[digests->count++];
    print_event(digests, event);
    added->id = event->id;
    digest_add(digests->digest, (struct text){digests->line, digests->line_size});
    digest_take(digests->digest, added->bytes);
}

static int compare_event_ids(const void *one, const void *other) {
    const struct event_digest *a = one, *b = other;
    return (a->id > b->id) - (a->id < b->id);
}

void event_digests_sort(struct event_digests *digests) {
    if (digests->count > 0) {
        qsort(digests->all, digests->count, sizeof *digests->all, compare_event_ids);
    }
}

void event_digests_sum(const struct event_digests *digests, char out[DIGEST_HEX_SIZE]) {
    struct digest *digest = digest_begin();
    for (size_t i = 0; i < digests->count; i++) {
        digest_add(digest, (struct text){(const char *)digests->all[i].bytes, DIGEST_BYTES});
    }
    digest_end(digest, out);
}

/* Writes seven bits a byte, the lowest first; the eighth bit is set in all bytes but the last. */
static size_t put_number(char *out, uint64_t number) {
    size_t used = 0;
    while (number >= NUMBER_MORE) {
        out[used++] = (char)((number & (NUMBER_MORE - 1)) | NUMBER_MORE);
        number >>= NUMBER_BITS;
    }
    out[used++] = (char)number;
    return used;
}

struct text event_digests_mark(const struct event_digests *digests, struct arena *arena) {
    char *out = arena_alloc(arena, digests->count * (NUMBER_BYTES_MAX + MARK_BYTES) + 1);
    size_t used = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < digests->count; i++) {
        used += put_number(out + used, digests->all[i].id - before);
        memcpy(out + used, digests->all[i].bytes, MARK_BYTES);
        used += MARK_BYTES;
        before = digests->all[i].id;
    }
    return (struct text){out, used};
}

void event_digests_clear(struct event_digests *digests) {
    digests->count = 0;
}

void event_digests_free(struct event_digests *digests) {
    char unused[DIGEST_HEX_SIZE];
    if (digests->digest != NULL) {
        digest_end(digests->digest, unused);
    }
    free(digests->all);
    free(digests->line);
    *digests = (struct event_digests){.count = 0};
}

bool mark_next(struct text *rest, struct mark *mark) {
    uint64_t step = 0;
    size_t used = 0;
    unsigned char byte = NUMBER_MORE;
    for (; used < rest->size && used < NUMBER_BYTES_MAX && (byte & NUMBER_MORE) != 0; used++) {
        byte = (unsigned char)rest->at[used];
        step |= (uint64_t)(byte & (NUMBER_MORE - 1)) << (used * NUMBER_BITS);
    }
    if ((byte & NUMBER_MORE) != 0 || rest->size - used < MARK_BYTES) {
        return false;
    }
    mark->id += step;
    memcpy(mark->bytes, rest->at + used, MARK_BYTES);
    *rest = (struct text){rest->at + used + MARK_BYTES, rest->size - used - MARK_BYTES};
    return true;
}

bool seal_is_ahead(const struct seal_row *seal) {
    struct mark mark = {.id = 0};
    struct text rest = seal->marks;
    uint64_t count = 0;
    while (mark_next(&rest, &mark)) {
        count++;
    }
    return seal->last_id >= seal->first_id && count == seal->count && mark.id < seal->last_id;
}

bool late_next(struct text *rest, uint64_t *id) {
    struct text word = text_next_word(rest);
    return word.size > 0 && text_to_number(word, id);
}

struct text seal_print(const struct seal_row *seal, struct text previous, struct arena *arena) {
    struct text late = seal->late.size > 0 ? seal->late : TEXT("none");
    return arena_print(arena,
                       "recaudo-seal %llu\nnumber %llu\nprevious %.*s\nsealed_at %.*s\nfirst_id %llu\nlast_id %llu\n"
                       "count %llu\nlate %.*s\nevents %.*s\n",
                       (unsigned long long)seal->form, (unsigned long long)seal->number, TEXT_ARGS(previous),
                       TEXT_ARGS(seal->sealed_at), (unsigned long long)seal->first_id,
                       (unsigned long long)seal->last_id, (unsigned long long)seal->count, TEXT_ARGS(late),
                       TEXT_ARGS(seal->events));
}

void seal_digest(struct text text, char out[DIGEST_HEX_SIZE]) {
    struct digest *digest = digest_begin();
    digest_add(digest, text);
    digest_end(digest, out);
}
