/* Transactions as records. */
#ifndef RECAUDO_CTL_TRANSACTION_TRANSACTION_RECORDS_H
#define RECAUDO_CTL_TRANSACTION_TRANSACTION_RECORDS_H

#include "ctl/core/record.h"
#include "store/payment/transactions_now.h"

/* What a list shows of each transaction. */
void transaction_records_summary(struct record *record, const struct transaction_now *transaction);

/* The instants of its life. */
void transaction_records_instants(struct record *record, const struct transaction_now *transaction);

/* Everything that stands in the transaction's row. */
void transaction_records_whole(struct record *record, const struct transaction_now *transaction);

#endif
