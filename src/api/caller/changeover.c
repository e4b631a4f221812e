#include "api/caller/changeover.h"

#include "base/memory.h"
#include "store/party/changeovers.h"

#define TELL_EVERY MINUTE

/* Direct-mapped: two callers in one place are recorded more often, which is harmless. */
enum { PLACES = 256 };

/* What a caller still does the old way. */
enum changeover { OLD_SECRET_OF_NETWORK, OLD_SECRET_OF_MERCHANT, UNSIGNED_REQUEST, CHANGEOVERS };

struct place {
    uint64_t id; /* 0: unused */
    duration told_at;
};

struct changeover_notes {
    struct place places[CHANGEOVERS][PLACES];
};

struct changeover_notes *changeover_notes_create(void) {
    return memory_zeroed(1, sizeof(struct changeover_notes));
}

void changeover_notes_destroy(struct changeover_notes *notes) {
    free(notes);
}

static bool is_to_be_told(struct changeover_notes *notes, enum changeover changeover, uint64_t id) {
    struct place *place = &notes->places[changeover][id % PLACES];
    duration now = clock_monotonic();
    bool due = place->id != id || now - place->told_at >= TELL_EVERY;
    if (due) {
        *place = (struct place){id, now};
    }
    return due;
}

/* Best effort: the request does not depend on the record, and the next one follows in a minute. */
void changeover_old_secret_used(struct call *call, enum party party, uint64_t id, struct text name) {
    static const char *const WORDS[] = {[PARTY_NETWORK] = "network", [PARTY_MERCHANT] = "merchant"};
    struct connection *connection;
    enum changeover changeover = party == PARTY_NETWORK ? OLD_SECRET_OF_NETWORK : OLD_SECRET_OF_MERCHANT;
    if (!is_to_be_told(call->service->changeover_notes, changeover, id)) {
        return;
    }
    log_line(LOG_INFO, "%s %.*s still uses its old FIXED_HASH", WORDS[party], TEXT_ARGS(name));
    if (call_take_connection(call, &connection) == STATUS_OK) {
        (void)changeovers_note_old_secret(connection, text_of(WORDS[party]), id);
        pool_give(call->service->pool, connection);
    }
}

void changeover_request_unsigned(struct call *call, uint64_t network_id, struct text name) {
    struct connection *connection;
    if (!is_to_be_told(call->service->changeover_notes, UNSIGNED_REQUEST, network_id)) {
        return;
    }
    log_line(LOG_INFO, "network %.*s still sends unsigned requests", TEXT_ARGS(name));
    if (call_take_connection(call, &connection) == STATUS_OK) {
        (void)changeovers_note_unsigned(connection, network_id);
        pool_give(call->service->pool, connection);
    }
}
