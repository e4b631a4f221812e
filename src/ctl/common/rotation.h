/* Options and secret replacement of `network rotate` and `merchant rotate`. */
#ifndef RECAUDO_CTL_COMMON_ROTATION_H
#define RECAUDO_CTL_COMMON_ROTATION_H

#include "ctl/common/reason.h"
#include "store/party/sealed_rows.h"

struct rotation {
    bool ends_only;     /* no new secret: only end the old one */
    duration overlap;   /* for this long the previous secret stays valid */
    struct text reason; /* may be empty */
};

#define ROTATION_OPTIONS                                                                                               \
    {.name = "overlap", .value = "DURATION", .help = "how long the previous secret stays valid: 24h without this"},    \
        {.name = "now", .help = "only the new secret is valid from now on, as after a theft"},                         \
        {.name = "end", .help = "make no new secret: the old one becomes invalid now"}, REASON_OPTION

#define ROTATION_DETAILS                                                                                               \
    "Both secrets are valid until old_hash_until; old_hash_used_at is the last use of the old one, to the minute.\n"   \
    "While two are valid, another rotation is refused: --end ends the old one first, --now ends both, and the old\n"   \
    "one in --hash-file restores it. Workers cache secrets, so a secret that ends is refused after 5 seconds at\n"     \
    "most. With --hash-file the command can be repeated: it refuses the current secret and changes nothing."

/* Reads the options. OUTCOME_MISUSED: they contradict each other, or the duration is malformed. */
enum outcome rotation_read(const struct context *context, struct rotation *out);

struct rotated_secret;

/* How to change the secret of one kind of owner in the database. Each function returns what the store's function
 * returns. */
struct rotation_store {
    enum status (*rotate)(const struct context *context, const struct rotated_secret *secret, struct text sealed,
                          duration overlap);
    enum status (*end_old)(const struct context *context, const struct rotated_secret *secret);
    enum status (*read_until)(const struct context *context, instant *until); /* as stored after the rotation */
    enum outcome (*show)(struct context *context);                            /* prints the owner */
};

/* A secret of a network or merchant whose row has been read. */
struct rotated_secret {
    const char *owner_kind;      /* "network" */
    struct text owner;           /* its name */
    const void *owner_was;       /* its description, as read */
    uint64_t owner_id;           /* of its row */
    enum sealed_table table;     /* the table with that row */
    const char *approval;        /* the approval's kind, if a second user may have to approve the new secret */
    const char *column;          /* for encryption (auth/vault.h) */
    const char *name;            /* "FIXED_HASH" */
    const char *option;          /* the option that makes the command change this secret: "", " --notification" */
    const char *key, *until_key; /* in the command's output */
    instant old_until;           /* the end of the old secret; 0: no old secret is valid */
    instant old_used_at;         /* 0: not used, or unknown */
    const struct rotation_store *store;
};

/*
 * Replaces the secret by the one in --hash-file or a generated one, and prints it. With --end, ends the old secret
 * instead and shows the owner. Refused if
 * - there is no old secret to end
 * - the secret in --hash-file is the current one
 * - two secrets are valid, and the current one would have to stay valid beside a third
 * - the owner was changed since it was read
 * - a second user has to approve the new secret, which is printed and waits.
 */
enum outcome rotation_run(struct context *context, const struct rotation *rotation,
                          const struct rotated_secret *secret);

#endif
