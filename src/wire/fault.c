#include "wire/fault.h"

static struct text add_limits(struct text text, const struct fault *fault, struct arena *arena) {
    return fault->least > 0
               ? arena_print(arena, "%.*s: send %u to %u characters", TEXT_ARGS(text), fault->least, fault->most)
               : arena_print(arena, "%.*s: at most %u characters", TEXT_ARGS(text), fault->most);
}

struct text fault_explain(const struct fault *fault, struct arena *arena) {
    struct text text = text_of(fault->problem);
    if (fault->byte > 0) {
        text = arena_print(arena, "%.*s at byte %zu", TEXT_ARGS(text), fault->byte);
    }
    if (fault->most > 0) {
        text = add_limits(text, fault, arena);
    }
    return fault->remedy == NULL ? text : arena_print(arena, "%.*s: %s", TEXT_ARGS(text), fault->remedy);
}
