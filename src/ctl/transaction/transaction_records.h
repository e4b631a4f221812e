/* Shows transactions as records. */
#ifndef RECAUDO_CTL_TRANSACTION_TRANSACTION_RECORDS_H
#define RECAUDO_CTL_TRANSACTION_TRANSACTION_RECORDS_H

#include "ctl/core/record.h"
#include "store/payment/transactions_now.h"

/* Adds the fields that a list shows. */
void transaction_records_summary(struct record *record, const struct transaction_now *transaction);

/* Adds the instants of its changes of state. */
void transaction_records_instants(struct record *record, const struct transaction_now *transaction);

/* Adds all fields of the transaction's row. */
void transaction_records_whole(struct record *record, const struct transaction_now *transaction);

#endif
