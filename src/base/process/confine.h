/*
 * Denies this process the system calls that it does not need (seccomp), permanently and for all its threads, so that an
 * attacker who takes it over cannot use them. It can no longer start programs, listen, read the memory of other
 * processes or use io_uring.
 */
#ifndef RECAUDO_BASE_PROCESS_CONFINE_H
#define RECAUDO_BASE_PROCESS_CONFINE_H

#include "base/base.h"

enum confinement {
    CONFINED_NETWORK,       /* may connect to the internet; accepts no connections */
    CONFINED_LOCAL,         /* may create unix sockets only, so it reaches no other host; accepts no connections */
    CONFINED_SERVING,       /* accepts connections, and may connect to a database on another host */
    CONFINED_SERVING_LOCAL, /* accepts connections, and may create unix sockets only */
    CONFINED_ASKING         /* accepts connections, and may connect to the internet, but not to unix sockets */
};

/* Call it while the process has one thread. Returns false if the kernel or processor does not support this. The reason
 * has then been logged, and nothing is denied. */
MUST_USE bool confine(enum confinement confinement);

#endif
