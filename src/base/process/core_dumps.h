/* Keeps keys, secrets and passwords in memory out of core dumps. */
#ifndef RECAUDO_BASE_PROCESS_CORE_DUMPS_H
#define RECAUDO_BASE_PROCESS_CORE_DUMPS_H

/*
 * Disables core dumps of this process and its children, and keeps other processes of the same user from tracing them or
 * reading their memory. Does nothing in builds with a sanitizer, which must trace the process itself to find leaks.
 */
void core_dumps_off(void);

#endif
