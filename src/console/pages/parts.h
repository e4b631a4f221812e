/* What several pages that only read are made of. */
#ifndef RECAUDO_CONSOLE_PAGES_PARTS_H
#define RECAUDO_CONSOLE_PAGES_PARTS_H

#include "console/core/view.h"
#include "store/console/parties.h"
#include "store/console/reader.h"
#include "store/external/queries.h"

/* Longest time that a page searches for rare rows or adds up many. It then says how far it came. This keeps a hundred
 * readers from slowing payments (tests/bench/apart/readers.py). */
#define PAGE_LOOKING_MAX (25 * MILLISECOND)

/* A state as the database has it, and as people read it. A table of them ends with an empty state. */
struct part_state {
    const char *state;
    enum tone tone;
    enum say word;
};

extern const struct part_state PART_ORDER_STATES[], PART_TRANSACTION_STATES[], PART_NOTIFICATION_STATES[],
    PART_QUERY_OUTCOMES[], PART_ORDER_ORIGINS[];

/* Adds the state with its colour. */
void part_state(struct view *view, const struct part_state *states, struct text state);

/* The word alone. */
struct text part_state_word(const struct view *view, const struct part_state *states, struct text state);

/* The verdict on an attempt to deliver a notification, in words. */
struct text part_reason(const struct view *view, struct text reason);

/* Adds <a href="/orders/17">text</a>. */
void part_order_link(struct view *view, uint64_t id, struct text text);

/* Decimal digits. */
struct text part_number(const struct view *view, uint64_t number);

/* A decimal number like 45000.00 as the language writes it: 45.000,00 or 45,000.00. */
struct text part_decimal(const struct view *view, struct text decimal);

/* So many milliseconds, with the unit. */
struct text part_milliseconds(const struct view *view, duration took);

/* Adds <a class="button" href="/folder/17/verb">label</a>: the page of a change. Within <p class="actions">. */
void part_action(struct view *view, const char *folder, uint64_t id, const char *verb, enum say label);

/* Adds <option>, chosen where both are equal. */
void part_option(struct view *view, struct text value, struct text label, struct text chosen);

/* An order's amount: "open" where the customer is to choose it. */
struct text part_order_amount(const struct view *view, struct money amount, struct text currency);

/* Adds the cell of an amount. */
void part_amount_cell(struct view *view, struct money amount, struct text currency);

/* Adds a cell with a moment, or with text. */
void part_moment_cell(struct view *view, instant at);
void part_text_cell(struct view *view, struct text text);

/* Adds the cell of the column SAY_ITS_MERCHANT; nothing for a merchant's user, who has but one. */
void part_merchant_cell(struct view *view, struct text merchant);

/* Adds a fact (put_fact) whose value is a moment; nothing for 0. */
void part_moment_fact(struct view *view, enum say label, instant at);

/* How the endpoint of a merchant is doing. Every page goes by this. */
enum part_endpoint {
    ENDPOINT_NONE,    /* no address */
    ENDPOINT_RESTS,   /* nothing is sent, or single notifications */
    ENDPOINT_FAILS,   /* does not answer */
    ENDPOINT_REFUSES, /* answers, and acknowledges nothing for 15 minutes */
    ENDPOINT_RETRIES, /* some notifications wait for another attempt */
    ENDPOINT_TEST_FAILED,
    ENDPOINT_GAVE_UP, /* some notifications were given up */
    ENDPOINT_UNKNOWN, /* nothing tells that its current address has acknowledged anything */
    ENDPOINT_WELL
};

enum part_endpoint part_endpoint(const struct console_merchant *merchant);

/* Since when; 0: it is well, or nobody knows. */
instant part_endpoint_since(const struct console_merchant *merchant);

/* Adds a note that leads to the notifications of the merchant that were given up. Nothing where there are none. */
enum status part_given_up(struct view *view, uint64_t merchant_id);

/* Adds the row of an external query: when, network, outcome, HTTP status, time it took, detail. */
void part_query_row(struct view *view, const struct query_row *query);

/* The id that stands for the first * of the page's path. False: it is no number. */
MUST_USE bool part_id(const struct view *view, uint64_t *out);

/* A day like 2026-11-21 by the reader's clock: when it begins and ends. False: it is no day. */
MUST_USE bool part_day(const struct view *view, struct text day, instant *begins, instant *ends);

/* Adds a select of the merchants, with the chosen id; nothing for a merchant's user. */
enum status part_merchants(struct view *view, uint64_t chosen);

#endif
