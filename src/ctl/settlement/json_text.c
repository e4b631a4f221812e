#include "ctl/settlement/json_text.h"

static bool must_be_escaped(char c) {
    return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

void json_text_print(FILE *to, struct text utf8) {
    if (utf8.size == 0) {
        fputs("null", to);
        return;
    }
    fputc('"', to);
    for (size_t from = 0, at = 0; from < utf8.size; from = at) {
        while (at < utf8.size && !must_be_escaped(utf8.at[at])) {
            at++;
        }
        fwrite(utf8.at + from, 1, at - from, to);
        for (; at < utf8.size && must_be_escaped(utf8.at[at]); at++) {
            bool is_control = (unsigned char)utf8.at[at] < 0x20;
            fprintf(to, is_control ? "\\u%04x" : "\\%c", utf8.at[at]);
        }
    }
    fputc('"', to);
}
