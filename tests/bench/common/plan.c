#include "bench/common/plan.h"

#include "bench/common/fail.h"
#include "bench/common/monotonic.h"

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

/* A mix needs further orders, and nothing else does. */
static void load_others(struct plan *plan, const struct plan_options *options) {
    const char *const paths[JOURNEY_ORDERS] = {[JOURNEY_LOOKED_UP] = options->looked_up_path,
                                               [JOURNEY_OPEN] = options->open_path,
                                               [JOURNEY_ACCOUNTS] = options->accounts_path};
    for (unsigned kind = 0; kind < JOURNEY_ORDERS; kind++) {
        atomic_init(&plan->used[kind], 0);
        if (plan->operation != OPERATION_MIX || kind == JOURNEY_PAID) {
            continue;
        }
        if (paths[kind] == NULL) {
            fail("--mode mix needs --looked-up, --open and --accounts");
        }
        orders_load(&plan->others[kind], paths[kind]);
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
    load_others(plan, options);
}

void plan_free(struct plan *plan) {
    orders_free(&plan->orders);
    for (unsigned kind = 0; kind < JOURNEY_ORDERS; kind++) {
        orders_free(&plan->others[kind]);
    }
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

static void set_step(struct subject *subject, struct step step) {
    subject->step = step;
    subject->operation = step.operation;
}

/* The order that a journey is about. False when all have been used. */
static bool take_order(struct plan *plan, enum journey_orders kind, uint64_t *random, struct order_line *order) {
    const struct orders *orders = kind == JOURNEY_PAID ? &plan->orders : &plan->others[kind];
    uint64_t first = kind == JOURNEY_PAID ? plan->skip : 0;
    uint64_t chosen = kind == JOURNEY_LOOKED_UP || kind == JOURNEY_ACCOUNTS
                          ? next_random(random) % orders->count
                          : first + atomic_fetch_add_explicit(&plan->used[kind], 1, memory_order_relaxed);
    if (chosen >= orders->count) {
        return false;
    }
    *order = orders_at(orders, chosen);
    return true;
}

static bool begin_journey(struct plan *plan, uint64_t *random, struct subject *subject) {
    const struct journey *journey =
        plan->operation == OPERATION_FLOW ? &journey_flow : journey_draw(next_random(random));
    subject->journey = journey;
    subject->step_number = 0;
    set_step(subject, journey->steps[0]);
    return take_order(plan, journey->orders, random, &subject->order);
}

/* Requests that stand alone: of orders at random, or of one after the other. */
static bool begin_alone(struct plan *plan, uint64_t *random, uint64_t number, struct subject *subject) {
    uint64_t usable = plan->orders.count - plan->skip;
    uint64_t chosen = number;
    if (plan->operation == OPERATION_LOOKUP || plan->operation == OPERATION_SELECT ||
        plan->operation == OPERATION_CONSULT) {
        chosen = next_random(random) % usable;
    } else if (plan->operation == OPERATION_REGISTER || plan->operation == OPERATION_NOTIFY ||
               plan->operation == OPERATION_PORDER) {
        chosen = number % usable;
    } else if (number >= usable) {
        return false;
    }
    subject->journey = NULL;
    set_step(subject, (struct step){plan->operation, TWIST_NONE, 0});
    subject->order = orders_at(&plan->orders, plan->skip + chosen);
    return true;
}

bool plan_next(struct plan *plan, uint64_t *random, struct subject *subject) {
    uint64_t number = atomic_fetch_add_explicit(&plan->issued, 1, memory_order_relaxed);
    if (plan->requests > 0 && number >= plan->requests) {
        return false;
    }
    snprintf(subject->transaction, sizeof subject->transaction, "%s-%llu", plan->transactions,
             (unsigned long long)number);
    return plan->operation == OPERATION_FLOW || plan->operation == OPERATION_MIX
               ? begin_journey(plan, random, subject)
               : begin_alone(plan, random, number, subject);
}

bool plan_continue(struct subject *subject) {
    if (subject->journey == NULL || subject->step_number + 1 >= subject->journey->step_count) {
        return false;
    }
    subject->step_number++;
    set_step(subject, subject->journey->steps[subject->step_number]);
    return true;
}

uint64_t plan_elapsed(const struct plan *plan, uint64_t last_end) {
    return last_end > plan->measure_from ? last_end - plan->measure_from : 0;
}
