#include "bench/plan.h"

#include "bench/fail.h"
#include "bench/monotonic.h"

static void choose_transactions(struct plan *plan, const char *prefix) {
    if (prefix == NULL) {
        if (plan->operation == OPERATION_CONFIRM) {
            fail("--mode confirm needs the --transactions of the run that registered them");
        }
        snprintf(plan->transactions, sizeof plan->transactions, "%016llx", (unsigned long long)plan->seed);
    } else if (strlen(prefix) < sizeof plan->transactions && strpbrk(prefix, "\"\\") == NULL) {
        snprintf(plan->transactions, sizeof plan->transactions, "%s", prefix);
    } else {
        fail("--transactions: at most %d characters, no quotes or backslashes", TRANSACTION_PREFIX_SIZE - 1);
    }
}

void plan_init(struct plan *plan, const struct plan_options *options) {
    *plan = (struct plan){
        .requests = options->requests, .skip = options->skip, .seconds = options->seconds, .warmup = options->warmup};
    plan->seed = options->seed != 0 ? options->seed : monotonic_now() ^ (uint64_t)time(NULL) << 32;
    atomic_init(&plan->issued, 0);
    if (!operation_parse(options->mode, &plan->operation)) {
        fail("--mode %s: no such operation", options->mode);
    }
    choose_transactions(plan, options->transactions);
    if (options->orders_path == NULL) {
        fail("--orders is needed; see --help");
    }
    orders_load(&plan->orders, options->orders_path);
    if (plan->skip >= plan->orders.count) {
        fail("--skip: there are only %zu orders", plan->orders.count);
    }
}

void plan_free(struct plan *plan) {
    orders_free(&plan->orders);
}

void plan_begin(struct plan *plan) {
    plan->start = monotonic_now();
    plan->measure_from = plan->start + (uint64_t)(plan->warmup * (double)NANOSECONDS_PER_SECOND);
    plan->deadline = plan->measure_from + (uint64_t)(plan->seconds * (double)NANOSECONDS_PER_SECOND);
}

uint64_t plan_random(const struct plan *plan, unsigned number) {
    return (plan->seed + number) * UINT64_C(0x9E3779B97F4A7C15); /* odd: never 0, and near seeds give distant orders */
}

/* xorshift64* */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

bool plan_next(struct plan *plan, uint64_t *random, struct subject *subject) {
    uint64_t number = atomic_fetch_add_explicit(&plan->issued, 1, memory_order_relaxed);
    uint64_t usable = plan->orders.count - plan->skip;
    uint64_t chosen = number;
    if (plan->requests > 0 && number >= plan->requests) {
        return false;
    }
    if (plan->operation == OPERATION_LOOKUP || plan->operation == OPERATION_SELECT ||
        plan->operation == OPERATION_CONSULT) {
        chosen = next_random(random) % usable;
    } else if (plan->operation == OPERATION_REGISTER || plan->operation == OPERATION_NOTIFY ||
               plan->operation == OPERATION_PORDER) {
        chosen = number % usable;
    } else if (number >= usable) {
        return false;
    }
    subject->operation = plan->operation == OPERATION_FLOW ? OPERATION_LOOKUP : plan->operation;
    subject->order = orders_at(&plan->orders, plan->skip + chosen);
    snprintf(subject->transaction, sizeof subject->transaction, "%s-%llu", plan->transactions,
             (unsigned long long)number);
    return true;
}

bool plan_continue(const struct plan *plan, struct subject *subject) {
    if (plan->operation != OPERATION_FLOW || subject->operation == OPERATION_CONFIRM) {
        return false;
    }
    subject->operation = subject->operation == OPERATION_LOOKUP ? OPERATION_REGISTER : OPERATION_CONFIRM;
    return true;
}

uint64_t plan_elapsed(const struct plan *plan, uint64_t last_end) {
    return last_end > plan->measure_from ? last_end - plan->measure_from : 0;
}
