/* Keeps keys, secrets and passwords in memory out of core dumps. */
#ifndef RECAUDO_BASE_PROCESS_CORE_DUMPS_H
#define RECAUDO_BASE_PROCESS_CORE_DUMPS_H

/*
 * From now on this process and those it forks leave no core dump, and other processes of the same user can neither
 * trace them nor read their memory. No effect in builds with a sanitizer, which must trace themselves to find leaks.
 */
void core_dumps_off(void);

#endif
