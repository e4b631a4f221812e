/* Brings the text of sql/ and the server's description of its schema into a form in which they can be compared. For the
 * files of this folder. */
#ifndef RECAUDO_STORE_SCHEMA_SCHEMA_LINES_H
#define RECAUDO_STORE_SCHEMA_SCHEMA_LINES_H

#include "base/arena.h"
#include "store/db/sql.h"

/* Runs a statement of one column, whose parameters are bound, and ends it. *lines: each value on a line of its own. In
 * the arena. */
enum status lines_read(struct sql *sql, struct arena *arena, struct text *lines);

/* Returns true if `line` is one of the lines. */
bool lines_have(struct text lines, struct text line, struct arena *arena);

/* Appends `one` to a list separated by commas. */
void list_add(struct text *list, struct text one, struct arena *arena);

/* Returns SQL with single spaces and without comments, which the mariadb client drops when it restores a dump. */
struct text sql_bare(struct text sql, struct arena *arena);

/* Removes the text up to and including the mark from the front of *rest. Returns false if the mark is not there. */
bool cut_past(struct text *rest, struct text mark);

/* Returns the text before the mark, and removes both from *rest; without a mark, all of the text. */
struct text cut_to(struct text *rest, struct text mark);

/* Returns the end of a comment, a quoted text or one other byte. */
const char *sql_token_end(const char *at, const char *end);

/* Returns bare SQL in lower case, except quoted texts, without spaces, parentheses and backticks. */
struct text sql_squashed(struct text sql, struct arena *arena);

/*
 * Returns true if the server would show a view that was created with the bare SQL `made` as `shown`. The server adds
 * names to columns and their tables, and writes NOT EXISTS as !exists. It also places parentheses differently, so they
 * are not compared.
 */
bool sql_is_shown_as(struct text made, struct text shown);

#endif
