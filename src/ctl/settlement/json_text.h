/* Prints text as JSON, for output that is printed piece by piece; output.h prints whole documents. */
#ifndef RECAUDO_CTL_SETTLEMENT_JSON_TEXT_H
#define RECAUDO_CTL_SETTLEMENT_JSON_TEXT_H

#include "base/text.h"

/* Prints a string with its quotes, or null if it is empty. `utf8` must be valid. */
void json_text_print(FILE *to, struct text utf8);

#endif
