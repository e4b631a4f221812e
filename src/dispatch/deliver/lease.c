#include "dispatch/deliver/lease.h"

#include "auth/secret.h"

/*
 * A lease lasts for an attempt's time-out and this time, part of which a notification waits for its slot. When it
 * expires, the notifications of a killed dispatcher are leased again.
 */
#define LEASE_BEYOND_ATTEMPT (20 * SECOND)

enum { LEASED_AT_ONCE = 256, MERCHANTS_AT_ONCE = 64 };

/* Adds the leased notifications to those in hand. */
static void keep_leased(struct deliverer *deliverer, const struct lease_request *lease,
                        const struct notification *notifications, size_t count, instant now) {
    duration mono = clock_monotonic();
    for (size_t i = 0; i < count; i++) {
        struct merchant_state *merchant = merchant_slots_find(deliverer->merchants, notifications[i].merchant_id);
        struct sending *sending = sendings_add(deliverer->sendings, &notifications[i], lease->lease);
        if (sending != NULL) {
            sending->merchant = merchant;
            sending->leased_mono = lease->leased_mono;
            sending->lease_committed_mono = mono;
            sending->lease_committed_at = now;
            merchant_slots_wait(deliverer->merchants, sending);
        }
    }
}

/*
 * A merchant with fewer notifications than were asked for has no more. The next choice begins with the first merchant
 * that was not asked for.
 */
static void note_found(struct deliverer *deliverer, const struct lease_request *lease) {
    for (size_t i = 0; i < lease->asked; i++) {
        const struct lease_share *share = &lease->shares[i];
        if (share->found < share->most) {
            merchant_slots_find(deliverer->merchants, share->merchant_id)->is_due = false;
        }
    }
    if (lease->asked < lease->share_count) {
        merchant_slots_choose_next(deliverer->merchants, lease->shares[lease->asked].merchant_id);
    }
}

/* Leasing takes many statements, and a slow database must not look like a hang. */
static void note_progress(const void *of_run) {
    task_run_progress(of_run);
}

/* The leased notifications are in hand; the recorder may wait for that. */
static void end_leasing(struct deliverer *deliverer) {
    deliverer->is_leasing = false;
    if (deliverer->leases_rest) {
        task_wake_first(&deliverer->recorder);
    }
}

bool lease_some(struct deliverer *deliverer, struct arena *arena) {
    struct lease_share shares[MERCHANTS_AT_ONCE];
    struct lease_request lease = {.shares = shares,
                                  .lease_for = deliverer->run->config->notification.timeout + LEASE_BEYOND_ATTEMPT,
                                  .progress = note_progress,
                                  .about = deliverer->run};
    struct notification *notifications;
    struct connection *connection;
    size_t count = 0;
    instant now;
    lease.share_count =
        merchant_slots_choose(deliverer->merchants, shares, COUNT_OF(shares), LEASED_AT_ONCE, clock_monotonic());
    if (lease.share_count == 0 || outcomes_hold_sending(deliverer->outcomes) || deliverer->leases_rest) {
        return false;
    }
    deliverer->is_leasing = true;
    enum status status =
        secret_random(lease.lease, LEASE_BYTES) ? pool_take(deliverer->run->pool, &connection) : STATUS_FAULT;
    if (status == STATUS_OK) {
        status = deliveries_lease(connection, &lease, arena, &notifications, &count, &now);
        pool_give(deliverer->run->pool, connection);
    }
    if (status == STATUS_OK) {
        keep_leased(deliverer, &lease, notifications, count, now);
    }
    end_leasing(deliverer);
    arena_reset(arena);
    status = status == STATUS_NONE ? STATUS_OK : status;
    if (status == STATUS_OK) {
        note_found(deliverer, &lease);
    }
    task_run_note(deliverer->run, status);
    task_run_progress(deliverer->run);
    return status == STATUS_OK;
}

static enum status give_back(const struct deliverer *deliverer, const struct leased *leased, size_t count,
                             struct arena *arena) {
    struct connection *connection;
    enum status status = pool_take(deliverer->run->pool, &connection);
    if (status == STATUS_OK) {
        status = deliveries_release(connection, leased, count, arena);
        pool_give(deliverer->run->pool, connection);
    }
    return status;
}

void lease_give_back(struct deliverer *deliverer, struct arena *arena, bool all) {
    struct leased leased[LEASED_AT_ONCE];
    struct sending *sending;
    duration now = clock_monotonic();
    size_t count;
    do {
        for (count = 0;
             count < COUNT_OF(leased) && (sending = merchant_slots_give_up(deliverer->merchants, now, all)) != NULL;
             count++) {
            leased[count].notification_id = sending->notification.id;
            memcpy(leased[count].lease, sending->lease, LEASE_BYTES);
            sendings_remove(deliverer->sendings, sending);
        }
        if (count > 0) {
            task_run_note(deliverer->run, give_back(deliverer, leased, count, arena));
            task_run_progress(deliverer->run);
            arena_reset(arena);
        }
    } while (count == COUNT_OF(leased));
}
