/* Checks that the web server's certificate can be monitored. */
#ifndef RECAUDO_API_MONITORING_CERTIFICATE_CHECK_H
#define RECAUDO_API_MONITORING_CERTIFICATE_CHECK_H

/* Logs a warning if the file cannot be read. No error: our processes do not use it. NULL: not configured. */
void certificate_check(const char *path);

#endif
