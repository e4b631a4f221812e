/* The least a lookup can ask of the database: one prepared SELECT of the open order with a reference, on a connection
 * of its own. */
#ifndef RECAUDO_BENCH_POINT_SELECT_H
#define RECAUDO_BENCH_POINT_SELECT_H

#include "base/config/config.h"

enum { POINT_TEXT_SIZE = 1024 };

struct point_row {
    uint64_t id;
    char amount[POINT_TEXT_SIZE]; /* two decimals */
    char commerce[POINT_TEXT_SIZE];
    char description[POINT_TEXT_SIZE];
    char state[POINT_TEXT_SIZE];
};

struct point_select;

/* Connects with the worker's account. Whatever fails, here and below, ends the program. */
struct point_select *point_select_open(const struct config *config);

/* NULL: there is no such order. The row is valid until the next call. */
const struct point_row *point_select_find(struct point_select *select, struct text reference);

void point_select_close(struct point_select *select);

#endif
