/* Can the web server's certificate be watched? */
#ifndef RECAUDO_API_MONITORING_CERTIFICATE_CHECK_H
#define RECAUDO_API_MONITORING_CERTIFICATE_CHECK_H

/* Logs a warning if the file cannot be read; no more, because nothing is served with it. NULL: there is none. */
void certificate_check(const char *path);

#endif
