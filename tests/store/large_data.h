/*
 * 100,000 rows in each table that grows. The number in them is the row's: order N has the reference N and is paid with
 * transaction N, registered as TX-N; transactions above 90,000 are top-ups.
 */
#ifndef RECAUDO_TESTS_STORE_LARGE_DATA_H
#define RECAUDO_TESTS_STORE_LARGE_DATA_H

void large_data_insert(void);
void large_data_remove(void);

#endif
