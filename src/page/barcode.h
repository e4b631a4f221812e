/* Barcodes as inline SVG, which needs no other request and prints sharply. */
#ifndef RECAUDO_PAGE_BARCODE_H
#define RECAUDO_PAGE_BARCODE_H

#include "base/arena.h"

enum symbology { BARCODE_CODE_128, BARCODE_QR };

/*
 * The symbol of `digits`, with its quiet zone. `title` is HTML (page/html.h) and what people hear who do not see it.
 * Empty when the library could not make it, which has then been logged: the reference can still be typed.
 */
struct text barcode_svg(enum symbology symbology, struct text digits, struct text title, struct arena *arena);

#endif
