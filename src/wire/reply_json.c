#include "wire/reply_json.h"

struct reply reply_json_finish(enum refusal refusal, struct text text, struct json_object *data, bool described,
                               struct arena *arena) {
    const struct reply_code *code = reply_code_of(refusal);
    struct json_object *body = json_write_new();
    json_write_text(body, "CODE", text_of(code->code));
    json_write_text(body, "TEXT", text);
    if (described) {
        json_write_text(body, "DESC", text);
    }
    if (data != NULL) {
        json_write_add(body, "DATA", data);
    }
    return (struct reply){.http_status = code->http_status, .code = code->code, .body = json_write_end(body, arena)};
}

struct text reply_refusal_text(enum refusal refusal, const struct fault *fault, struct arena *arena) {
    struct text text = text_of(reply_code_of(refusal)->text);
    if (fault->field != NULL && fault->problem != NULL) {
        struct text problem = fault_explain(fault, arena);
        text = arena_print(arena, "%.*s: %s %.*s", TEXT_ARGS(text), fault->field, TEXT_ARGS(problem));
    }
    return text;
}
