/*
 * The bytes over which the digests of events and seals are computed, as doc/audit.md defines them for form 1.
 *
 * The line of an event is its columns, separated by tabs and ended by a line feed. NULL is \N; backslash, tab, line
 * feed and NUL are \\, \t, \n and \0. The text of a seal is nine lines, which include the digest of the previous seal
 * and a digest over the digests of its events.
 */
#ifndef RECAUDO_AUDIT_SEAL_TEXT_H
#define RECAUDO_AUDIT_SEAL_TEXT_H

#include "auth/digest.h"
#include "store/operation/seals.h"

enum { SEAL_FORM = 1, MARK_BYTES = 4 };

/* Stands for the digest of a previous seal in the first one. */
#define SEAL_FIRST_PREVIOUS "0000000000000000000000000000000000000000000000000000000000000000"

struct event_digest {
    uint64_t id;
    unsigned char bytes[DIGEST_BYTES];
};

/* Digests of events, in the order in which they were added until they are sorted by id. Initialise with {0}. */
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

/* Returns the marks of these events, in the arena. */
struct text event_digests_mark(const struct event_digests *digests, struct arena *arena);

void event_digests_clear(struct event_digests *digests);
void event_digests_free(struct event_digests *digests);

/* A mark: the id of an event and the first bytes of its digest. */
struct mark {
    uint64_t id;
    unsigned char bytes[MARK_BYTES];
};

/* Reads the next mark from *rest. `mark->id` must be that of the previous mark, at first 0. Returns false at the end,
 * or if *rest is not a mark. */
MUST_USE bool mark_next(struct text *rest, struct mark *mark);

/* Returns whether the range of a seal goes beyond its last event, as its marks name it. Such a seal passes over ids of
 * events that are not in it. */
bool seal_is_ahead(const struct seal_row *seal);

/* Reads the next number of a list like "17 23" from *rest. Returns false at the end. */
MUST_USE bool late_next(struct text *rest, uint64_t *id);

/* Returns the text of a seal whose previous seal has the digest `previous`. In the arena. */
struct text seal_print(const struct seal_row *seal, struct text previous, struct arena *arena);

/* Writes the digest of the text in hex. */
void seal_digest(struct text text, char out[DIGEST_HEX_SIZE]);

#endif
