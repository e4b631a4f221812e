#include "api/network/transaction_id.h"

#include "domain/signing.h"

static enum refusal judge_id(struct call *call, struct text transaction, bool must_be_distinct) {
    if (!must_be_distinct || transaction_id_is_distinct(transaction)) {
        return GRANTED;
    }
    call->fault = (struct fault){.field = "transaction",
                                 .problem = "needs a character that no reference has, such as a point (T.1): "
                                            "otherwise the checksum of a lookup could confirm it"};
    return REFUSED_FIELD;
}

enum refusal transaction_id_judge_new(struct call *call, struct text transaction) {
    return judge_id(call, transaction, call->new_ids_are_distinct);
}

enum refusal transaction_id_judge_known(struct call *call, struct text transaction) {
    return judge_id(call, transaction, call->known_ids_are_distinct);
}
