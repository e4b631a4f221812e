/* The names of the tests. The program's own getaddrinfo stands before the system's, so that no test asks a name
 * server. */
#ifndef RECAUDO_TESTS_OUTBOUND_NAMES_H
#define RECAUDO_TESTS_OUTBOUND_NAMES_H

/* From now on the name has these addresses, with spaces between; NULL: looking it up takes until names_release. All
 * others: none. */
void names_set(const char *name, const char *addresses);

void names_release(void);

#endif
