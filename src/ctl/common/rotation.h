/* What `network rotate` and `merchant rotate` share: their options, and the replacing of a secret. */
#ifndef RECAUDO_CTL_COMMON_ROTATION_H
#define RECAUDO_CTL_COMMON_ROTATION_H

#include "ctl/common/reason.h"
#include "store/party/sealed_rows.h"

struct rotation {
    bool ends_only;     /* no new secret: the old one is to end */
    duration overlap;   /* so long the one before stays good beside the new one */
    struct text reason; /* may be empty */
};

#define ROTATION_OPTIONS                                                                                               \
    {.name = "overlap", .value = "DURATION", .help = "the one before stays good that long: 24h without this"},         \
        {.name = "now", .help = "only the new one is good from now on, as after a theft"},                             \
        {.name = "end", .help = "no new one: what an earlier rotation left good ends now"}, REASON_OPTION

#define ROTATION_DETAILS                                                                                               \
    "Both secrets are good until old_hash_until; old_hash_used_at says when the old one was used last, to the\n"       \
    "minute. While two are good, a third is refused: --end ends the old one, --now both, and the old one in\n"         \
    "--hash-file returns to it. What ends is refused within 5 seconds: the workers remember secrets that long.\n"      \
    "With --hash-file the command can be repeated: it refuses the current secret, and changes nothing."

/* Reads the options. OUTCOME_MISUSED: they contradict each other, or the duration is malformed. */
enum outcome rotation_read(const struct context *context, struct rotation *out);

struct rotated_secret;

/* How the secret of one kind of owner is changed in the database. Each returns what the function of the store does. */
struct rotation_store {
    enum status (*rotate)(const struct context *context, const struct rotated_secret *secret, struct text sealed,
                          duration overlap);
    enum status (*end_old)(const struct context *context, const struct rotated_secret *secret);
    enum status (*read_until)(const struct context *context, instant *until); /* as stored after the rotation */
    enum outcome (*show)(struct context *context);                            /* prints the owner */
};

/* A secret of a network or merchant whose row was read. */
struct rotated_secret {
    const char *owner_kind;      /* "network" */
    struct text owner;           /* its name */
    const void *owner_was;       /* its description, as it was read */
    uint64_t owner_id;           /* of its row */
    enum sealed_table table;     /* where that is */
    const char *approval;        /* kind of its approval, where a second user has to approve it */
    const char *column;          /* for encryption (auth/vault.h) */
    const char *name;            /* "FIXED_HASH" */
    const char *option;          /* what the command needs to be about it: "", " --notification" */
    const char *key, *until_key; /* in the command's output */
    instant old_until;           /* the end of the old secret that is still valid; 0: none is */
    instant old_used_at;         /* 0: it was not, or nobody can know */
    const struct rotation_store *store;
};

/*
 * Replaces the secret by the one in --hash-file or a new one, and prints it; with --end ends the old secret instead and
 * shows the owner. Refused: there is no old secret to end, the one in --hash-file is the current one, two are valid and
 * a third is to be beside the current one, the owner was changed since it was read, or a second user has to approve it:
 * then it waits, and is printed too.
 */
enum outcome rotation_run(struct context *context, const struct rotation *rotation,
                          const struct rotated_secret *secret);

#endif
