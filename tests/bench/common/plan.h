/* What is to be done, in which order, and for how long; shared by all threads of a run. */
#ifndef RECAUDO_BENCH_PLAN_H
#define RECAUDO_BENCH_PLAN_H

#include "bench/common/journey.h"
#include "bench/common/options.h"
#include "bench/common/orders.h"

#include <stdatomic.h>

enum { TRANSACTION_PREFIX_SIZE = 41 };

struct plan_options {
    const char *mode;           /* name of the operation */
    const char *orders_path;    /* see orders.h */
    const char *looked_up_path; /* further orders that a mix needs: see journey.h */
    const char *open_path;
    const char *accounts_path;
    const char *transactions; /* transaction ids are TEXT-0, TEXT-1, ...; NULL: from the seed */
    uint64_t requests;        /* end after so many lookups, registrations, ... or flows; 0: no bound */
    uint64_t skip;            /* orders at the beginning of the file that are left alone */
    uint64_t seed;
    double seconds;
    double warmup; /* seconds before the measured ones */
};

/* clang-format off */
#define PLAN_OPTIONS_DEFAULT {.mode = "lookup", .seconds = 10}

/* For options_parse. */
#define PLAN_OPTION_SPECS(options)                                    \
    {"mode", OPTION_TEXT, &(options)->mode, 0, 0},                    \
    {"orders", OPTION_TEXT, &(options)->orders_path, 0, 0},           \
    {"looked-up", OPTION_TEXT, &(options)->looked_up_path, 0, 0},     \
    {"open", OPTION_TEXT, &(options)->open_path, 0, 0},               \
    {"accounts", OPTION_TEXT, &(options)->accounts_path, 0, 0},       \
    {"transactions", OPTION_TEXT, &(options)->transactions, 0, 0},    \
    {"requests", OPTION_WHOLE, &(options)->requests, 1, 1e15},        \
    {"skip", OPTION_WHOLE, &(options)->skip, 0, 1e15},                \
    {"seed", OPTION_WHOLE, &(options)->seed, 1, 1.8e19},              \
    {"seconds", OPTION_DECIMAL, &(options)->seconds, 0.01, 1e6},      \
    {"warmup", OPTION_DECIMAL, &(options)->warmup, 0, 1e6}
/* clang-format on */

#define PLAN_USAGE                                                                                                     \
    "  --orders FILE        one order per line: reference, amount, commerce and money, separated by tabs\n"            \
    "  --mode MODE          lookup (default): orders at random\n"                                                      \
    "                       register: the orders one after the other, again from the first after the last\n"           \
    "                       porder: a merchant (--network) registers new orders with the amounts of the file\n"        \
    "                       consult: a merchant (--network) asks for orders at random by their references\n"           \
    "                       flow: look up, register and confirm; each order once\n"                                    \
    "                       mix: what a network asks for in life; needs the next three files\n"                        \
    "                       (not with recaudo-direct)\n"                                                               \
    "                       notify: the orders' notifications, to a merchant, again and again\n"                       \
    "                       (not with recaudo-direct)\n"                                                               \
    "                       confirm: what a run with --mode register and the same --transactions registered\n"         \
    "  --looked-up FILE     orders that are only looked up, for the mix\n"                                             \
    "  --open FILE          orders of an open amount, with the amount to pay, for the mix\n"                           \
    "  --accounts FILE      accounts to be topped up, with the amount to pay, for the mix\n"                           \
    "  --seconds S          how long (10)\n"                                                                           \
    "  --warmup S           not measured, before that (0)\n"                                                           \
    "  --requests N         end after so many; a flow counts once\n"                                                   \
    "  --skip N             leave the first N orders of the file alone\n"                                              \
    "  --transactions TEXT  transaction ids are TEXT-0, TEXT-1, ... (from the seed)\n"                                 \
    "  --seed N             (from the clock)\n"

/* What one request or one database operation is about. */
struct subject {
    enum operation operation; /* never OPERATION_FLOW or OPERATION_MIX, but a step of it */
    struct step step;         /* what is asked for, and the CODE that must come */
    struct order_line order;
    const struct journey *journey; /* NULL: the request stands alone */
    unsigned step_number;
    char transaction[TRANSACTION_PREFIX_SIZE + 24];
};

struct plan {
    struct orders orders;                      /* in a mix those that are paid */
    struct orders others[JOURNEY_ORDERS];      /* of a mix, where these are not `orders` */
    atomic_uint_fast64_t used[JOURNEY_ORDERS]; /* of a journey's orders that are taken once each */
    enum operation operation;
    uint64_t requests;
    uint64_t skip;
    uint64_t seed;
    double seconds;
    double warmup;
    uint64_t start;        /* monotonic nanoseconds, like the next two */
    uint64_t measure_from; /* end of the warm-up */
    uint64_t deadline;     /* nothing starts from here on */
    atomic_uint_fast64_t issued;
    char transactions[TRANSACTION_PREFIX_SIZE];
};

/* Reads the orders. Ends the program with the reason when the options do not fit together. */
void plan_init(struct plan *plan, const struct plan_options *options);

void plan_free(struct plan *plan);

/* To be called once, when everything is connected. */
void plan_begin(struct plan *plan);

/* The state of random choice for thread `number`, counted from 0. */
uint64_t plan_random(const struct plan *plan, unsigned number);

/* The first step of the next lookup, registration, confirmation or flow. False when there is none left; to look at the
 * deadline is the caller's part. `random` is the calling thread's own. */
bool plan_next(struct plan *plan, uint64_t *random, struct subject *subject);

/* Turns the subject into the next step of its journey. False after the last one, and when it belongs to none. */
bool plan_continue(struct subject *subject);

/* From the end of the warm-up to `last_end`, the last thing that was measured, in nanoseconds. */
uint64_t plan_elapsed(const struct plan *plan, uint64_t last_end);

#endif
