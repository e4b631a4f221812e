#include "dispatch/run/progress.h"

#include <sys/mman.h>

enum { STATEMENTS_IN_A_STEP = 4 };

struct progress *progress_create(size_t count) {
    void *shared =
        mmap(NULL, count * sizeof(struct progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        log_line(LOG_ERROR, "cannot create shared memory for the dispatcher's processes");
        return NULL;
    }
    return shared;
}

void progress_destroy(struct progress *progress, size_t count) {
    munmap(progress, count * sizeof *progress);
}

void progress_step(struct progress *progress) {
    atomic_fetch_add_explicit(&progress->steps, 1, memory_order_relaxed);
}

duration progress_hang_after(const struct config *config) {
    duration least = STATEMENTS_IN_A_STEP * config->database.read_timeout;
    return config->dispatcher.hang_after > least ? config->dispatcher.hang_after : least;
}

bool progress_look(struct progress_watch *watch, const struct progress *progress, duration passed) {
    unsigned long long steps = atomic_load_explicit(&progress->steps, memory_order_relaxed);
    if (steps != watch->seen) {
        *watch = (struct progress_watch){.seen = steps};
        return true;
    }
    watch->silent += passed < SECOND ? passed : SECOND;
    return false;
}
