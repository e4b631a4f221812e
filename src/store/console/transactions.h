/* Transactions for the console. */
#ifndef RECAUDO_STORE_CONSOLE_TRANSACTIONS_H
#define RECAUDO_STORE_CONSOLE_TRANSACTIONS_H

#include "store/console/reader.h"
#include "store/payment/transactions_now.h"

/* Finds a transaction by IDSERVICE. STATUS_NONE: there is none, or it is out of the reader's scope. */
enum status console_transactions_find(const struct console_reader *reader, uint64_t id, struct transaction_now *out);

/* Calls `each` for the transactions that have this id at a network. */
enum status console_transactions_search(const struct console_reader *reader, struct text network_transaction,
                                        void (*each)(void *context, const struct transaction_now *transaction),
                                        void *context);

/* Calls `each` for the newest top-ups of the account with this document number. Only for readers of everything. */
enum status console_transactions_of_document(const struct console_reader *reader, struct text document,
                                             void (*each)(void *context, const struct transaction_now *transaction),
                                             void *context);

/* Calls `each` for the first 200 transactions of an order, oldest first. */
enum status console_transactions_of_order(const struct console_reader *reader, uint64_t order_id,
                                          void (*each)(void *context, const struct transaction_now *transaction),
                                          void *context);

/* Lists transactions, newest first; of one merchant, by its orders, newest order first. */
enum status console_transactions_list(const struct console_reader *reader, const struct console_filter *filter,
                                      struct console_place *place,
                                      bool (*each)(void *context, const struct transaction_now *transaction),
                                      void *context);

#endif
