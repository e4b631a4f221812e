/*
 * What is digested of events and seals, byte by byte as doc/audit.md has it, in form 1.
 *
 * The line of an event is its columns with tabs between and a line feed at the end; NULL is \N, and backslash, tab,
 * line feed and NUL are \\, \t, \n and \0. The text of a seal is nine lines, which name the digest of the seal before
 * it and a digest over the digests of its events.
 */
#ifndef RECAUDO_AUDIT_SEAL_TEXT_H
#define RECAUDO_AUDIT_SEAL_TEXT_H

#include "auth/digest.h"
#include "store/operation/seals.h"

enum { SEAL_FORM = 1, MARK_BYTES = 4 };

/* The digest that the first seal names as that of the seal before it. */
#define SEAL_FIRST_PREVIOUS "0000000000000000000000000000000000000000000000000000000000000000"

struct event_digest {
    uint64_t id;
    unsigned char bytes[DIGEST_BYTES];
};

/* Digests of events, in the order of their ids once they are sorted. Initialise with {0}. */
struct event_digests {
    struct event_digest *all;
    size_t count, room;
    struct digest *digest;
    char *line; /* of one event */
    size_t line_size, line_room;
};

/* Adds the digest of the event's line. */
void event_digests_add(struct event_digests *digests, const struct logged_event *event);

void event_digests_sort(struct event_digests *digests);

/* Writes SHA-256 over the digests from first to last, in hex. */
void event_digests_sum(const struct event_digests *digests, char out[DIGEST_HEX_SIZE]);

/* The marks of these events, in the arena. */
struct text event_digests_mark(const struct event_digests *digests, struct arena *arena);

void event_digests_clear(struct event_digests *digests);
void event_digests_free(struct event_digests *digests);

/* One mark: an event's id, and the first bytes of its digest. */
struct mark {
    uint64_t id;
    unsigned char bytes[MARK_BYTES];
};

/* Reads the next mark from *rest; `mark->id` is that of the one before, at first 0. False: there is none, or *rest is
 * no mark. */
MUST_USE bool mark_next(struct text *rest, struct mark *mark);

/* Does its range go beyond its last event, as whole marks name it? Then numbers are passed over of events that it was
 * not made of. */
bool seal_is_ahead(const struct seal_row *seal);

/* Reads the next number of a list like "17 23" from *rest. False: there is none. */
MUST_USE bool late_next(struct text *rest, uint64_t *id);

/* The text of a seal after one with the digest `previous`. */
struct text seal_print(const struct seal_row *seal, struct text previous, struct arena *arena);

/* Writes the digest of a text in hex. */
void seal_digest(struct text text, char out[DIGEST_HEX_SIZE]);

#endif
