/*
 * Lines of CSV (RFC 4180, ended by LF), for all CSV that the program writes. Text that a spreadsheet would run as a
 * formula, because it begins with = + - @ tab or CR, gets an apostrophe in front; numbers, amounts and instants stay as
 * they are.
 */
#ifndef RECAUDO_BASE_CSV_LINE_H
#define RECAUDO_BASE_CSV_LINE_H

#include "base/text.h"

/* Begins as {NULL, 0, 0, 0}. */
struct csv_line {
    char *at;
    size_t size, room, fields;
};

/* Each adds a field. */
void csv_line_text(struct csv_line *line, struct text value);
void csv_line_plain(struct csv_line *line, const char *number_or_instant);
void csv_line_number(struct csv_line *line, uint64_t value);
void csv_line_nothing(struct csv_line *line, size_t count); /* so many empty ones */

/* The line with its end; it stands until the next field is added, which begins a new line. */
struct text csv_line_end(struct csv_line *line);

void csv_line_free(struct csv_line *line);

#endif
