#include "api/caller/old_secret.h"

#include "base/memory.h"
#include "store/party/old_secrets.h"

#include <pthread.h>

#define TELL_EVERY MINUTE

/* Direct-mapped: two that share a place are told of more often, which does no harm. */
enum { PLACES = 256, PARTIES = 2 };

struct place {
    uint64_t id; /* 0: nobody yet */
    duration told_at;
};

struct old_secret_notes {
    pthread_mutex_t lock;
    struct place places[PARTIES][PLACES];
};

struct old_secret_notes *old_secret_notes_create(void) {
    struct old_secret_notes *notes = memory_zeroed(1, sizeof *notes);
    pthread_mutex_init(&notes->lock, NULL);
    return notes;
}

void old_secret_notes_destroy(struct old_secret_notes *notes) {
    pthread_mutex_destroy(&notes->lock);
    free(notes);
}

static bool is_to_be_told(struct old_secret_notes *notes, enum party party, uint64_t id) {
    struct place *place = &notes->places[party][id % PLACES];
    duration now = clock_monotonic();
    pthread_mutex_lock(&notes->lock);
    bool due = place->id != id || now - place->told_at >= TELL_EVERY;
    if (due) {
        *place = (struct place){id, now};
    }
    pthread_mutex_unlock(&notes->lock);
    return due;
}

/* The request does not depend on it: what cannot be written now is told again in a minute. */
void old_secret_used(struct call *call, enum party party, uint64_t id, struct text name) {
    static const char *const WORDS[] = {[PARTY_NETWORK] = "network", [PARTY_MERCHANT] = "merchant"};
    struct connection *connection;
    if (!is_to_be_told(call->service->old_secret_notes, party, id)) {
        return;
    }
    log_line(LOG_INFO, "%s %.*s still uses its old FIXED_HASH", WORDS[party], TEXT_ARGS(name));
    if (call_take_connection(call, &connection) == STATUS_OK) {
        (void)old_secrets_note(connection, text_of(WORDS[party]), id);
        pool_give(call->service->pool, connection);
    }
}
