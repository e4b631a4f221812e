/* Reads CSV text in UTF-8 whose first line names the columns. Commas, or semicolons where the first line has these and
 * no comma. Every row is one line: a quoted field never goes on to the next. Blanks around a field are dropped, those
 * in its quotes are not. */
#ifndef RECAUDO_BASE_CSV_CSV_READ_H
#define RECAUDO_BASE_CSV_CSV_READ_H

#include "base/arena.h"

struct csv_rows {
    /* The first line. NULL when it will do, else what is wrong with it: reading ends, and `row` gets the complaint with
     * this line's number. */
    const char *(*names)(void *context, const struct text *names, size_t count);

    /* Every other line but blank ones, with as many fields as there are columns; the texts are the arena's. With a
     * complaint there are none: the line cannot be taken apart. */
    void (*row)(void *context, uint64_t line, const struct text *fields, const char *complaint);
};

/* Reads to the end. False: the file cannot be read; errno says why. */
MUST_USE bool csv_read(FILE *from, struct arena *arena, const struct csv_rows *rows, void *context);

#endif
