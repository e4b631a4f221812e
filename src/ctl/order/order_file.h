/* Reads orders from CSV text: the first line names the columns, every other line is an order. Commas, or semicolons. */
#ifndef RECAUDO_CTL_ORDER_ORDER_FILE_H
#define RECAUDO_CTL_ORDER_ORDER_FILE_H

#include "ctl/order/order_fields.h"

struct order_line {
    uint64_t number; /* of the line it begins on; the first is 1 */
    struct text fields[ORDER_FIELDS];
    const char *complaint; /* NULL when it could be taken apart */
};

struct order_file {
    struct order_line *lines;
    size_t count;
};

/*
 * Reads to the end. Lines are to be freed with order_file_free, texts are the arena's. A first line that does not do is
 * the only line, with its complaint. False: the file cannot be read; errno says why.
 */
MUST_USE bool order_file_read(FILE *from, struct arena *arena, struct order_file *out);

void order_file_free(struct order_file *file);

#endif
