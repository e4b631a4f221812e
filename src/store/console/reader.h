/*
 * Who reads for the console, and which rows: every statement of this folder has the reader's scope in its WHERE, so
 * that rows of other merchants do not exist for the reader.
 */
#ifndef RECAUDO_STORE_CONSOLE_READER_H
#define RECAUDO_STORE_CONSOLE_READER_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"

/* All zero: nothing may be read. */
struct console_scope {
    bool everything;
    uint64_t merchant_id; /* without `everything`: the only merchant whose rows may be read */
};

struct console_reader {
    struct connection *connection;
    struct arena *arena; /* receives the texts of all rows */
    struct console_scope scope;
};

/* What a list selects. Empty texts and zeros: anything. */
struct console_filter {
    struct text state;
    struct text currency;
    struct text network;  /* name; for transactions */
    uint64_t merchant_id; /* outside the reader's scope: nothing is listed */
    instant since, until; /* since <= created or registered < until */
};

/*
 * Where a list continues, newest first; all zero: at the newest. A call of a list function runs one statement, which
 * reads at most a thousand rows. It calls `each` for those that match the filter until it returns false, and moves the
 * place past the last row read. `ended`: there are no more.
 */
struct console_place {
    uint64_t id;
    instant at;
    bool ended;
};

#endif
