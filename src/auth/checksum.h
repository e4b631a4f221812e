/*
 * Checksums: a digest over field values and a secret, joined with nothing between them (specification,
 * "Authentication").
 *
 * The values are the text as received, byte for byte. Digests are written in lower case and accepted in both.
 */
#ifndef RECAUDO_AUTH_CHECKSUM_H
#define RECAUDO_AUTH_CHECKSUM_H

#include "auth/secret.h"

enum checksum_recipe {
    CHECKSUM_LOOKUP,              /* name reference */
    CHECKSUM_REGISTRATION,        /* name reference amount transaction */
    CHECKSUM_CONFIRMATION,        /* name transaction */
    CHECKSUM_PORDER,              /* email country order money amount: register and change a purchase order */
    CHECKSUM_PORDER_QUERY,        /* order merchant: consult and delete it */
    CHECKSUM_PORDER_REFUND,       /* the word "refund", order merchant amount */
    CHECKSUM_NOTIFICATION_SHA256, /* po_id status; the secret is the NOTIFICATION_HASH */
    CHECKSUM_NOTIFICATION_SHA512, /* the same */
    CHECKSUM_QUERY,               /* reference currency netname timestamp_start */
    CHECKSUM_ANSWER,              /* order amount timestamp_end */
    CHECKSUM_ANSWER_WITH_LIMITS,  /* order amount min max timestamp_end */
    CHECKSUM_RECIPES
};

enum { CHECKSUM_HEX_MAX = 128, FINGERPRINT_SIZE = 32 };

/* For tests: number of values that the recipe takes, in the order named above. */
size_t checksum_part_count(enum checksum_recipe recipe);

/* Writes the digest in lower-case hex and NUL. `parts` has as many elements as the recipe takes. */
void checksum_compute(enum checksum_recipe recipe, const struct text *parts, const struct secret *secret,
                      char out[CHECKSUM_HEX_MAX + 1]);

/* True if `given` is that digest, in either case. The time taken does not depend on where they differ. */
MUST_USE bool checksum_verify(enum checksum_recipe recipe, const struct text *parts, const struct secret *secret,
                              struct text given);

/* SHA-256 over the parts, for transactions.fingerprint. Each part is preceded by its length as 8 bytes in the host's
 * byte order, so that different lists of parts cannot give the same input. All hosts of one database must have the same
 * order. */
void checksum_fingerprint(const struct text *parts, size_t count, unsigned char out[FINGERPRINT_SIZE]);

#endif
