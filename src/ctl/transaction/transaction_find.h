/* Finds a transaction after writing the approval that its closed window implies. */
#ifndef RECAUDO_CTL_TRANSACTION_TRANSACTION_FIND_H
#define RECAUDO_CTL_TRANSACTION_TRANSACTION_FIND_H

#include "ctl/core/command.h"
#include "store/payment/transactions_now.h"

/* As transactions_now_find. If the window of an order's payment has closed, writes the approval first. */
enum status transaction_find(const struct context *context, struct text network, struct text id, struct arena *arena,
                             struct transaction_now *out);

#endif
