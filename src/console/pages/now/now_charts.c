#include "console/pages/now/chart.h"
#include "console/pages/now/now.h"
#include "console/pages/parts.h"
#include "store/operation/health.h"
#include "store/payment/counts.h"
#include "store/payment/settlements.h"

/* A chart in the making. */
struct counting {
    struct view *view;
    struct chart chart;
};

static void draw_count(void *context, const struct payment_count *count) {
    struct counting *counting = context;
    chart_add(&counting->chart, count->began_at, count->currency, count->payments,
              say(counting->view, SAY_OTHER_CURRENCIES));
}

static enum status put_chart(struct view *view, enum payment_span span, instant now) {
    static const struct {
        enum say title;
        duration step;
        size_t bars;
    } CHARTS[] = {[PAYMENT_SPAN_MINUTE] = {SAY_BY_MINUTE, MINUTE, 60}, [PAYMENT_SPAN_HOUR] = {SAY_BY_HOUR, HOUR, 72}};
    struct counting *counting = arena_alloc(view->arena, sizeof *counting);
    duration step = CHARTS[span].step;
    instant last = now - now % step - (span == PAYMENT_SPAN_MINUTE ? step : 0); /* the minute is not over */
    *counting = (struct counting){
        .view = view,
        .chart = {.title = CHARTS[span].title,
                  .begins = last - (duration)(CHARTS[span].bars - 1) * step,
                  .step = step,
                  .bars = CHARTS[span].bars},
    };
    const struct payment_period period = {span, counting->chart.begins};
    enum status status = payment_counts_list(view->connection, &period, view->arena, draw_count, counting);
    if (status == STATUS_OK) {
        chart_put(view, &counting->chart);
    }
    return status;
}

enum status now_put_charts(struct view *view, instant now) {
    markup_add(view->html, "<div class=\"halves\">\n");
    enum status status = put_chart(view, PAYMENT_SPAN_MINUTE, now);
    if (status == STATUS_OK) {
        status = put_chart(view, PAYMENT_SPAN_HOUR, now);
    }
    markup_add(view->html, "</div>\n");
    return status;
}

static void put_dispatcher(void *context, const struct dispatcher_host *host) {
    struct view *view = context;
    markup_fill(view->html, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", host->host);
    part_moment_cell(view, host->seen_at);
    markup_fill(view->html, "<td>{}</td><td>{}</td><td>{}</td></tr>\n", view_count(view, host->settling),
                view_count(view, host->delivering), view_count(view, host->in_flight));
}

enum status now_put_dispatchers(struct view *view) {
    static const enum say COLUMNS[] = {SAY_HOST, SAY_LAST_SEEN, SAY_SETTLING, SAY_DELIVERING, SAY_IN_HAND, SAY_NONE};
    put_table(view, SAY_DISPATCHERS, COLUMNS);
    enum status status = health_dispatchers(view->connection, view->arena, put_dispatcher, view);
    put_table_end(view);
    return status;
}

static void put_settlement(void *context, const struct settlement_row *row) {
    struct view *view = context;
    if (row->closed_at != 0) {
        markup_fill(view->html, "<section><h2>{}</h2>\n<p><a href=\"/settlement?number={}\">{}</a> {} ",
                    say(view, SAY_LAST_SETTLEMENT), part_number(view, row->number), part_number(view, row->number),
                    row->day);
        put_moment(view, row->closed_at);
        markup_add(view->html, "</p></section>\n");
    }
}

/* The newest one is open. */
enum status now_put_settlement(struct view *view) {
    return settlements_list(view->connection, 2, view->arena, put_settlement, view);
}
