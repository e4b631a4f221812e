/* The first process of recaudo-fcgi: starts the worker processes and starts anew those that die. */
#ifndef RECAUDO_EDGE_SUPERVISE_H
#define RECAUDO_EDGE_SUPERVISE_H

#include "base/base.h"

enum { EXIT_NOT_CONFIGURED = 78, PROCESSES_MAX = 64 };

struct supervised {
    size_t processes;                                 /* 1 to PROCESSES_MAX */
    int (*work)(void *context, size_t place);         /* what a process does, until SIGTERM; its exit code */
    void (*ended)(void *context, size_t place);       /* one that worked in this place has ended, however */
    bool (*reload)(void *context, size_t *processes); /* on SIGHUP; false: all goes on as before */
    void *context;
};

/*
 * Each process has a place, from 0 to PROCESSES_MAX - 1, that no other one has at the same time. Runs `work` in processes until SIGTERM or SIGINT, then stops them, within 10 s. The caller has blocked these signals, SIGHUP and SIGCHLD. A
 * process that dies is replaced, at once the first time and after a second when it did not live longer than that. When one exits with
 * EXIT_NOT_CONFIGURED all are stopped. After a reload the processes are replaced one after the other, so that some always serve.
 * Tells systemd what it does and feeds its watchdog (edge/service_manager.h). Returns the exit code for main.
 */
int supervise(const struct supervised *supervised);

#endif
