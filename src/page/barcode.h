/* Barcodes as inline SVG, which needs no further request and prints sharply. */
#ifndef RECAUDO_PAGE_BARCODE_H
#define RECAUDO_PAGE_BARCODE_H

#include "base/arena.h"

enum symbology { BARCODE_CODE_128, BARCODE_QR };

/*
 * Returns the barcode of `digits` with its quiet zone. `title` is HTML (page/html.h), read aloud by screen readers.
 * Returns an empty text if the library failed, which was logged; the reference can still be typed.
 */
struct text barcode_svg(enum symbology symbology, struct text digits, struct text title, struct arena *arena);

#endif
