#include "api/worker/work_slots.h"

#include "base/memory.h"

#include <pthread.h>

/*
 * A slot is held by a thread that waits for a connection or works on a request; `working` counts only the latter. A
 * thread that returns from a merchant while a slot's holder is idle works at once. Until the next request ends there
 * may therefore be more slots than intended.
 *
 * The two sides write and read `working` and `returning` in opposite orders (a thread that ends a request counts down
 * `working`, then reads `returning`; a thread that returns counts up `returning`, then reads `working`), so at least
 * one of them sees the other.
 */
struct work_slots {
    pthread_mutex_t lock;
    pthread_cond_t free_slot, handed_over;
    size_t intended;
    size_t to_hand_over; /* slots assigned to returning threads that have not taken them yet */
    bool stopping;
    _Atomic size_t held, working, returning;
};

struct work_slots *work_slots_create(size_t intended) {
    struct work_slots *work_slots = memory_zeroed(1, sizeof *work_slots);
    work_slots->intended = intended;
    pthread_mutex_init(&work_slots->lock, NULL);
    pthread_cond_init(&work_slots->free_slot, NULL);
    pthread_cond_init(&work_slots->handed_over, NULL);
    return work_slots;
}

void work_slots_destroy(struct work_slots *work_slots) {
    pthread_cond_destroy(&work_slots->handed_over);
    pthread_cond_destroy(&work_slots->free_slot);
    pthread_mutex_destroy(&work_slots->lock);
    free(work_slots);
}

static void wait_for_free_slot(struct work_slots *work_slots) {
    while (work_slots->held >= work_slots->intended && !work_slots->stopping) {
        pthread_cond_wait(&work_slots->free_slot, &work_slots->lock);
    }
    work_slots->held++;
}

/* Releases a slot: to a returning thread, else to a thread that waits for its first slot. */
static void release(struct work_slots *work_slots) {
    if (work_slots->returning > work_slots->to_hand_over) {
        work_slots->to_hand_over++;
        pthread_cond_signal(&work_slots->handed_over);
    } else {
        work_slots->held--;
        if (work_slots->held < work_slots->intended) {
            pthread_cond_signal(&work_slots->free_slot);
        }
    }
}

void work_slots_take(struct work_slots *work_slots) {
    pthread_mutex_lock(&work_slots->lock);
    wait_for_free_slot(work_slots);
    pthread_mutex_unlock(&work_slots->lock);
}

void work_slots_begin_request(struct work_slots *work_slots) {
    work_slots->working++;
}

void work_slots_end_request(struct work_slots *work_slots) {
    work_slots->working--;
    if (work_slots->returning == 0 && work_slots->held <= work_slots->intended) {
        return;
    }
    pthread_mutex_lock(&work_slots->lock);
    if (!work_slots->stopping &&
        (work_slots->returning > work_slots->to_hand_over || work_slots->held > work_slots->intended)) {
        release(work_slots);
        wait_for_free_slot(work_slots);
    }
    pthread_mutex_unlock(&work_slots->lock);
}

void work_slots_leave(struct work_slots *work_slots) {
    pthread_mutex_lock(&work_slots->lock);
    work_slots->working--;
    release(work_slots);
    pthread_mutex_unlock(&work_slots->lock);
}

void work_slots_return(struct work_slots *work_slots) {
    pthread_mutex_lock(&work_slots->lock);
    work_slots->returning++;
    while (work_slots->working >= work_slots->intended && work_slots->to_hand_over == 0 && !work_slots->stopping) {
        pthread_cond_wait(&work_slots->handed_over, &work_slots->lock);
    }
    if (work_slots->to_hand_over > 0) {
        work_slots->to_hand_over--;
    } else {
        work_slots->held++;
    }
    work_slots->returning--;
    work_slots->working++;
    pthread_mutex_unlock(&work_slots->lock);
}

void work_slots_stop(struct work_slots *work_slots) {
    pthread_mutex_lock(&work_slots->lock);
    work_slots->stopping = true;
    pthread_cond_broadcast(&work_slots->free_slot);
    pthread_cond_broadcast(&work_slots->handed_over);
    pthread_mutex_unlock(&work_slots->lock);
}
