#include "api/worker/turns.h"

#include "base/memory.h"

#include <pthread.h>

/*
 * A turn is held by a thread that waits for a connection or works on a request; `working` counts only the latter. A
 * thread that comes back while somebody is idle works at once, so there may be more turns than intended until the next
 * request ends.
 *
 * `working` and `coming_back` change in opposite orders on the two sides (count down, then look; count up, then look),
 * so that either the one who ends sees the one who comes back, or the other way round.
 */
struct turns {
    pthread_mutex_t lock;
    pthread_cond_t free_turn, handed_over;
    size_t intended;
    size_t to_hand_over; /* turns given to those who come back, and not taken yet */
    bool stopping;
    _Atomic size_t held, working, coming_back;
};

struct turns *turns_create(size_t intended) {
    struct turns *turns = memory_zeroed(1, sizeof *turns);
    turns->intended = intended;
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->free_turn, NULL);
    pthread_cond_init(&turns->handed_over, NULL);
    return turns;
}

void turns_destroy(struct turns *turns) {
    pthread_cond_destroy(&turns->handed_over);
    pthread_cond_destroy(&turns->free_turn);
    pthread_mutex_destroy(&turns->lock);
    free(turns);
}

static void wait_for_free_turn(struct turns *turns) {
    while (turns->held >= turns->intended && !turns->stopping) {
        pthread_cond_wait(&turns->free_turn, &turns->lock);
    }
    turns->held++;
}

/* Lets go of a turn: to somebody who comes back, else to a thread that stands by. */
static void let_go(struct turns *turns) {
    if (turns->coming_back > turns->to_hand_over) {
        turns->to_hand_over++;
        pthread_cond_signal(&turns->handed_over);
    } else {
        turns->held--;
        if (turns->held < turns->intended) {
            pthread_cond_signal(&turns->free_turn);
        }
    }
}

void turns_take(struct turns *turns) {
    pthread_mutex_lock(&turns->lock);
    wait_for_free_turn(turns);
    pthread_mutex_unlock(&turns->lock);
}

void turns_begin_request(struct turns *turns) {
    turns->working++;
}

void turns_end_request(struct turns *turns) {
    turns->working--;
    if (turns->coming_back == 0 && turns->held <= turns->intended) {
        return;
    }
    pthread_mutex_lock(&turns->lock);
    if (!turns->stopping && (turns->coming_back > turns->to_hand_over || turns->held > turns->intended)) {
        let_go(turns);
        wait_for_free_turn(turns);
    }
    pthread_mutex_unlock(&turns->lock);
}

void turns_leave(struct turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->working--;
    let_go(turns);
    pthread_mutex_unlock(&turns->lock);
}

void turns_return(struct turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->coming_back++;
    while (turns->working >= turns->intended && turns->to_hand_over == 0 && !turns->stopping) {
        pthread_cond_wait(&turns->handed_over, &turns->lock);
    }
    if (turns->to_hand_over > 0) {
        turns->to_hand_over--;
    } else {
        turns->held++;
    }
    turns->coming_back--;
    turns->working++;
    pthread_mutex_unlock(&turns->lock);
}

void turns_stop(struct turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->stopping = true;
    pthread_cond_broadcast(&turns->free_turn);
    pthread_cond_broadcast(&turns->handed_over);
    pthread_mutex_unlock(&turns->lock);
}
