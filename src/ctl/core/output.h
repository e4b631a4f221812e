/* Prints records on standard output: one JSON document for scripts, or tables and aligned lines for people. */
#ifndef RECAUDO_CTL_CORE_OUTPUT_H
#define RECAUDO_CTL_CORE_OUTPUT_H

#include "ctl/core/record.h"

/* Selects a UTF-8 locale, so that tables are aligned. Call it once, at the start. */
void output_prepare(void);

void output_record(const struct record *record, bool json);
void output_list(const struct record_list *list, bool json);

/* Returns false if a part of the output could not be written. */
MUST_USE bool output_finish(void);

/* Whether that is because nobody reads any more: `recaudoctl ... | head -1`. */
bool output_has_no_reader(void);

#endif
