/*
 * A picture of counts over time: stacked bars as SVG, made on the server, with the numbers as a legend and a table. The
 * labels stand outside of the SVG, so that they can be read at every width.
 */
#ifndef RECAUDO_CONSOLE_PAGES_NOW_CHART_H
#define RECAUDO_CONSOLE_PAGES_NOW_CHART_H

#include "console/core/view.h"

enum { CHART_BARS_MAX = 72, CHART_SERIES_MAX = 4 };

struct chart_series {
    struct text name;
    uint64_t counts[CHART_BARS_MAX], total;
};

struct chart {
    enum say title;
    instant begins; /* of the first bar */
    duration step;  /* MINUTE or HOUR */
    size_t bars;    /* at most CHART_BARS_MAX */
    size_t series_count;
    struct chart_series series[CHART_SERIES_MAX];
};

/* Adds to the bar of that moment, if there is one. Where there are more series than the chart has room for, the last
 * one has all the others, under `others`. */
void chart_add(struct chart *chart, instant at, struct text name, uint64_t count, struct text others);

/* Adds the chart to the page, or a sentence where all is 0. */
void chart_put(struct view *view, const struct chart *chart);

#endif
