/* Exit statuses with a meaning of their own. */
#ifndef RECAUDO_BASE_PROCESS_EXIT_STATUS_H
#define RECAUDO_BASE_PROCESS_EXIT_STATUS_H

/* The configuration is invalid, or what it names cannot be used: starting again does not mend it. EX_CONFIG of
 * sysexits.h. */
enum { EXIT_NOT_CONFIGURED = 78 };

#endif
