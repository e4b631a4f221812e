/* Certificates for the stub, made with the openssl program in a directory of the test's own. */
#ifndef RECAUDO_TESTS_OUTBOUND_CERTIFICATES_H
#define RECAUDO_TESTS_OUTBOUND_CERTIFICATES_H

/* certificates_begin makes the directory, certificates_end removes it and what is in it. */
void certificates_begin(void);
void certificates_end(void);

/* Makes NAME.pem and NAME.key, signed by itself, for the host (IP:127.0.0.1 or DNS:name). */
void certificates_make(const char *name, const char *host);

/* The path of a file there, until the next call but three. */
const char *certificates_file(const char *name, const char *ending);

#endif
