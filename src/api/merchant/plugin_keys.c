#include "api/caller/credentials.h"
#include "api/worker/usecases.h"
#include "wire/merchant/porder_messages.h"
#include "wire/merchant/porder_reply.h"

void plugin_keys_handle(struct call *call) {
    struct plugin_keys keys;
    uint64_t merchant_id;
    enum refusal refusal = porder_messages_read_keys(call->request->body, call->arena, &keys, &call->fault);
    if (refusal == GRANTED) {
        /* The recipe of a notification, with FIXED_HASH as the secret. */
        const struct text parts[] = {keys.order, keys.status};
        const struct proof proof = {PARTY_MERCHANT, keys.merchant, CHECKSUM_NOTIFICATION_SHA256, parts, keys.checksum};
        refusal = credentials_verify(call, &proof, &merchant_id);
    }
    if (refusal == GRANTED) {
        call->reply = porder_reply_plugin_keys(call->arena);
    } else {
        call_refuse(call, refusal, &call->fault);
    }
}
