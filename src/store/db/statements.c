#include "store/db/statements.h"

static const struct {
    const char *name, *text;
} ALL[STATEMENT_COUNT] = {
#define X(name) {#name, sql_text_of_##name},
    STATEMENTS(X)
#undef X
};

const char *sql_statement_text(enum statement statement) {
    return ALL[statement].text;
}

const char *sql_statement_name(enum statement statement) {
    return ALL[statement].name;
}
