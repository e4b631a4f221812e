#include "console/pages/now/chart.h"

#include "console/pages/parts.h"

#include <inttypes.h>

/* In units of the picture, which is stretched to the width there is. */
enum { BAR_WIDTH = 10, BAR_GAP = 2, HEIGHT = 120 };

static struct chart_series *find_series(struct chart *chart, struct text name, struct text others) {
    for (size_t i = 0; i < chart->series_count; i++) {
        if (text_equal(chart->series[i].name, name)) {
            return &chart->series[i];
        }
    }
    if (chart->series_count == CHART_SERIES_MAX) {
        chart->series[CHART_SERIES_MAX - 1].name = others;
        return &chart->series[CHART_SERIES_MAX - 1];
    }
    chart->series[chart->series_count].name = name;
    return &chart->series[chart->series_count++];
}

void chart_add(struct chart *chart, instant at, struct text name, uint64_t count, struct text others) {
    if (at < chart->begins || at >= chart->begins + (duration)chart->bars * chart->step) {
        return;
    }
    struct chart_series *series = find_series(chart, name, others);
    series->counts[(at - chart->begins) / chart->step] += count;
    series->total += count;
}

static uint64_t height_of_bar(const struct chart *chart, size_t bar) {
    uint64_t sum = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        sum += chart->series[i].counts[bar];
    }
    return sum;
}

static uint64_t highest_bar(const struct chart *chart) {
    uint64_t most = 0;
    for (size_t bar = 0; bar < chart->bars; bar++) {
        uint64_t height = height_of_bar(chart, bar);
        most = height > most ? height : most;
    }
    return most;
}

static instant begin_of(const struct chart *chart, size_t bar) {
    return chart->begins + (duration)bar * chart->step;
}

/* By the reader's clock: 10:31, or with the day where the chart has several, 11-21 10:00. */
static struct text label_of(const struct view *view, const struct chart *chart, size_t bar) {
    struct text moment = view_moment(view, begin_of(chart, bar));
    size_t from = chart->step == HOUR ? sizeof "2026-" - 1 : sizeof "2026-11-21 " - 1,
           to = sizeof "2026-11-21 10:31" - 1;
    return moment.size < to ? moment : (struct text){moment.at + from, to - from};
}

static void put_bar(struct view *view, const struct chart *chart, size_t bar, uint64_t most) {
    uint64_t below = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        uint64_t count = chart->series[i].counts[bar];
        if (count > 0) {
            uint64_t bottom = below * HEIGHT / most, top = (below + count) * HEIGHT / most;
            markup_fill(view->html, "<rect class=\"s{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                        part_number(view, i + 1), part_number(view, bar * BAR_WIDTH), part_number(view, HEIGHT - top),
                        part_number(view, BAR_WIDTH - BAR_GAP), part_number(view, top > bottom ? top - bottom : 1));
            below += count;
        }
    }
}

static void put_picture(struct view *view, const struct chart *chart, uint64_t most) {
    struct text id = part_number(view, chart->title), width = part_number(view, chart->bars * BAR_WIDTH),
                height = part_number(view, HEIGHT);
    markup_fill(view->html,
                "<svg class=\"chart\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\""
                " aria-labelledby=\"t{} d{}\"><title id=\"t{}\">{}</title><desc id=\"d{}\">",
                width, height, id, id, id, say(view, chart->title), id);
    for (size_t i = 0; i < chart->series_count; i++) {
        markup_fill(view->html, "{}: {}. ", chart->series[i].name, view_count(view, chart->series[i].total));
    }
    markup_fill(view->html, "{}: {}.</desc>", say(view, SAY_PEAK), view_count(view, most));
    for (size_t bar = 0; bar < chart->bars; bar++) {
        put_bar(view, chart, bar, most);
    }
    markup_fill(view->html, "<line class=\"rule\" x1=\"0\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/></svg>\n", width, height,
                height);
    markup_add(view->html, "<p class=\"axis\">");
    for (size_t third = 0; third < 4; third++) {
        size_t bar = third * (chart->bars - 1) / 3;
        markup_fill(view->html, "<span>{}</span> ", label_of(view, chart, bar));
    }
    markup_add(view->html, "</p>\n");
}

static void put_legend(struct view *view, const struct chart *chart, uint64_t most) {
    markup_add(view->html, "<ul class=\"legend\">");
    for (size_t i = 0; i < chart->series_count; i++) {
        markup_fill(view->html,
                    "<li><svg class=\"chart\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
                    "<rect class=\"s{}\" width=\"10\" height=\"10\"/></svg>{} {}</li>",
                    part_number(view, i + 1), chart->series[i].name, view_count(view, chart->series[i].total));
    }
    markup_fill(view->html, "<li>{} {}</li></ul>\n", say(view, SAY_PEAK), view_count(view, most));
}

static void put_table_row(struct view *view, const struct chart *chart, size_t bar) {
    markup_fill(view->html, "<tr><th scope=\"row\">{}</th>", label_of(view, chart, bar));
    for (size_t i = 0; i < chart->series_count; i++) {
        markup_fill(view->html, "<td class=\"number\">{}</td>", view_count(view, chart->series[i].counts[bar]));
    }
    markup_add(view->html, "</tr>\n");
}

/* Only what is not 0, newest first. */
static void put_numbers(struct view *view, const struct chart *chart) {
    markup_fill(view->html, "<details><summary>{}</summary>\n<table>\n<thead><tr><th scope=\"col\">{}</th>",
                say(view, SAY_AS_TABLE), say(view, SAY_AT));
    for (size_t i = 0; i < chart->series_count; i++) {
        markup_fill(view->html, "<th scope=\"col\" class=\"number\">{}</th>", chart->series[i].name);
    }
    markup_add(view->html, "</tr></thead>\n<tbody>\n");
    for (size_t bar = chart->bars; bar-- > 0;) {
        if (height_of_bar(chart, bar) > 0) {
            put_table_row(view, chart, bar);
        }
    }
    markup_add(view->html, "</tbody></table></details>\n");
}

void chart_put(struct view *view, const struct chart *chart) {
    uint64_t most = highest_bar(chart);
    markup_fill(view->html, "<section class=\"counts\"><h2>{}</h2>\n", say(view, chart->title));
    if (most == 0) {
        markup_fill(view->html, "<p class=\"quiet\">{}</p>\n", say(view, SAY_NO_PAYMENTS));
    } else {
        put_legend(view, chart, most);
        put_picture(view, chart, most);
        put_numbers(view, chart);
    }
    markup_add(view->html, "</section>\n");
}
