/*
 * What the tests say to tracer.c and allocations.c, and what these have counted: a file that all of them map.
 * control.py has the same structure; the tests write the upper part, while nothing is armed.
 */
#ifndef RECAUDO_TESTS_POINTS_CONTROL_H
#define RECAUDO_TESTS_POINTS_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CALLS_MAX = 4000 };

struct control {
    _Atomic uint32_t armed;  /* 1: system calls count; 2: allocations do */
    _Atomic int32_t process; /* whose; 0: `number` says it for system calls, and allocations count in every process */
    _Atomic uint32_t number; /* of those that the command consists of, in the order in which they began, from 0 */
    _Atomic uint32_t others; /* 0: its first thread's; 1: those of its other threads */
    _Atomic uint32_t begin;  /* count from this system call's first one on, its number plus 1; 0: from the start */
    _Atomic uint32_t only;   /* count this system call alone, its number plus 1; 0: all */
    _Atomic uint32_t at;     /* the one that does not go well, from 1; 0: all do */
    _Atomic int32_t error;   /* what it fails with; 0: the process is killed instead */

    _Atomic uint32_t seen; /* so many have counted */
    _Atomic uint32_t hit;  /* 0: none yet; else the number of the system call at `at`, plus 1 */
    uint32_t calls[CALLS_MAX];
};

enum { ARMED_CALLS = 1, ARMED_ALLOCATIONS = 2 };

#endif
