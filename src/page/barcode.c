#include "page/barcode.h"

#include "base/log.h"
#include "base/memory.h"

#include <zint.h>

/* The library draws a module, the narrowest bar, two units wide. */
enum { UNITS = 2, RECTANGLE_SIZE = 48 };

static const struct look {
    const char *name; /* id and class of the element */
    int code;         /* the library's constant */
    float height;     /* modules; 0: square */
    int quiet;        /* modules that stay white at the left and right, and for a square above and below */
    const char *aspect;
    int scale; /* pixels per module if there is room: bars of whole widths scan most reliably */
} LOOKS[] = {
    [BARCODE_CODE_128] = {"barcode", BARCODE_CODE128, 50, 10, "none", 3},
    [BARCODE_QR] = {"qr", BARCODE_QRCODE, 0, 4, "xMidYMid", 5},
};

static size_t count_rectangles(const struct zint_vector *vector) {
    size_t count = 0;
    for (const struct zint_vector_rect *bar = vector->rectangles; bar != NULL; bar = bar->next) {
        count++;
    }
    return count;
}

/* Draws all bars as one path, which takes fewer bytes than an element for each. */
static struct text draw_symbol(const struct zint_vector *vector, struct arena *arena) {
    size_t size = count_rectangles(vector) * RECTANGLE_SIZE + 1, used = 0;
    char *path = arena_alloc(arena, size);
    for (const struct zint_vector_rect *bar = vector->rectangles; bar != NULL; bar = bar->next) {
        int width = (int)bar->width;
        used += (size_t)snprintf(path + used, size - used, "M%d %dh%dv%dh-%dz", (int)bar->x, (int)bar->y, width,
                                 (int)bar->height, width);
    }
    return (struct text){path, used};
}

static struct text wrap_svg(const struct look *look, const struct zint_vector *vector, struct text title,
                            struct arena *arena) {
    int beside = look->quiet * UNITS, above = look->height > 0 ? 0 : beside;
    int width = (int)vector->width + 2 * beside, height = (int)vector->height + 2 * above;
    struct text path = draw_symbol(vector, arena);
    return arena_print(arena,
                       "<svg class=\"%s\" role=\"img\" aria-labelledby=\"%s-title\" width=\"%d\" height=\"%d\" "
                       "viewBox=\"%d %d %d %d\" preserveAspectRatio=\"%s\"><title id=\"%s-title\">%.*s</title>"
                       "<path d=\"%.*s\"/></svg>",
                       look->name, look->name, width * look->scale / UNITS, height * look->scale / UNITS, -beside,
                       -above, width, height, look->aspect, look->name, TEXT_ARGS(title), TEXT_ARGS(path));
}

struct text barcode_svg(enum symbology symbology, struct text digits, struct text title, struct arena *arena) {
    const struct look *look = &LOOKS[symbology];
    struct text svg = {NULL, 0};
    struct zint_symbol *symbol = memory_needed(ZBarcode_Create());
    symbol->symbology = look->code;
    symbol->height = look->height;
    symbol->show_hrt = 0;
    if (ZBarcode_Encode_and_Buffer_Vector(symbol, (const unsigned char *)digits.at, (int)digits.size, 0) < ZINT_ERROR) {
        svg = wrap_svg(look, symbol->vector, title, arena);
    } else {
        log_line(LOG_ERROR, "cannot draw a %s: %s", look->name, symbol->errtxt);
    }
    ZBarcode_Delete(symbol);
    return svg;
}
