/* The network's three requests, read and checked field by field (specification, "Resources and their fields"). */
#ifndef RECAUDO_WIRE_MESSAGES_H
#define RECAUDO_WIRE_MESSAGES_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "wire/fault.h"

struct lookup {
    struct text name, reference, checksum;
};

/* Each returns GRANTED, or the refusal and in *fault which field. The message's texts lie in the arena. */
enum refusal messages_read_lookup(struct text reference, struct text query, struct arena *arena, struct lookup *out,
                                  struct fault *fault);
enum refusal messages_read_registration(struct text body, struct arena *arena, struct registration *out,
                                        struct fault *fault);
enum refusal messages_read_confirmation(struct text body, struct arena *arena, struct confirmation *out,
                                        struct fault *fault);

#endif
