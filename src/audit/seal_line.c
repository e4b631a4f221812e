#include "audit/seal_line.h"

#define LINE_BEGINS   "recaudo-seal"
#define RESUME_BEGINS "recaudo-seal-resume"

enum { FIELDS = 11, RESUME_FIELDS = 7, DIGEST_DIGITS = 64, KEY_ID_DIGITS = 16, SIGNATURE_DIGITS = 128 };

struct text seal_line_print(const struct seal_row *seal, struct arena *arena) {
    return arena_print(arena, LINE_BEGINS "\t%llu\t%llu\t%.*s\t%llu\t%llu\t%llu\t%.*s\t%.*s\t%.*s\t%.*s\t%.*s\n",
                       (unsigned long long)seal->form, (unsigned long long)seal->number, TEXT_ARGS(seal->sealed_at),
                       (unsigned long long)seal->first_id, (unsigned long long)seal->last_id,
                       (unsigned long long)seal->count, TEXT_ARGS(seal->late), TEXT_ARGS(seal->events),
                       TEXT_ARGS(seal->digest), TEXT_ARGS(seal->key_id), TEXT_ARGS(seal->signature));
}

static size_t count_tabs(struct text line) {
    size_t count = 0;
    for (size_t i = 0; i < line.size; i++) {
        count += line.at[i] == '\t';
    }
    return count;
}

/* As digests are written: in lower case. */
static bool is_lower_hex(struct text value, size_t digits) {
    for (size_t i = 0; i < value.size; i++) {
        char c = value.at[i];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            return false;
        }
    }
    return value.size == digits;
}

/* A line that was written in part may end within the last two fields. */
static bool has_whole_end(const struct seal_row *seal) {
    return (seal->key_id.size == 0 && seal->signature.size == 0) ||
           (is_lower_hex(seal->key_id, KEY_ID_DIGITS) && is_lower_hex(seal->signature, SIGNATURE_DIGITS));
}

bool seal_line_parse(struct text line, struct seal_row *out) {
    uint64_t *const numbers[FIELDS] = {&out->form, &out->number, NULL, &out->first_id, &out->last_id, &out->count};
    struct text *const texts[FIELDS] = {NULL,       NULL,         &out->sealed_at, NULL,         NULL,           NULL,
                                        &out->late, &out->events, &out->digest,    &out->key_id, &out->signature};
    if (count_tabs(line) != FIELDS || !text_equal(text_cut(&line, '\t'), TEXT(LINE_BEGINS))) {
        return false;
    }
    *out = (struct seal_row){.number = 0};
    for (size_t i = 0; i < FIELDS; i++) {
        struct text field = text_cut(&line, '\t');
        if (texts[i] != NULL) {
            *texts[i] = field;
        } else if (!text_to_number(field, numbers[i])) {
            return false;
        }
    }
    return out->number > 0 && is_lower_hex(out->events, DIGEST_DIGITS) && is_lower_hex(out->digest, DIGEST_DIGITS) &&
           has_whole_end(out);
}

struct text resume_line_print(const struct resume_line *line, struct arena *arena) {
    return arena_print(arena, RESUME_BEGINS "\t1\t%llu\t%.*s\t%.*s\t%.*s\t%.*s\t%.*s\n",
                       (unsigned long long)line->seal.number, TEXT_ARGS(line->seal.sealed_at),
                       TEXT_ARGS(line->seal.digest), TEXT_ARGS(line->at), TEXT_ARGS(line->actor),
                       TEXT_ARGS(line->reason));
}

bool resume_line_parse(struct text line, struct resume_line *out) {
    struct text fields[RESUME_FIELDS] = {TEXT("")};
    if (!text_equal(text_cut(&line, '\t'), TEXT(RESUME_BEGINS))) {
        return false;
    }
    for (size_t i = 0; i < RESUME_FIELDS; i++) {
        fields[i] = text_cut(&line, '\t');
    }
    *out = (struct resume_line){.seal = {.sealed_at = fields[2], .digest = fields[3]},
                                .at = fields[4],
                                .actor = fields[5],
                                .reason = fields[6]};
    return line.size == 0 && text_equal(fields[0], TEXT("1")) && text_to_number(fields[1], &out->seal.number) &&
           is_lower_hex(out->seal.digest, DIGEST_DIGITS) && out->reason.size > 0;
}
