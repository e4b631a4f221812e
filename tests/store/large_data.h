/*
 * 100,000 rows in each table that grows. Rows are numbered alike: order N has the reference N and is paid by
 * transaction N, registered as TX-N. Transactions above 90,000 are top-ups.
 */
#ifndef RECAUDO_TESTS_STORE_LARGE_DATA_H
#define RECAUDO_TESTS_STORE_LARGE_DATA_H

void large_data_insert(void);
void large_data_remove(void);

#endif
