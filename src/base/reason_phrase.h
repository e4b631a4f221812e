/* The words beside an HTTP status. */
#ifndef RECAUDO_BASE_REASON_PHRASE_H
#define RECAUDO_BASE_REASON_PHRASE_H

/* Returns the reason phrase of a status that the programs answer with (RFC 9110); "Unknown" for another one. It is
 * never empty: RFC 9112 requires a space after the status code, and web servers send it only if there is a phrase. */
const char *reason_phrase(int status);

#endif
