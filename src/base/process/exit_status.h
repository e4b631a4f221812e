/* Exit statuses that the units in systemd/ know. */
#ifndef RECAUDO_BASE_PROCESS_EXIT_STATUS_H
#define RECAUDO_BASE_PROCESS_EXIT_STATUS_H

/* The configuration is invalid, or what it names cannot be used. Starting again would not help, so the units that serve
 * do not (RestartPreventExitStatus). EX_CONFIG of sysexits.h. */
enum { EXIT_NOT_CONFIGURED = 78 };

#endif
