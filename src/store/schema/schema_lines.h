/* What sql/ says and what the database says, as texts that can be compared. For the files of this folder. */
#ifndef RECAUDO_STORE_SCHEMA_SCHEMA_LINES_H
#define RECAUDO_STORE_SCHEMA_SCHEMA_LINES_H

#include "base/arena.h"
#include "store/db/sql.h"

/* Runs a statement of one column, whose parameters are given, and ends it. *lines: each value in a line of its own. In
 * the arena. */
enum status lines_read(struct sql *sql, struct arena *arena, struct text *lines);

/* Whether one of the lines is this. */
bool lines_have(struct text lines, struct text line, struct arena *arena);

/* Adds one to a list with commas between. */
void list_add(struct text *list, struct text one, struct arena *arena);

/* SQL without comments, which the mariadb client drops when it restores a dump, and with single spaces. */
struct text sql_bare(struct text sql, struct arena *arena);

/* Cuts the text up to the mark, and the mark, off the front of *rest. False: it is not there. */
bool cut_past(struct text *rest, struct text mark);

/* What stands before the mark, which is cut off *rest with it; without a mark, all. */
struct text cut_to(struct text *rest, struct text mark);

/* Past a comment, a quoted text or one other byte. */
const char *sql_token_end(const char *at, const char *end);

/* Bare SQL in small letters, but for quoted texts, without spaces, parentheses and backticks. */
struct text sql_squashed(struct text sql, struct arena *arena);

/*
 * Whether a view that was made with this bare SQL is shown by the server so. It names each column and its table, writes
 * NOT EXISTS as !exists, and has other parentheses, which are not compared.
 */
bool sql_is_shown_as(struct text made, struct text shown);

#endif
