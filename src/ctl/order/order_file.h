/* Reads orders from CSV text, separated by commas or semicolons. The first line names the columns, each other line is
 * an order. */
#ifndef RECAUDO_CTL_ORDER_ORDER_FILE_H
#define RECAUDO_CTL_ORDER_ORDER_FILE_H

#include "ctl/order/order_fields.h"

struct order_line {
    uint64_t number; /* of the line in the file, from 1 */
    struct text fields[ORDER_FIELDS];
    const char *complaint; /* NULL if the line could be parsed */
};

struct order_file {
    struct order_line *lines;
    size_t count;
};

/*
 * Reads to the end of the file. Free the lines with order_file_free; texts are in the arena. If the first line is
 * invalid, it is the only line returned, with its complaint. Returns false and sets errno if the file cannot be read.
 */
MUST_USE bool order_file_read(FILE *from, struct arena *arena, struct order_file *out);

void order_file_free(struct order_file *file);

#endif
