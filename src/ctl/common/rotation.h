/* What the options of `network rotate` and `merchant rotate` say about the secret that is replaced. */
#ifndef RECAUDO_CTL_COMMON_ROTATION_H
#define RECAUDO_CTL_COMMON_ROTATION_H

#include "ctl/core/command.h"

struct rotation {
    bool ends_only;   /* no new secret: the old one is to end */
    duration overlap; /* so long the one before stays good beside the new one */
};

#define ROTATION_OPTIONS                                                                                               \
    {.name = "overlap", .value = "DURATION", .help = "the one before stays good that long: 24h without this"},         \
        {.name = "now", .help = "the one before is good no more from now on, as after a theft"},                       \
        {.name = "end", .help = "no new one: what an earlier rotation left good ends now"}

#define ROTATION_DETAILS                                                                                               \
    "Both secrets are good until old_hash_until; old_hash_used_at says when the old one was used last, as far as a\n"  \
    "minute is looked at. One that was still good from a rotation before ends at once. What ends is refused within\n"  \
    "5 seconds: the workers remember secrets that long."

/* Refused or misused: the options contradict each other, or the duration is none. */
enum outcome rotation_read(const struct context *context, struct rotation *out);

/* Says so when a secret that was good until `until` (0: none was) is good no more because of this rotation. */
void rotation_remark(const char *name_of_secret, instant until);

#endif
