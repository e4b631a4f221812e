#include "bench/common/orders.h"

#include "bench/common/fail.h"

static char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail("%s: %m", path);
    }
    long size = ftell(file);
    if (size < 0) {
        fail("%s: %m", path);
    }
    rewind(file);
    *length = (size_t)size;
    char *text = malloc(*length + 1);
    if (text == NULL || fread(text, 1, *length, file) != *length) {
        fail("%s: cannot be read", path);
    }
    text[*length] = '\0';
    fclose(file);
    return text;
}

static size_t count_lines(const char *text, size_t length) {
    size_t lines = 0;
    const char *end = text + length;
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        lines++;
    }
    return lines;
}

/* Cuts the line into its four fields; false when it has not exactly four, or one is empty. */
static bool cut_fields(char *line) {
    unsigned tabs = 0;
    for (char *at = line; *at != '\0'; at++) {
        if (*at == '\t') {
            if (at == line || at[-1] == '\0' || at[1] == '\0') {
                return false;
            }
            *at = '\0';
            tabs++;
        } else if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20) {
            return false;
        }
    }
    return tabs == 3;
}

void orders_load(struct orders *orders, const char *path) {
    size_t length;
    orders->text = read_whole(path, &length);
    size_t lines = count_lines(orders->text, length);
    orders->starts = calloc(lines + 1, sizeof *orders->starts);
    if (orders->starts == NULL) {
        fail("%s: too many orders for the memory there is", path);
    }
    char *line = orders->text;
    for (orders->count = 0; orders->count < lines; orders->count++) {
        char *end = strchr(line, '\n');
        if (end == NULL) {
            fail("%s:%zu: a NUL byte", path, orders->count + 1);
        }
        *end = '\0';
        if (!cut_fields(line)) {
            fail("%s:%zu: not `reference amount commerce money`, separated by tabs", path, orders->count + 1);
        }
        orders->starts[orders->count] = (size_t)(line - orders->text);
        line = end + 1;
    }
    if (orders->count == 0) {
        fail("%s: no orders", path);
    }
}

void orders_free(struct orders *orders) {
    free(orders->text);
    free(orders->starts);
    *orders = (struct orders){0};
}

struct order_line orders_at(const struct orders *orders, size_t index) {
    struct order_line order;
    order.reference = orders->text + orders->starts[index];
    order.amount = order.reference + strlen(order.reference) + 1;
    order.commerce = order.amount + strlen(order.amount) + 1;
    order.money = order.commerce + strlen(order.commerce) + 1;
    return order;
}
