#include "api/call.h"

#include "wire/porder_reply.h"

enum refusal call_refusal_of(enum status status) {
    switch (status) {
    case STATUS_OK:
        return REFUSED_NOT;
    case STATUS_AGAIN:
    case STATUS_UNSURE:
    case STATUS_AWAY:
        return REFUSED_TRY_AGAIN;
    case STATUS_NONE:
    case STATUS_CLASH:
    case STATUS_FAULT:
        return REFUSED_PROCESSING_ERROR;
    }
    return REFUSED_PROCESSING_ERROR;
}

void call_refuse(struct call *call, enum refusal refusal, const struct fault *fault) {
    call->reply = call->by_merchant ? porder_reply_refusal(refusal, fault, call->arena)
                                    : reply_refusal(refusal, fault, call->arena);
}
