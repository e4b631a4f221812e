#include "audit/seal_check.h"

#include "audit/seal_text.h"
#include "base/memory.h"
#include "domain/instant.h"

struct late_event {
    uint64_t id, seal;
};

struct checking {
    const struct seal_check *check;
    struct seal_counts *counts;
    struct arena *arena, *scratch; /* for a batch of seals; for one event and one finding */
    struct seal_row rows[SEALS_AT_ONCE];
    size_t row_count;
    struct late_event *late;
    size_t late_count, late_room;
    struct event_digests digests; /* of the seal being checked */
    uint64_t number, last_id;     /* of the previous seal */
    char previous[DIGEST_HEX_SIZE];
    instant newest; /* when the newest seal was made */
};

static void find(struct checking *checking, const char *name, uint64_t seal, uint64_t event, struct text what) {
    const struct seal_finding finding = {.name = name, .seal = seal, .event = event, .what = what};
    checking->counts->findings++;
    checking->check->find(checking->check->context, &finding);
}

/* == Late events == */

static void add_late(void *of_checking, const struct seal_row *row) {
    struct checking *checking = of_checking;
    struct text rest = row->late;
    uint64_t id;
    while (late_next(&rest, &id)) {
        if (checking->late_count == checking->late_room) {
            checking->late_room = 2 * checking->late_room + SEALS_AT_ONCE;
            checking->late = memory_grown(checking->late, checking->late_room, sizeof *checking->late);
        }
        checking->late[checking->late_count++] = (struct late_event){id, row->number};
    }
}

static int compare_late_events(const void *one, const void *other) {
    const struct late_event *a = one, *b = other;
    return (a->id > b->id) - (a->id < b->id);
}

/* Whether a later seal has this event as a late one. */
static bool is_late(const struct checking *checking, uint64_t id) {
    const struct late_event wanted = {.id = id};
    return checking->late_count > 0 &&
           bsearch(&wanted, checking->late, checking->late_count, sizeof *checking->late, compare_late_events) != NULL;
}

static enum status read_late_events(struct checking *checking) {
    struct arena *arena = arena_create();
    enum status status =
        seals_with_late(checking->check->connection, checking->check->from - 1, arena, add_late, checking);
    if (checking->late_count > 0) {
        qsort(checking->late, checking->late_count, sizeof *checking->late, compare_late_events);
    }
    arena_destroy(arena);
    return status;
}

/* == The events of a seal == */

static void take_own(void *of_checking, const struct logged_event *event) {
    struct checking *checking = of_checking;
    if (!is_late(checking, event->id)) {
        event_digests_add(&checking->digests, event);
    }
}

static void take_among(void *of_checking, const struct logged_event *event) {
    struct checking *checking = of_checking;
    event_digests_add(&checking->digests, event);
}

static enum status read_events(struct checking *checking, const struct seal_row *seal) {
    struct connection *connection = checking->check->connection;
    struct event_span span = {.first_id = seal->first_id, .last_id = seal->last_id, .limit = UINT64_MAX >> 1};
    enum status status = STATUS_OK;
    event_digests_clear(&checking->digests);
    if (seal->last_id >= seal->first_id) {
        status = seals_events(connection, &span, checking->scratch, take_own, checking);
    }
    if (status == STATUS_OK && seal->late.size > 0) {
        struct text list = arena_copy(checking->arena, seal->late);
        char *ids = (char *)(uintptr_t)list.at;
        for (size_t i = 0; i < list.size; i++) {
            ids[i] = ids[i] == ' ' ? ',' : ids[i];
        }
        status = seals_events_among(connection, arena_print(checking->arena, "[%s]", ids), checking->scratch,
                                    take_among, checking);
    }
    event_digests_sort(&checking->digests);
    return status;
}

/* == Differences in the events of a seal == */

static void find_event(struct checking *checking, const char *name, const struct seal_row *seal, uint64_t id,
                       const char *what) {
    find(checking, name, seal->number, id,
         arena_print(checking->scratch, "event %llu, whose number seal %llu of %.*s covers, %s", (unsigned long long)id,
                     (unsigned long long)seal->number, TEXT_ARGS(seal->sealed_at), what));
}

/* Whether the seal's range will be searched again for late events. */
static bool is_searched_again(const struct checking *checking, const struct seal_row *seal) {
    instant made;
    struct text iso = arena_print(checking->scratch, "%.*sZ", TEXT_ARGS(seal->sealed_at));
    return checking->check->searched_for > 0 && instant_parse(iso, &made) &&
           checking->newest - made < checking->check->searched_for;
}

static void judge_extra(struct checking *checking, const struct seal_row *seal, uint64_t id) {
    if (is_searched_again(checking, seal)) {
        checking->counts->waiting++;
        return;
    }
    find_event(checking, "event-added", seal, id,
               "is in no seal: it was added later, or its transaction was open for longer than late events are "
               "searched for");
}

/* Compares digests and marks, event by event. Removes events without a mark from the digests. Returns how many events
 * were removed or changed. */
static size_t compare_marks(struct checking *checking, const struct seal_row *seal) {
    struct event_digests *digests = &checking->digests;
    struct mark mark = {.id = 0};
    struct text rest = seal->marks;
    bool has_mark = mark_next(&rest, &mark);
    size_t wrong = 0, kept = 0, at = 0;
    while (has_mark || at < digests->count) {
        if (has_mark && (at == digests->count || mark.id < digests->all[at].id)) {
            find_event(checking, "event-removed", seal, mark.id, "is gone");
            wrong++;
            has_mark = mark_next(&rest, &mark);
        } else if (!has_mark || digests->all[at].id < mark.id) {
            judge_extra(checking, seal, digests->all[at++].id);
        } else {
            if (memcmp(mark.bytes, digests->all[at].bytes, MARK_BYTES) != 0) {
                find_event(checking, "event-changed", seal, mark.id, "was changed");
                wrong++;
            }
            digests->all[kept++] = digests->all[at++];
            has_mark = mark_next(&rest, &mark);
        }
    }
    digests->count = kept;
    return wrong;
}

static void find_in_seal(struct checking *checking, const char *name, const struct seal_row *seal, const char *what) {
    find(checking, name, seal->number, 0,
         arena_print(checking->scratch, "seal %llu of %.*s: %s", (unsigned long long)seal->number,
                     TEXT_ARGS(seal->sealed_at), what));
}

static void judge_events(struct checking *checking, const struct seal_row *seal) {
    char sum[DIGEST_HEX_SIZE];
    struct text marks = event_digests_mark(&checking->digests, checking->arena);
    event_digests_sum(&checking->digests, sum);
    bool same = text_equal(text_of(sum), seal->events) && checking->digests.count == seal->count;
    checking->counts->events += checking->digests.count;
    if (same && text_equal(marks, seal->marks)) {
        return;
    }
    if (same) {
        find_in_seal(checking, "marks-changed", seal, "its marks are not those of its events, which are whole");
        return;
    }
    size_t wrong = compare_marks(checking, seal);
    event_digests_sum(&checking->digests, sum);
    if (wrong == 0 && !(text_equal(text_of(sum), seal->events) && checking->digests.count == seal->count)) {
        find_in_seal(
            checking, "events-changed", seal,
            "its events are not those that it was made of, and its marks do not say which: they were changed too");
    }
}

/* == The chain == */

static const struct seal_key *find_key(const struct seal_check *check, struct text id) {
    for (size_t i = 0; i < check->key_count; i++) {
        if (text_equal(id, text_of(seal_key_id(check->keys[i])))) {
            return check->keys[i];
        }
    }
    return NULL;
}

static void judge_signature(struct checking *checking, const struct seal_row *seal, struct text text) {
    if (checking->check->key_count == 0) {
        return;
    }
    if (seal->signature.size == 0) {
        if (seal->number >= checking->check->signed_from) {
            find_in_seal(checking, "seal-unsigned", seal, "it is not signed");
        }
        return;
    }
    const struct seal_key *key = find_key(checking->check, seal->key_id);
    if (key == NULL) {
        find_in_seal(checking, "key-unknown", seal, "the key that signed it is none of the public keys");
    } else if (!seal_key_verify(key, text, seal->signature)) {
        find_in_seal(checking, "signature-wrong", seal, "its signature is not one of that key for this seal");
    } else {
        checking->counts->signed_seals++;
    }
}

static void judge_chain(struct checking *checking, const struct seal_row *seal) {
    char digest[DIGEST_HEX_SIZE];
    struct text text = seal_print(seal, text_of(checking->previous), checking->arena);
    seal_digest(text, digest);
    if (seal->number != checking->number + 1) {
        find_in_seal(checking, "seal-missing", seal, "one or more seals before it are missing");
    } else if (seal->form != SEAL_FORM) {
        find_in_seal(checking, "seal-changed", seal, "its form is none that this program knows");
    } else if (!text_equal(text_of(digest), seal->digest)) {
        find_in_seal(checking, "seal-changed", seal,
                     "its digest is not that of what it says and of the seal before it: one of the two was changed");
    } else {
        judge_signature(checking, seal, text);
    }
    if (seal->number == checking->number + 1 && seal->first_id != checking->last_id + 1) {
        find_in_seal(checking, "seal-changed", seal, "its events do not begin where those of the seal before it end");
    }
    if (seal_is_ahead(seal)) {
        find_in_seal(checking, "seal-ahead", seal, "its range goes beyond its last event, where nothing is sealed");
    }
}

static int compare_kept(const void *one, const void *other) {
    const struct kept_seal *a = one, *b = other;
    return (a->number > b->number) - (a->number < b->number);
}

/* If the database was restored, the file can have several seals with this number and different digests. */
static void note_kept(struct checking *checking, const struct seal_row *seal) {
    const struct seal_check *check = checking->check;
    size_t low = 0, high = check->kept_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (check->kept[middle].number < seal->number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < check->kept_count && check->kept[low].number == seal->number; low++) {
        check->kept[low].was_found = text_equal(text_of(check->kept[low].digest), seal->digest);
    }
}

static enum status check_seal(struct checking *checking, const struct seal_row *seal) {
    arena_reset(checking->scratch);
    judge_chain(checking, seal);
    enum status status = read_events(checking, seal);
    if (status != STATUS_OK) {
        return status;
    }
    arena_reset(checking->scratch);
    judge_events(checking, seal);
    checking->number = seal->number;
    checking->last_id = seal->last_id;
    snprintf(checking->previous, sizeof checking->previous, "%.*s", TEXT_ARGS(seal->digest));
    checking->counts->seals++;
    return STATUS_OK;
}

static void take_seal(void *of_checking, const struct seal_row *row) {
    struct checking *checking = of_checking;
    checking->rows[checking->row_count++] = *row;
    note_kept(checking, row);
}

/* *more: there may be more seals. */
static enum status check_some(struct checking *checking, bool *more) {
    checking->row_count = 0;
    arena_reset(checking->arena);
    enum status status =
        seals_after(checking->check->connection, checking->number, checking->arena, take_seal, checking);
    for (size_t i = 0; status == STATUS_OK && i < checking->row_count; i++) {
        status = check_seal(checking, &checking->rows[i]);
    }
    *more = checking->row_count == SEALS_AT_ONCE;
    return status;
}

/* Seals and events are numbered from 1, so a seal 0 or an event 0 was inserted. */
static enum status look_for_zero(struct checking *checking) {
    struct seal_row row;
    uint64_t events = 0;
    enum status status = seals_count_events(checking->check->connection, 0, 0, &events);
    if (events > 0) {
        find(checking, "event-added", 0, 0, TEXT("event 0 is in no seal: no event has this number"));
    }
    status = status == STATUS_OK ? seals_find(checking->check->connection, 0, checking->arena, &row) : status;
    if (status == STATUS_OK) {
        find_in_seal(checking, "seal-changed", &row, "no seal has this number");
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

/* Counts the events after the newest seal. */
static enum status count_unsealed(struct checking *checking) {
    struct connection *connection = checking->check->connection;
    uint64_t count = 0;
    struct text since;
    enum status status = seals_unsealed_since(connection, checking->last_id, checking->scratch, &since);
    if (status == STATUS_OK) {
        snprintf(checking->counts->waiting_since, SEAL_INSTANT_SIZE, "%.*s", TEXT_ARGS(since));
        status = seals_count_events(connection, checking->last_id + 1, UINT64_MAX >> 1, &count);
    }
    checking->counts->waiting += count;
    return status == STATUS_NONE ? STATUS_OK : status;
}

/* If both log and seals were deleted, no seal can show that events are missing. Orders without any event do. */
static enum status look_for_log(struct checking *checking) {
    bool is_gone;
    enum status status = seals_log_is_gone(checking->check->connection, &is_gone);
    if (is_gone) {
        find(checking, "log-gone", 0, 0, TEXT("there are orders, and no event at all"));
    }
    return status == STATUS_OK ? look_for_zero(checking) : status;
}

/* Reads the newest seal's time, and the seal before the first one to check. */
static enum status begin_check(struct checking *checking) {
    struct seal_row row;
    struct connection *connection = checking->check->connection;
    snprintf(checking->previous, sizeof checking->previous, "%s", SEAL_FIRST_PREVIOUS);
    enum status status = seals_last(connection, checking->arena, &row);
    if (status == STATUS_OK) {
        struct text iso = arena_print(checking->scratch, "%.*sZ", TEXT_ARGS(row.sealed_at));
        checking->newest = instant_parse(iso, &checking->newest) ? checking->newest : 0;
    }
    if (status == STATUS_OK && checking->check->from > 1) {
        status = seals_find(connection, checking->check->from - 1, checking->arena, &row);
        checking->number = checking->check->from - 1;
        if (status == STATUS_OK) {
            checking->last_id = row.last_id;
            snprintf(checking->previous, sizeof checking->previous, "%.*s", TEXT_ARGS(row.digest));
        }
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

static void judge_kept(struct checking *checking) {
    for (size_t i = 0; i < checking->check->kept_count; i++) {
        const struct kept_seal *kept = &checking->check->kept[i];
        arena_reset(checking->scratch);
        if (kept->number >= checking->check->from && !kept->was_found) {
            find(checking, "seal-replaced", kept->number, 0,
                 arena_print(checking->scratch,
                             "seal %llu with the digest %s was kept, and the database does not have it: the end of the "
                             "log was removed or made anew, or the database is a restored one",
                             (unsigned long long)kept->number, kept->digest));
        }
    }
}

enum status seal_check_run(const struct seal_check *check, struct seal_counts *counts) {
    struct checking *checking = memory_zeroed(1, sizeof *checking);
    bool more = true;
    checking->check = check;
    checking->counts = counts;
    checking->arena = arena_create();
    checking->scratch = arena_create();
    *counts = (struct seal_counts){.seals = 0};
    if (check->kept_count > 0) {
        qsort(check->kept, check->kept_count, sizeof *check->kept, compare_kept);
    }
    enum status status = check->from == 1 ? look_for_log(checking) : STATUS_OK;
    status = status == STATUS_OK ? begin_check(checking) : status;
    status = status == STATUS_OK ? read_late_events(checking) : status;
    while (status == STATUS_OK && more) {
        status = check_some(checking, &more);
    }
    if (status == STATUS_OK) {
        judge_kept(checking);
    }
    status = status == STATUS_OK && check->counts_waiting ? count_unsealed(checking) : status;
    counts->late = checking->late_count;
    event_digests_free(&checking->digests);
    free(checking->late);
    arena_destroy(checking->scratch);
    arena_destroy(checking->arena);
    free(checking);
    return status;
}
