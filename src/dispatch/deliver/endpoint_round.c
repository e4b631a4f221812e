#include "dispatch/deliver/endpoint_round.h"

#include "dispatch/deliver/delivery_log.h"
#include "dispatch/deliver/merchant_slots.h"
#include "store/notification/endpoints.h"

/* What a round shows about one merchant's endpoint. */
struct said {
    struct merchant_state *merchant;
    struct text name; /* in the arena of the round */
    uint64_t failed;  /* number of failures in this round */
    bool answered;    /* at least once */
    bool fails;       /* the last outcome that shows either was a failure */
};

static struct said *said_by(struct endpoint_round *round, const struct sending *sending, struct arena *arena) {
    for (size_t i = 0; i < round->count; i++) {
        if (round->said[i].merchant == sending->merchant) {
            return &round->said[i];
        }
    }
    struct said *said = &round->said[round->count++];
    *said =
        (struct said){.merchant = sending->merchant, .name = arena_copy(arena, sending->notification.merchant_name)};
    return said;
}

struct endpoint_round endpoint_round_gather(struct sending *const *deliveries, size_t count, struct arena *arena) {
    struct endpoint_round round = {.said = arena_alloc(arena, count * sizeof(struct said))};
    for (size_t i = 0; i < count; i++) {
        const struct sending *sending = deliveries[i];
        struct said *said = said_by(&round, sending, arena);
        said->failed += sending->failed;
        if (sending->answered || sending->failed) {
            said->answered = said->answered || sending->answered;
            said->fails = sending->failed;
        }
    }
    return round;
}

static enum status note_answer(struct connection *connection, const struct said *said, const struct rest_rule *rule) {
    struct merchant_state *merchant = said->merchant;
    enum status status = merchant->failures > 0 ? endpoints_well(connection, merchant->merchant_id) : STATUS_OK;
    if (status == STATUS_OK) {
        delivery_log_answer(merchant, said->name, rule);
        merchant->failures = 0;
        merchant->rests = merchant->recovers = false;
    }
    return status;
}

static enum status note_failure(struct connection *connection, const struct said *said, const struct rest_rule *rule) {
    struct merchant_state *merchant = said->merchant;
    enum status status = endpoints_failed(connection, merchant->merchant_id, rule);
    if (status == STATUS_OK) {
        delivery_log_failure(merchant, said->name, rule);
        merchant->failures++;
        merchant->rests = merchant->failures >= rule->after;
    }
    return status;
}

/* An endpoint that answered in this round has recovered. If it failed after that, its failures restart at one. */
static enum status note_endpoint(struct connection *connection, const struct said *said, const struct rest_rule *rule) {
    enum status status = said->answered ? note_answer(connection, said, rule) : STATUS_OK;
    return status == STATUS_OK && said->fails ? note_failure(connection, said, rule) : status;
}

enum status endpoint_round_note(const struct endpoint_round *round, struct connection *connection,
                                const struct config *config, const struct task_run *run) {
    const struct rest_rule rule = {config->dispatcher.rest_after, config->dispatcher.rest,
                                   config->dispatcher.rest_longest};
    enum status first = STATUS_OK;
    for (size_t i = 0; i < round->count; i++) {
        enum status status = note_endpoint(connection, &round->said[i], &rule);
        first = first == STATUS_OK && status != STATUS_AGAIN ? status : first; /* a locked row: with the next answer */
        merchant_slots_recorded(round->said[i].merchant, round->said[i].failed);
        task_run_progress(run);
    }
    return first;
}
