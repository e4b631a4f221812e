/* The merchant's requests about purchase orders, read and checked field by field (doc/protocol.md, "Merchant orders").
 */
#ifndef RECAUDO_WIRE_MERCHANT_PORDER_MESSAGES_H
#define RECAUDO_WIRE_MERCHANT_PORDER_MESSAGES_H

#include "base/arena.h"
#include "domain/porder.h"
#include "wire/fault.h"

/* Each returns GRANTED, or a refusal with *fault naming the field. The message's texts are in the arena. */

/* The body of register and change. */
enum refusal porder_messages_read(struct text body, struct arena *arena, struct porder_request *out,
                                  struct fault *fault);

/* The body of wporders, which the WooCommerce plugin 3.2 sends: country and money may be absent. */
enum refusal porder_messages_read_plugin(struct text body, struct arena *arena, struct porder_request *out,
                                         struct fault *fault);

/* The body of wpkeys. */
enum refusal porder_messages_read_keys(struct text body, struct arena *arena, struct plugin_keys *out,
                                       struct fault *fault);

/* Consult and delete: the order in the path, and the query string. */
enum refusal porder_messages_read_query(struct text order, struct text query, struct arena *arena,
                                        struct porder_query *out, struct fault *fault);

/* The body of a refund, whose order must be that in the path. */
enum refusal porder_messages_read_refund(struct text order, struct text body, struct arena *arena,
                                         struct porder_refund *out, struct fault *fault);

#endif
