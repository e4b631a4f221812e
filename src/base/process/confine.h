/*
 * Denies this process the system calls that it does not need (seccomp), permanently and for all its threads, so that an
 * attacker who takes it over cannot use them. It can no longer start programs, listen, read the memory of other
 * processes or use io_uring.
 */
#ifndef RECAUDO_BASE_PROCESS_CONFINE_H
#define RECAUDO_BASE_PROCESS_CONFINE_H

#include "base/base.h"

enum confinement {
    CONFINED_NETWORK, /* it may connect to the internet, and accepts nothing */
    CONFINED_LOCAL,   /* it may create unix sockets only, so it reaches nothing outside this host; accepts nothing */
    CONFINED_SERVING, /* it accepts connections, and may connect to a database on another host */
    CONFINED_SERVING_LOCAL, /* it accepts connections, and may create unix sockets only */
    CONFINED_ASKING         /* it accepts connections, and may connect to the internet, but to no unix socket */
};

/* Call it while the process has one thread. False: the kernel or processor does not support this; it was logged, and
 * nothing is denied. */
MUST_USE bool confine(enum confinement confinement);

#endif
