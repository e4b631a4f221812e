/*
 * Lines of CSV (RFC 4180, but ended by LF), for all CSV that the programs write. Text that begins with = + - @ tab or
 * CR, which a spreadsheet would evaluate as a formula, is prefixed with an apostrophe. Numbers, amounts and instants
 * are not.
 *
 * csv_line_text also puts one after a semicolon or a tab in the text where such a character follows: spreadsheets of
 * some countries separate by these, and ignore a quote inside a field. csv_line_digested does not, because its form is
 * part of a settlement's digest.
 */
#ifndef RECAUDO_BASE_CSV_CSV_LINE_H
#define RECAUDO_BASE_CSV_CSV_LINE_H

#include "base/text.h"

/* Initialise with {NULL, 0, 0, 0}; csv_line_free frees it. */
struct csv_line {
    char *at;
    size_t size, room, fields;
};

/* Each of these adds a field. */
void csv_line_text(struct csv_line *line, struct text value);
void csv_line_digested(struct csv_line *line, struct text value);
void csv_line_plain(struct csv_line *line, const char *number_or_instant);
void csv_line_number(struct csv_line *line, uint64_t value);
void csv_line_nothing(struct csv_line *line, size_t count); /* `count` empty fields */

/* Returns the line with its LF, valid until the next field is added, which starts a new line. */
struct text csv_line_end(struct csv_line *line);

void csv_line_free(struct csv_line *line);

#endif
