/*
 * Lists of orders, transactions and notifications: a form of filters that stand in the address, a page of rows by key,
 * and the same rows as CSV.
 */
#ifndef RECAUDO_CONSOLE_PAGES_LIST_H
#define RECAUDO_CONSOLE_PAGES_LIST_H

#include "base/csv/csv_line.h"
#include "console/pages/parts.h"
#include "store/console/places.h"

struct list {
    struct view *view;
    struct console_reader reader;
    struct console_filter filter;
    struct console_place place;
    struct csv_line *line; /* NULL: rows go into the page */
    size_t shown;
};

/* A kind of list. */
struct list_kind {
    const char *path, *file; /* "/orders", "orders.csv" */
    enum say title, caption;
    enum say caption_of_orders, looked_back_of_orders; /* of rows that come by their orders; else SAY_NONE */
    const enum say *columns;
    enum say from, to; /* labels of the days that bound it */
    const struct part_state *states;
    enum console_list list;
    bool has_networks;
    const char *const *csv_columns; /* ended by NULL */
    /* Reads on from list->place, writes each row that passes the filter, and calls list_row_end behind it. */
    enum status (*read)(struct list *list);
    /* Whether the rows come newest first by the time that the filter bounds. */
    bool (*is_by_age)(const struct list *list);
};

enum { LIST_PAGE_ROWS = 50 };

/* Ends a row. Returns false if the page is full, or the client of the CSV file has gone: `each` returns the same. */
bool list_row_end(struct list *list);

/* Makes the page, or the CSV file. */
enum status list_make(struct view *view, const struct list_kind *kind);

#endif
