/*
 * A page that is being made: the user and request, and the page so far. How to write a page: doc/architecture.md, "A
 * page of the console".
 */
#ifndef RECAUDO_CONSOLE_CORE_VIEW_H
#define RECAUDO_CONSOLE_CORE_VIEW_H

#include "base/config/config.h"
#include "console/core/request.h"
#include "console/core/texts.h"
#include "domain/money.h"
#include "page/markup.h"
#include "store/console/reader.h"
#include "store/console/users.h"

enum { VIEW_WORDS_MAX = 3 };

struct outlet; /* sends a reply (console/core/outlet.h) */

struct view {
    struct arena *arena;
    const struct config *config;
    struct connection *connection; /* as recaudo_console */
    const struct console_request *request;
    const struct console_user *user;
    struct text words[VIEW_WORDS_MAX]; /* the part of the path for each * of the page's path, decoded */
    enum language language;
    const char *zone;      /* the reader's time zone */
    const char *home_zone; /* if the reader has chosen none: that of the merchant's country, or of the settlements */
    struct text form_key;
    struct outlet *outlet;
    struct text cookies; /* header lines that store the reader's choices */

    /* Set by the page. */
    struct text title;       /* plain text, for window and heading */
    struct markup *html;     /* the page, without heading and footer */
    int status;              /* HTTP status; 200 at first */
    const char *refresh;     /* seconds after which the browser reloads the page; NULL: never */
    struct markup *around;   /* the page around an open table; html is the table's rows until put_table_end */
    const enum say *columns; /* of the open table */
    struct text location;    /* address of a redirect (303) instead of html; empty: none */
};

/* Returns the words in the reader's language. */
struct text say(const struct view *view, enum say what);

/* Returns what the functions of store/console need: the connection, the arena, and the scope of the user. */
struct console_reader view_reader(const struct view *view);

/* Returns the actor as the user may see it. For a merchant's user all staff is "recaudo", and so is whoever changed the
 * database by hand. */
struct text view_actor(const struct view *view, struct text actor);

/* Returns the reason that staff gave; empty for a merchant's user, who may not see it. */
struct text view_reason(const struct view *view, struct text reason);

/* Whether the user's role allows these changes. */
bool view_may_support(const struct view *view); /* retry, claim */
bool view_may_operate(const struct view *view); /* enable, disable, set limits */

/* Returns 45.000,00 COP, in the notation of the reader's language. */
struct text view_amount(const struct view *view, struct money amount, struct text currency);

/* Returns 2026-11-21 23:59:07, in the reader's zone; "" for 0. */
struct text view_moment(const struct view *view, instant at);

/* Returns the moment to be shown for an order's due date, by the rule of the payment slip (order_last_moment) and the
 * reader's clock. */
instant view_last_moment(const struct view *view, instant due);

/* Returns 12.345 in Spanish, 12,345 in English. */
struct text view_count(const struct view *view, uint64_t count);

/* Adds <time datetime="...Z">...</time>, or a dash for 0. */
void put_moment(struct view *view, instant at);

/* Adds words of the table, escaped. */
void put_words(struct view *view, enum say what);

/* How good a state is, shown by a colour beside the word. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_WAITING, TONE_BAD, TONE_OFF };

/* Adds <span class="state ...">word</span>. */
void put_state(struct view *view, enum tone tone, struct text word);

/* Adds <div><dt>label</dt><dd>value</dd></div>, within <dl class="facts">. Adds nothing if the value is empty. */
void put_fact(struct view *view, enum say label, struct text value);

/* Opens a table, which scrolls by itself if it is wide. The caption is its heading; the columns end with SAY_NONE.
 * Cells of a column of numbers get the class "number". The column SAY_ITS_MERCHANT is left out for a merchant's user,
 * and so is its cell (part_merchant_cell). Close it with put_table_end: a table without rows then says that there are
 * none. put_table_end_or says it in other words. */
void put_table(struct view *view, enum say caption, const enum say *columns);
void put_table_end(struct view *view);
void put_table_end_or(struct view *view, enum say no_rows);

/* Adds the form's token as a hidden field. A form that changes something is sent to `action` by POST. */
void put_token(struct view *view, struct text action);

#endif
