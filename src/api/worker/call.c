#include "api/worker/call.h"

#include "page/document.h"
#include "page/notice.h"
#include "wire/field.h"
#include "wire/merchant/porder_reply.h"
#include "wire/reply_code.h"

enum status call_take_connection(const struct call *call, struct connection **out) {
    return pool_take_until(call->service->pool, call->deadline, out);
}

enum refusal call_refusal_of(enum status status) {
    switch (status) {
    case STATUS_OK:
        return GRANTED;
    case STATUS_CHANGED:
    case STATUS_CLASH:
    case STATUS_AGAIN:
    case STATUS_FULL:
    case STATUS_UNSURE:
    case STATUS_AWAY:
        return REFUSED_TRY_AGAIN;
    case STATUS_LIMIT:
        return REFUSED_NETWORK_LIMIT;
    case STATUS_NONE:
    case STATUS_FAULT:
        return REFUSED_PROCESSING_ERROR;
    }
    return REFUSED_PROCESSING_ERROR;
}

struct text call_actor(const struct call *call) {
    if (call->by_customer) {
        return TEXT("slip");
    }
    return arena_print(call->arena, "%s:%.*s", call->by_merchant ? "merchant" : "network", TEXT_ARGS(call->caller));
}

void call_reply_page(struct call *call, enum refusal refusal, struct text page) {
    const struct reply_code *code = reply_code_of(refusal);
    call->reply = (struct reply){.http_status = code->http_status,
                                 .code = code->code,
                                 .body = page,
                                 .content_type = document_content_type,
                                 .headers = document_headers};
}

/* The same for an unknown name and a wrong checksum. */
static const struct fault WRONG_CHECKSUM = {.field = "checksum", .problem = FORM_CHECKSUM};

void call_refuse(struct call *call, enum refusal refusal, const struct fault *fault) {
    if (call->by_customer) {
        call_reply_page(call, refusal, notice_page(refusal, call->arena));
        return;
    }
    if (refusal == REFUSED_CHECKSUM && fault->field == NULL) {
        fault = &WRONG_CHECKSUM;
    }
    call->reply = call->by_merchant ? porder_reply_refusal(refusal, fault, call->arena)
                                    : reply_refusal(refusal, fault, call->arena);
}
