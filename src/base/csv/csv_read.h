/* Reads CSV text in UTF-8 whose first line names the columns. The separator is the comma, or the semicolon if the first
 * line has semicolons and no comma. Every row is one line: a quoted field cannot contain a line end. Blanks around a
 * field are dropped; blanks inside its quotes are kept. */
#ifndef RECAUDO_BASE_CSV_CSV_READ_H
#define RECAUDO_BASE_CSV_CSV_READ_H

#include "base/arena.h"

struct csv_rows {
    /* Refuse a row whose line has no line end: the file may be cut there, in the middle of an amount. */
    bool all_lines_end;

    /* Takes the first line. Returns NULL if it is valid, else the problem: reading then ends, and `row` gets the
     * complaint with this line's number. */
    const char *(*names)(void *context, const struct text *names, size_t count);

    /* Takes every other line except blank ones. There are as many fields as columns; the texts are in the arena.
     * `complaint` is not NULL if the line is malformed; there are no fields then. */
    void (*row)(void *context, uint64_t line, const struct text *fields, const char *complaint);
};

/* Reads to the end of the file. Returns false and sets errno if it cannot be read. */
MUST_USE bool csv_read(FILE *from, struct arena *arena, const struct csv_rows *rows, void *context);

#endif
