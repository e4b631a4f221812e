#include "api/caller/admission.h"
#include "api/caller/rates.h"

bool admission_read(const struct party_row *row, duration asked_at, struct admission *out) {
    struct text offender;
    out->rate = row->rate;
    out->ids_are_distinct = row->ids_are_distinct;
    out->plain_until = asked_at + row->plain_for;
    out->signature = row->signature;
    bool valid = address_list_parse(row->allow, &out->allowed, &offender);
    if (!valid) {
        log_line(LOG_ERROR, "allow_addresses of network %llu: not an address range, or one too many: %.*s",
                 (unsigned long long)row->id, TEXT_ARGS(offender));
    }
    return valid;
}

static bool is_allowed(const struct call *call, const struct address_list *allowed) {
    struct address address;
    return allowed->count == 0 ||
           (address_parse(call->request->address, &address) && address_list_has(allowed, &address));
}

static void log_stranger(const struct call *call) {
    char network[200], address[100];
    log_line(LOG_WARNING, "network=\"%s\" address=\"%s\": a right checksum from an address that is not allowed",
             log_quote(call->caller, network, sizeof network),
             log_quote(call->request->address, address, sizeof address));
}

enum refusal admission_judge(struct call *call, uint64_t network_id, const struct admission *admission) {
    call->new_ids_are_distinct = admission->ids_are_distinct;
    call->known_ids_are_distinct = admission->ids_are_distinct && clock_monotonic() >= admission->plain_until;
    if (!is_allowed(call, &admission->allowed)) {
        log_stranger(call);
        call->fault = (struct fault){.field = "this address", .problem = "is not on the network's list"};
        return REFUSED_NOT_AUTHORISED;
    }
    if (admission->rate.per_second == 0) {
        return GRANTED;
    }
    duration wait = rates_take(call->service->rates, network_id, admission->rate);
    call->retry_after = (uint64_t)((wait + SECOND - 1) / SECOND);
    return wait == 0 ? GRANTED : REFUSED_TOO_MANY;
}
