/*
 * A page in the making: who asks for what, and where the page goes. How to write one: doc/architecture.md, "A page of
 * the console".
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
    struct text words[VIEW_WORDS_MAX]; /* what stands for each * of the page's path, decoded */
    enum language language;
    const char *zone;      /* of the reader */
    const char *home_zone; /* where the reader has chosen none: of the merchant's country, or of the settlements */
    struct text form_key;
    struct outlet *outlet;
    struct text cookies; /* header lines that remember the reader's choices */

    /* What a page sets. */
    struct text title;       /* plain text, of the window and the heading */
    struct markup *html;     /* the page between its heading and its end */
    int status;              /* of HTTP; 200 at first */
    const char *refresh;     /* seconds after which the browser asks again; NULL: never */
    struct markup *around;   /* of an open table: html is its rows until put_table_end */
    const enum say *columns; /* of the table */
    struct text location;    /* where the browser goes (303) instead of showing html; empty: nowhere */
};

/* The words in the reader's language. */
struct text say(const struct view *view, enum say what);

/* What the functions of store/console take: the connection, the arena, and whose rows the user may read. */
struct console_reader view_reader(const struct view *view);

/* Who did something, as the reader may know it: to a merchant's user, whoever of the staff it was is "recaudo". */
struct text view_actor(const struct view *view, struct text actor);

/* What staff wrote about something: nothing for a merchant's user. */
struct text view_reason(const struct view *view, struct text reason);

/* Which changes the user's role allows. */
bool view_may_support(const struct view *view); /* retry, claim */
bool view_may_operate(const struct view *view); /* enable, disable, set limits */

/* 45.000,00 COP, as the country writes it. */
struct text view_amount(const struct view *view, struct money amount, struct text currency);

/* 2026-11-21 23:59:07, by the clocks of the reader's zone; "" for 0. */
struct text view_moment(const struct view *view, instant at);

/* 12.345 in Spanish, 12,345 in English. */
struct text view_count(const struct view *view, uint64_t count);

/* Adds <time datetime="...Z">...</time>, or a dash for 0. */
void put_moment(struct view *view, instant at);

/* Adds words of the table, escaped. */
void put_words(struct view *view, enum say what);

/* How something stands, which a colour and a word tell. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_WAITING, TONE_BAD, TONE_OFF };

/* Adds <span class="state ...">word</span>. */
void put_state(struct view *view, enum tone tone, struct text word);

/* Adds <div><dt>label</dt><dd>value</dd></div>; nothing where the value is empty. Within <dl class="facts">. */
void put_fact(struct view *view, enum say label, struct text value);

/* Opens a table that scrolls by itself where it is wide: the caption is its heading, the columns end with SAY_NONE. A
 * column of numbers gets the class "number" in its cells. The column SAY_ITS_MERCHANT is left out for a merchant's
 * user, and so is its cell (part_merchant_cell). Close it with put_table_end. */
void put_table(struct view *view, enum say caption, const enum say *columns);
void put_table_end(struct view *view);

/* Adds the token of a form, a hidden field: forms that change something are sent to `action` by POST. */
void put_token(struct view *view, struct text action);

#endif
