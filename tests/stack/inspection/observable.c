/*
 * For a program of ours that an ordinary user's test starts: it stays open to that user, who else could neither read
 * its /proc/PID/fd and mem nor set its limits. Only root may look into a process that cannot be dumped.
 */
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int prctl(int option, ...) {
    unsigned long values[4];
    va_list rest;
    va_start(rest, option);
    for (int i = 0; i < 4; i++) {
        values[i] = va_arg(rest, unsigned long);
    }
    va_end(rest);
    return option == PR_SET_DUMPABLE ? 0 : (int)syscall(SYS_prctl, option, values[0], values[1], values[2], values[3]);
}
