/*
 * Takes away from this process what it does not need of the kernel (seccomp): for ever, for all its threads, and
 * whatever somebody who takes it over does. It cannot start programs, be connected to, read other processes' memory or
 * use io_uring.
 */
#ifndef RECAUDO_BASE_PROCESS_CONFINE_H
#define RECAUDO_BASE_PROCESS_CONFINE_H

#include "base/base.h"

enum confinement {
    CONFINED_NETWORK, /* it may connect to the internet */
    CONFINED_LOCAL    /* it may make unix sockets only: no other family, so it reaches nothing outside this host */
};

/* To be called while the process has one thread. False: this kernel or processor cannot; logged, and nothing was taken
 * away. */
MUST_USE bool confine(enum confinement confinement);

#endif
