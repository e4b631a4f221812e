/* The first process of recaudo-fcgi: starts the worker processes and starts anew those that die or hang. */
#ifndef RECAUDO_EDGE_SUPERVISE_H
#define RECAUDO_EDGE_SUPERVISE_H

#include "base/clock.h"

/* COMPANION: the place of the process beside the workers. */
enum { EXIT_NOT_CONFIGURED = 78, PROCESSES_MAX = 64, COMPANION = PROCESSES_MAX };

struct supervised;

/* A reload on SIGHUP: what is new is looked at whole before anybody is replaced. */
struct reloading {
    /* Reads it, beside what is in use. False: logged why. *check_time: how long `check` may take. */
    bool (*read)(void *context, duration *check_time);
    /* Whether it can be worked with; in a process of its own, which may connect and wait. False: logged why. */
    bool (*check)(void *context);
    /* What was read is in use from now on; *what follows it. */
    void (*adopt)(void *context, struct supervised *what);
    /* What was read is forgotten. */
    void (*discard)(void *context);
};

struct supervised {
    size_t processes;                               /* 1 to PROCESSES_MAX */
    bool has_companion;                             /* one more, which serves the workers */
    duration hung_after;                            /* above every wait that is right */
    int (*work)(void *context, size_t place);       /* what a process does until it is told to leave; its exit code */
    void (*ended)(void *context, size_t place);     /* one that worked in this place has ended, however */
    uint64_t (*beats)(void *context, size_t place); /* changes while it makes progress; 0: it does not serve yet */
    void (*hung)(void *context);                    /* one is killed because it made no progress */
    struct reloading reload;
    void *context;
};

/*
 * Each process has a place, from 0 to PROCESSES_MAX - 1, that no other one has at the same time; the companion's is
 * COMPANION. It is replaced like the others when it dies or hangs, takes a reload by itself, on SIGHUP, and is stopped
 * after them. Runs `work` in processes until SIGTERM or SIGINT, then stops them with SIGTERM, within 10 s. SIGHUP tells
 * a process to leave while others stay or follow. The caller has blocked these signals, SIGHUP and
 * SIGCHLD. A process that dies is replaced, at once the first time and after a second when it did not live longer than
 * that; one whose beats stand still for hung_after of our own rounds is killed, and replaced. When one exits with
 * EXIT_NOT_CONFIGURED before any has served, all are stopped. After a reload the processes are replaced one after the
 * other, each once the one before it serves; a reload that is refused changes nothing, and is logged and shown with its
 * cause. Tells systemd what it does and feeds its watchdog with each round (edge/service_manager.h). Returns the exit
 * code for main.
 */
int supervise(const struct supervised *supervised);

#endif
