/* The use cases, one per file: each reads the request, authenticates, runs, and sets call->reply. */
#ifndef RECAUDO_API_WORKER_USECASES_H
#define RECAUDO_API_WORKER_USECASES_H

#include "api/worker/call.h"

/* GET /v1/orders/{reference}: what is due on a reference. */
void lookup_handle(struct call *call);

/* POST /v1/transactions: register a transaction. */
void register_handle(struct call *call);

/* PATCH /v1/transactions: confirm or cancel it. */
void confirm_handle(struct call *call);

/* POST and PATCH /v1/porders: register, change a purchase order. */
void porder_register_handle(struct call *call);
void porder_change_handle(struct call *call);

/* POST /v1/wporders, /v1/wpkeys: requests of the WooCommerce plugin 3.2: register an order, get its settings. */
void plugin_register_handle(struct call *call);
void plugin_keys_handle(struct call *call);

/* GET and DELETE /v1/porders/{order}: consult, delete it. POST /v1/porders/{order}/refund. */
void porder_consult_handle(struct call *call);
void porder_delete_handle(struct call *call);
void porder_refund_handle(struct call *call);

/* GET /pay: the payment slip of an order, as a page. */
void pay_handle(struct call *call);

/*
 * GET /healthz: this process answers. GET /readyz: also, the database is usable (schema, key, writes, rights), and both
 * dispatchers are alive.
 */
void health_handle(struct call *call);
void ready_handle(struct call *call);

/* GET /metrics: metrics for Prometheus (doc/monitoring.md). */
void metrics_handle(struct call *call);

#endif
