/* The first process of recaudo-fcgi: starts the worker processes and replaces those that die or hang. */
#ifndef RECAUDO_EDGE_SUPERVISE_H
#define RECAUDO_EDGE_SUPERVISE_H

#include "base/clock.h"
#include "base/process/exit_status.h"

#include <signal.h>

/* COMPANION: the place of recaudo-query, which runs beside the workers. */
enum { PROCESSES_MAX = 64, COMPANION = PROCESSES_MAX };

struct supervised;

/* A reload on SIGHUP. The new settings are checked completely before any process is replaced. */
struct reloading {
    /* Reads the new settings, beside those in use. *check_time: the longest time of `check`. False: failed; the reason
     * is logged. */
    bool (*read)(void *context, duration *check_time);
    /* Checks the new settings, in a separate process, which may connect and wait. False: refused; the reason is logged.
     */
    bool (*check)(void *context);
    /* Puts the new settings into use and updates *what accordingly. */
    void (*adopt)(void *context, struct supervised *what);
    /* Drops the new settings. */
    void (*discard)(void *context);
};

struct supervised {
    size_t processes;                         /* 1 to PROCESSES_MAX */
    bool has_companion;                       /* one more process, which serves the workers */
    bool is_followed;                         /* the service may be started again with what the processes leave */
    duration hung_after;                      /* longer than every legitimate wait */
    int (*work)(void *context, size_t place); /* runs a process until it is told to leave; its exit code */
    /* The process in this place has ended. died: neither a stop nor a reload told it to. */
    void (*ended)(void *context, size_t place, bool died);
    uint64_t (*beats)(void *context, size_t place); /* changes while it makes progress; 0: not serving yet */
    void (*hung)(void *context);                    /* a process is killed because it made no progress */
    struct reloading reload;
    void *context;
};

/* The signals that supervise waits for. */
sigset_t supervise_signals(void);

/*
 * Runs `work` in processes until SIGTERM or SIGINT. Then stops them with SIGTERM, or with SIGHUP if the service is
 * followed, and after 10 s with SIGKILL. SIGHUP tells a process to leave while others stay or follow. The caller has
 * blocked supervise_signals.
 * Each process has a place from 0 to PROCESSES_MAX - 1 that no other process has at the same time. The companion's is
 * COMPANION. It is replaced like the others, reloads by itself on SIGHUP, and is stopped after them.
 * A process that dies is replaced at once, or after a second if it lived no longer than that. A process whose beats
 * stand still for hung_after, as counted by our own rounds, is killed and replaced. If one exits with
 * EXIT_NOT_CONFIGURED before any has served, all are stopped.
 * After a reload the processes are replaced one after the other, each once the one before it serves. A refused reload
 * changes nothing; it is logged and shown with its cause.
 * Tells systemd what it does and feeds its watchdog with each round (edge/service_manager.h). Returns the exit code for
 * main.
 */
int supervise(const struct supervised *supervised);

#endif
