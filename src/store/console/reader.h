/*
 * Who reads for the console, and whose rows: every statement of this folder has the reader's scope in its WHERE, so a
 * row of another merchant is as if it were not there.
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
    struct arena *arena; /* gets the texts of all rows */
    struct console_scope scope;
};

/* What of a list is asked for. Empty texts and zeros: anything. */
struct console_filter {
    struct text state;
    struct text currency;
    struct text network;  /* name; of transactions */
    uint64_t merchant_id; /* another one than the reader's scope allows: nothing */
    instant since, until; /* since <= created or registered < until */
};

/*
 * Where a list goes on, newest first; all zero: at the newest. A call of a list function runs one statement, which
 * reads at most a thousand rows, calls `each` for those that pass the filter until it returns false, and moves the
 * place behind the last row looked at. `ended`: there are no more.
 */
struct console_place {
    uint64_t id;
    instant at;
    bool ended;
};

#endif
