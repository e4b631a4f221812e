/* Reads the networks' three requests and checks them field by field (specification, "Resources and their fields"). */
#ifndef RECAUDO_WIRE_MESSAGES_H
#define RECAUDO_WIRE_MESSAGES_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "wire/fault.h"

struct lookup {
    struct text name, reference, checksum;
};

/* Each returns GRANTED, or a refusal with *fault naming the field. The texts of *out are in the arena. */
enum refusal messages_read_lookup(struct text reference, struct text query, struct arena *arena, struct lookup *out,
                                  struct fault *fault);
enum refusal messages_read_registration(struct text body, struct arena *arena, struct registration *out,
                                        struct fault *fault);
enum refusal messages_read_confirmation(struct text body, struct arena *arena, struct confirmation *out,
                                        struct fault *fault);

#endif
