#include "api/caller/credentials.h"

#include "api/caller/changeover.h"
#include "api/caller/request_signature.h"
#include "base/hex.h"
#include "store/party/merchants.h"
#include "store/party/networks.h"

enum { NAME_SIZE = 256 };

static const struct {
    const char *word, *column;
    size_t cache; /* offset in struct service */
    enum status (*find)(struct connection *connection, struct text name, struct arena *arena, struct party_row *out);
} PARTIES[] = {
    [PARTY_NETWORK] = {"network", SECRET_OF_NETWORK, offsetof(struct service, network_credentials), networks_find},
    [PARTY_MERCHANT] = {"merchant", SECRET_OF_MERCHANT, offsetof(struct service, merchant_credentials), merchants_find},
};

static struct cache *cache_of(struct service *service, enum party party) {
    return *(struct cache **)((char *)service + PARTIES[party].cache);
}

static enum status load_credential(struct call *call, enum party party, struct text name, duration asked_at,
                                   struct credential *out) {
    struct service *service = call->service;
    struct connection *connection;
    struct party_row row;
    enum status status = call_take_connection(call, &connection);
    if (status != STATUS_OK) {
        return status;
    }
    status = PARTIES[party].find(connection, name, call->arena, &row);
    pool_give(service->pool, connection);
    if (status != STATUS_OK) {
        return status;
    }
    out->id = row.id;
    out->enabled = row.enabled;
    out->country = row.country;
    if (!secret_pair_open(service->vault, PARTIES[party].column, name, &row.sealed_hash, asked_at, &out->fixed_hash)) {
        char quoted[NAME_SIZE];
        log_line(LOG_ERROR, "the FIXED_HASH of %s %s " SECRET_UNOPENED, PARTIES[party].word,
                 log_quote(name, quoted, sizeof quoted));
        return STATUS_FAULT;
    }
    return admission_read(&row, asked_at, &out->admission) ? STATUS_OK : STATUS_FAULT;
}

/* Reads the credential from the database and caches it. */
static enum status read_credential(struct call *call, enum party party, struct text name, struct credential *out) {
    duration asked_at = clock_monotonic();
    enum status status = load_credential(call, party, name, asked_at, out);
    if (status == STATUS_OK) {
        cache_put(cache_of(call->service, party), name, asked_at, out);
    }
    return status;
}

/*
 * Verifies the checksum, then the signature. Only callers that know the secret are told what is wrong with a signature.
 * Wipes the secrets.
 */
static enum secret_used verify(struct call *call, const struct proof *proof, struct credential *credential,
                               bool *is_signed) {
    duration now = clock_monotonic();
    enum secret_used used =
        secret_pair_verify(proof->recipe, proof->parts, &credential->fixed_hash, now, proof->checksum);
    *is_signed = used != SECRET_NONE &&
                 request_signature_judge(call, credential->admission.signature, &credential->fixed_hash, now);
    secret_pair_wipe(&credential->fixed_hash);
    return used;
}

/* The caller is told what its own request shows, and nothing about names and secrets. */
static enum refusal refuse_checksum(struct call *call, struct text given) {
    unsigned char bytes[CHECKSUM_HEX_MAX / 2];
    if (!hex_read(given, bytes, sizeof bytes)) {
        call->fault = (struct fault){.field = "checksum", .problem = "must be the 128 hex digits of a SHA512"};
    }
    return REFUSED_CHECKSUM;
}

static enum refusal refuse_disabled(struct call *call, enum party party) {
    call->fault = (struct fault){.field = arena_print(call->arena, "this %s", PARTIES[party].word).at,
                                 .problem = "is disabled",
                                 .remedy = "ask the operator"};
    return REFUSED_NOT_AUTHORISED;
}

/*
 * Verifies the proof with the remembered credential, and if that fails, with the stored one, because a secret may have
 * been replaced since. Returns the status of reading. Verifies for an unknown name too, and any failure costs a round
 * trip, so that response time does not reveal which names exist.
 */
static enum status read_and_verify(struct call *call, const struct proof *proof, struct credential *credential,
                                   enum secret_used *used, bool *is_signed) {
    enum status status = STATUS_OK;
    bool remembered = cache_get(cache_of(call->service, proof->party), proof->name, credential);
    if (!remembered) {
        status = read_credential(call, proof->party, proof->name, credential);
    }
    *used = verify(call, proof, credential, is_signed);
    if (!*is_signed && remembered) {
        status = read_credential(call, proof->party, proof->name, credential);
        call->fault = (struct fault){0};
        *used = verify(call, proof, credential, is_signed);
    }
    return status;
}

/* Judges a caller whose checksum is valid. */
static enum refusal judge_caller(struct call *call, const struct proof *proof, const struct credential *credential,
                                 enum secret_used used, bool is_signed) {
    if (used == SECRET_OLD) {
        changeover_old_secret_used(call, proof->party, credential->id, proof->name);
    }
    call->caller = proof->name;
    call->merchant_country = credential->country;
    if (!is_signed) {
        return REFUSED_CHECKSUM;
    }
    if (credential->admission.signature == SIGNATURE_ACCEPTED && request_signature_is_absent(call->request)) {
        changeover_request_unsigned(call, credential->id, proof->name);
    }
    if (!credential->enabled) {
        return refuse_disabled(call, proof->party);
    }
    return admission_judge(call, credential->id, &credential->admission);
}

static enum refusal verify_caller(struct call *call, const struct proof *proof, struct credential *credential) {
    enum secret_used used;
    bool is_signed;
    enum status status = read_and_verify(call, proof, credential, &used, &is_signed);
    if (status == STATUS_NONE) {
        return refuse_checksum(call, proof->checksum);
    }
    if (status != STATUS_OK) {
        bool is_known = cache_knows(cache_of(call->service, proof->party), proof->name);
        call->said_name = is_known ? proof->name : TEXT("");
        return call_refusal_of(status);
    }
    if (used == SECRET_NONE) {
        call->said_name = proof->name;
        return refuse_checksum(call, proof->checksum);
    }
    return judge_caller(call, proof, credential, used, is_signed);
}

enum refusal credentials_verify(struct call *call, const struct proof *proof, uint64_t *id) {
    struct credential credential = {0};
    enum refusal refusal = verify_caller(call, proof, &credential);
    *id = credential.id;
    if (proof->party == PARTY_NETWORK && credential.enabled &&
        (refusal == REFUSED_CHECKSUM || refusal == REFUSED_NOT_AUTHORISED)) {
        counters_note_refused(call->service->counters, refusal, credential.id);
    }
    if (proof->party == PARTY_NETWORK && refusal == GRANTED) {
        counters_note_served(call->service->counters, credential.id);
    }
    return refusal;
}
