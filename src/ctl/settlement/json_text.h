/* Text in JSON, for what is printed piece by piece; whole documents are output.h's. */
#ifndef RECAUDO_CTL_SETTLEMENT_JSON_TEXT_H
#define RECAUDO_CTL_SETTLEMENT_JSON_TEXT_H

#include "base/text.h"

/* A string with its quotes, or null for an empty one. `utf8` is valid. */
void json_text_print(FILE *to, struct text utf8);

#endif
