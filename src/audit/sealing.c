#include "audit/sealing.h"

#include "base/log.h"
#include "base/memory.h"

enum { PAGE = 1000, LATE_MAX = 1000, SETTLING_PART = 6, NUMBER_DIGITS = 20 };

/* The ages, in intervals between seals, at which the range of a seal is searched again for events that were committed
 * late. Each seal is searched once at each age, because the periods covered by two consecutive seals touch. */
static const duration SEARCHED_AT[] = {2, 60, 1440};

struct sealing {
    struct arena *arena, *scratch;
    struct seal_row last;   /* the previous seal; number 0: there is none */
    struct text now, since; /* time of this seal, and of the newest one when it was begun */
    size_t age;             /* index of the age being searched; after the last one, events are read */
    uint64_t searched;      /* number of the last seal searched at that age */
    bool found_events;      /* a searched range had events, so the search needs a seal even if it found nothing late */
    bool late_is_full, is_full;
    uint64_t late[LATE_MAX];
    size_t late_count;
    struct event_digests digests;
    uint64_t last_id; /* of the events read so far */
};

duration sealing_settles(const struct sealing_rules *rules) {
    return rules->every / SETTLING_PART;
}

duration sealing_searched_for(const struct sealing_rules *rules) {
    return SEARCHED_AT[COUNT_OF(SEARCHED_AT) - 1] * rules->every;
}

void sealing_drop(struct sealing *sealing) {
    if (sealing != NULL) {
        event_digests_free(&sealing->digests);
        arena_destroy(sealing->scratch);
        arena_destroy(sealing->arena);
        free(sealing);
    }
}

/* If no seal is due yet, leaves *out NULL. */
static enum status begin_sealing(struct connection *connection, const struct sealing_rules *rules,
                                 struct sealing **out) {
    struct seal_clock clock = {.has_last = false};
    struct sealing *sealing = memory_zeroed(1, sizeof *sealing);
    sealing->arena = arena_create();
    sealing->scratch = arena_create();
    enum status status = seals_last(connection, sealing->arena, &sealing->last);
    if (status == STATUS_NONE) {
        sealing->last = (struct seal_row){.digest = TEXT(SEAL_FIRST_PREVIOUS)};
        sealing->age = COUNT_OF(SEARCHED_AT);
        status = STATUS_OK;
    }
    if (status == STATUS_OK) {
        status = seals_clock(connection, sealing->arena, &clock);
    }
    /* A newest seal in the future shows that the clock was set back. Do not wait for it. */
    bool is_early = status == STATUS_OK && clock.has_last && clock.since_last >= 0 && clock.since_last < rules->every;
    if (status != STATUS_OK || is_early) {
        sealing_drop(sealing);
        return status;
    }
    sealing->now = clock.now;
    sealing->since = sealing->last.sealed_at;
    sealing->last_id = sealing->last.last_id;
    *out = sealing;
    return STATUS_OK;
}

/* == Late events == */

struct id_list {
    uint64_t *ids;
    size_t count, room;
};

static void add_id(void *of_list, uint64_t id) {
    struct id_list *list = of_list;
    if (list->count == list->room) {
        list->room = list->room == 0 ? PAGE : 2 * list->room;
        list->ids = memory_grown(list->ids, list->room, sizeof *list->ids);
    }
    list->ids[list->count++] = id;
}

static void add_late_ids(void *of_list, const struct seal_row *row) {
    struct text rest = row->late;
    uint64_t id;
    while (late_next(&rest, &id)) {
        add_id(of_list, id);
    }
}

static int compare_ids(const void *one, const void *other) {
    const uint64_t *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static bool has_id(const struct id_list *list, uint64_t id) {
    return list->count > 0 && bsearch(&id, list->ids, list->count, sizeof id, compare_ids) != NULL;
}

/* Lists the ids of a seal's events and of all late events in later seals. */
static enum status find_sealed_ids(struct connection *connection, struct arena *arena, uint64_t number,
                                   struct id_list *out) {
    struct seal_row row;
    enum status status = seals_find(connection, number, arena, &row);
    if (status != STATUS_OK) {
        return status;
    }
    struct mark mark = {.id = 0};
    struct text rest = row.marks;
    while (mark_next(&rest, &mark)) {
        add_id(out, mark.id);
    }
    status = seals_with_late(connection, number, arena, add_late_ids, out);
    if (out->count > 0) {
        qsort(out->ids, out->count, sizeof *out->ids, compare_ids);
    }
    return status;
}

static void take_late(struct sealing *sealing, uint64_t id) {
    for (size_t i = 0; i < sealing->late_count; i++) {
        if (sealing->late[i] == id) {
            return;
        }
    }
    sealing->late_is_full = sealing->late_count == LATE_MAX;
    if (!sealing->late_is_full) {
        sealing->late[sealing->late_count++] = id;
    }
}

/* Takes events of the range without a seal as late. Only logs a sealed event that is gone: the audit reports it. */
static void compare_range(struct sealing *sealing, const struct seal_row *range, const struct id_list *there,
                          const struct id_list *sealed) {
    uint64_t gone = 0;
    for (size_t i = 0; i < there->count; i++) {
        if (!has_id(sealed, there->ids[i])) {
            take_late(sealing, there->ids[i]);
        }
    }
    for (size_t i = 0; i < sealed->count; i++) {
        bool in_range = sealed->ids[i] >= range->first_id && sealed->ids[i] <= range->last_id;
        gone = gone == 0 && in_range && !has_id(there, sealed->ids[i]) ? sealed->ids[i] : gone;
    }
    if (gone != 0) {
        log_line(LOG_ERROR, "event %llu of seal %llu is gone: recaudoctl audit verify --from %llu says what is missing",
                 (unsigned long long)gone, (unsigned long long)range->number, (unsigned long long)range->number);
    }
}

static enum status search_range(struct connection *connection, struct sealing *sealing, const struct seal_row *range) {
    struct id_list there = {.count = 0}, sealed = {.count = 0}, own_late = {.count = 0};
    uint64_t count = 0;
    add_late_ids(&own_late, range);
    enum status status = seals_count_events(connection, range->first_id, range->last_id, &count);
    if (status == STATUS_OK && count != range->count - own_late.count) {
        status = seals_event_ids(connection, range->first_id, range->last_id, add_id, &there);
        if (status == STATUS_OK) {
            status = find_sealed_ids(connection, sealing->scratch, range->number, &sealed);
        }
        if (status == STATUS_OK) {
            compare_range(sealing, range, &there, &sealed);
        }
    }
    free(there.ids);
    free(sealed.ids);
    free(own_late.ids);
    return status;
}

struct ranges {
    struct arena *arena;
    struct seal_row rows[SEALS_AT_ONCE];
    size_t count;
};

static void add_range(void *context, const struct seal_row *row) {
    struct ranges *ranges = context;
    ranges->rows[ranges->count++] = *row;
}

/* Searches a batch of seals at one age, or moves on to the next age. */
static enum status search_some(struct connection *connection, const struct sealing_rules *rules,
                               struct sealing *sealing) {
    struct arena *arena = arena_create();
    struct ranges ranges = {.arena = arena};
    const struct seal_interval interval = {.since = sealing->since,
                                           .now = sealing->now,
                                           .age = SEARCHED_AT[sealing->age] * rules->every,
                                           .number = sealing->searched};
    enum status status = seals_made_within(connection, &interval, arena, add_range, &ranges);
    for (size_t i = 0; status == STATUS_OK && i < ranges.count; i++) {
        const struct seal_row *row = &ranges.rows[i];
        arena_reset(sealing->scratch);
        status = row->last_id < row->first_id ? STATUS_OK : search_range(connection, sealing, row);
        sealing->found_events = sealing->found_events || row->count > 0;
        sealing->searched = row->number;
    }
    if (ranges.count < SEALS_AT_ONCE) {
        sealing->age++;
        sealing->searched = 0;
    }
    arena_destroy(arena);
    return status;
}

/* == The seal == */

static void take_event(void *of_sealing, const struct logged_event *event) {
    struct sealing *sealing = of_sealing;
    event_digests_add(&sealing->digests, event);
    sealing->last_id = event->id;
}

/* Returns the ids of the late events, separated by `between`, in the arena. */
static struct text print_late(const struct sealing *sealing, char between) {
    size_t room = sealing->late_count * (NUMBER_DIGITS + 1) + 1, used = 0;
    char *list = arena_alloc(sealing->arena, room);
    for (size_t i = 0; i < sealing->late_count; i++) {
        if (i > 0) {
            list[used++] = between;
        }
        used += (size_t)snprintf(list + used, room - used, "%llu", (unsigned long long)sealing->late[i]);
    }
    return (struct text){list, used};
}

/* Late events are read first, because their ids are smaller than all others of this seal. */
static enum status read_late(struct connection *connection, struct sealing *sealing) {
    struct text ids = print_late(sealing, ',');
    uint64_t last_id = sealing->last_id;
    enum status status = seals_events_among(connection, arena_print(sealing->arena, "[%.*s]", TEXT_ARGS(ids)),
                                            sealing->scratch, take_event, sealing);
    sealing->last_id = last_id;
    sealing->late_count = sealing->digests.count;
    for (size_t i = 0; i < sealing->late_count; i++) {
        sealing->late[i] = sealing->digests.all[i].id;
    }
    return status;
}

/* *last: no further event is old enough. */
static enum status read_page(struct connection *connection, const struct sealing_rules *rules, struct sealing *sealing,
                             bool *last) {
    size_t before = sealing->digests.count;
    struct event_span span = {
        .first_id = sealing->last_id + 1, .last_id = UINT64_MAX, .young = sealing_settles(rules), .limit = PAGE};
    enum status status = seals_events(connection, &span, sealing->scratch, take_event, sealing);
    *last = span.held_back || sealing->digests.count - before < PAGE;
    sealing->is_full = !*last && sealing->digests.count >= SEAL_EVENTS_MAX;
    return status;
}

static enum status append_seal(struct connection *connection, const struct sealing_rules *rules,
                               struct sealing *sealing, struct seal_row *out) {
    char *events = arena_alloc(sealing->arena, DIGEST_HEX_SIZE), *digest = arena_alloc(sealing->arena, DIGEST_HEX_SIZE);
    char *signature = arena_alloc(sealing->arena, SEAL_SIGNATURE_SIZE);
    event_digests_sort(&sealing->digests);
    event_digests_sum(&sealing->digests, events);
    *out = (struct seal_row){.number = sealing->last.number + 1,
                             .form = SEAL_FORM,
                             .sealed_at = sealing->late_is_full ? sealing->since : sealing->now,
                             .first_id = sealing->last.last_id + 1,
                             .last_id = sealing->last_id,
                             .count = sealing->digests.count,
                             .late = print_late(sealing, ' '),
                             .events = text_of(events),
                             .marks = event_digests_mark(&sealing->digests, sealing->arena)};
    struct text text = seal_print(out, sealing->last.digest, sealing->arena);
    seal_digest(text, digest);
    out->digest = text_of(digest);
    if (rules->key != NULL) {
        seal_key_sign(rules->key, text, signature);
        out->signature = text_of(signature);
        out->key_id = text_of(seal_key_id(rules->key));
    }
    enum status status = seals_append(connection, out);
    return status == STATUS_CLASH ? STATUS_CHANGED : status;
}

/* Returns "12 to 18", or "after 18" for a seal without events. */
static struct text range_of(const struct seal_row *seal, struct arena *arena) {
    unsigned long long first = seal->first_id, last = seal->last_id;
    return first <= last ? arena_print(arena, "%llu to %llu", first, last) : arena_print(arena, "after %llu", last);
}

static void log_seal(const struct seal_row *seal, struct arena *arena) {
    struct text range = range_of(seal, arena);
    log_line(LOG_INFO, "seal %llu of %llu events, %.*s, made at %.*s: digest %.*s%s%.*s",
             (unsigned long long)seal->number, (unsigned long long)seal->count, TEXT_ARGS(range),
             TEXT_ARGS(seal->sealed_at), TEXT_ARGS(seal->digest), seal->signature.size > 0 ? ", signature " : "",
             TEXT_ARGS(seal->signature));
}

/* Appends the seal. If it is full, the next one follows at once. If late events had no room, they are searched for
 * again. Then the seal has the time of the previous one, so that another process searches the same ranges if this
 * process ends here. */
static enum status end_seal(struct connection *connection, const struct sealing_rules *rules, struct sealing *sealing,
                            bool *more) {
    struct seal_row seal;
    enum status status = append_seal(connection, rules, sealing, &seal);
    if (status != STATUS_OK) {
        return status;
    }
    log_seal(&seal, sealing->arena);
    *more = sealing->is_full || sealing->late_is_full;
    sealing->last = seal;
    sealing->age = sealing->late_is_full ? 0 : COUNT_OF(SEARCHED_AT);
    sealing->late_is_full = sealing->is_full = sealing->found_events = false;
    sealing->late_count = 0;
    event_digests_clear(&sealing->digests);
    return STATUS_OK;
}

static enum status seal_events(struct connection *connection, const struct sealing_rules *rules,
                               struct sealing *sealing, bool *more) {
    bool last = false;
    enum status status = STATUS_OK;
    if (sealing->digests.count == 0 && sealing->late_count > 0) {
        status = read_late(connection, sealing);
    }
    last = status == STATUS_OK &&
           sealing->late_is_full; /* its own events go into the seal with the last of the late ones */
    if (status == STATUS_OK && !last) {
        status = read_page(connection, rules, sealing, &last);
    }
    if (status != STATUS_OK || (!last && !sealing->is_full)) {
        return status;
    }
    if (sealing->digests.count == 0 && !sealing->found_events) {
        *more = false;
        return STATUS_OK;
    }
    return end_seal(connection, rules, sealing, more);
}

enum status sealing_step(struct connection *connection, const struct sealing_rules *rules, struct sealing **sealing,
                         bool *more) {
    enum status status = STATUS_OK;
    *more = true;
    if (*sealing == NULL) {
        status = begin_sealing(connection, rules, sealing);
    } else if ((*sealing)->age < COUNT_OF(SEARCHED_AT)) {
        status = search_some(connection, rules, *sealing);
    } else {
        status = seal_events(connection, rules, *sealing, more);
    }
    if (*sealing == NULL || status != STATUS_OK || !*more) {
        sealing_drop(*sealing);
        *sealing = NULL;
        *more = false;
    }
    return status;
}
