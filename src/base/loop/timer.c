#include "base/loop/timer.h"

#include "base/memory.h"

/* A binary heap: the timer at place n is due no later than those at 2n and 2n + 1. */
static struct {
    struct timer **places; /* from 1 */
    size_t count, room;
} heap;

static void put(struct timer *timer, size_t place) {
    heap.places[place] = timer;
    timer->place = place;
}

static void move_up(struct timer *timer, size_t place) {
    while (place > 1 && timer->at < heap.places[place / 2]->at) {
        put(heap.places[place / 2], place);
        place /= 2;
    }
    put(timer, place);
}

static void move_down(struct timer *timer, size_t place) {
    for (size_t below = 2 * place; below <= heap.count; below = 2 * place) {
        if (below < heap.count && heap.places[below + 1]->at < heap.places[below]->at) {
            below++;
        }
        if (timer->at <= heap.places[below]->at) {
            break;
        }
        put(heap.places[below], place);
        place = below;
    }
    put(timer, place);
}

void timer_clear(struct timer *timer) {
    size_t place = timer->place;
    if (place == 0) {
        return;
    }
    struct timer *last = heap.places[heap.count--];
    timer->place = 0;
    if (last == timer) {
        return;
    }
    if (place > 1 && last->at < heap.places[place / 2]->at) {
        move_up(last, place);
    } else {
        move_down(last, place);
    }
}

void timer_set(struct timer *timer, duration at) {
    timer_clear(timer);
    if (at == INT64_MAX) {
        return;
    }
    timer->at = at;
    heap.count++;
    if (heap.count >= heap.room) {
        heap.room = 2 * heap.count + 64;
        heap.places = memory_grown(heap.places, heap.room, sizeof(struct timer *));
    }
    move_up(timer, heap.count);
}

duration timers_next(void) {
    return heap.count == 0 ? INT64_MAX : heap.places[1]->at;
}

void timers_run(duration now) {
    while (timers_next() <= now) {
        struct timer *timer = heap.places[1];
        timer_clear(timer);
        timer->due(timer);
    }
}
