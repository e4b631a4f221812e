#include "base/process/confine.h"

#include "base/log.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define OUR_ARCHITECTURE 0
#endif

/* On x86-64 the x32 ABI repeats the system calls, with this bit set. */
#define X32_CALLS 0x40000000U

/* The leak check at the end of a process uses ptrace. */
#ifdef __SANITIZE_ADDRESS__
#define PTRACE_CALL SYS_execve
#else
#define PTRACE_CALL SYS_ptrace
#endif

static const unsigned DENIED[] = {
    SYS_execve,      SYS_execveat,       PTRACE_CALL,        SYS_process_vm_readv,  SYS_process_vm_writev,
    SYS_listen,      SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf,
    SYS_userfaultfd, SYS_pidfd_getfd,
};

static const unsigned DENIED_TO_CLIENTS[] = {SYS_accept, SYS_accept4};

/* Differences between the kinds of confinement. */
static const struct {
    bool accepts;
    int only_family;    /* AF_UNSPEC: any */
    int no_such_family; /* AF_UNSPEC: none */
} MAY[] = {[CONFINED_NETWORK] = {false, AF_UNSPEC, AF_UNSPEC},
           [CONFINED_LOCAL] = {false, AF_UNIX, AF_UNSPEC},
           [CONFINED_SERVING] = {true, AF_UNSPEC, AF_UNSPEC},
           [CONFINED_SERVING_LOCAL] = {true, AF_UNIX, AF_UNSPEC},
           [CONFINED_ASKING] = {true, AF_UNSPEC, AF_UNIX}};

struct program {
    struct sock_filter steps[2 * (COUNT_OF(DENIED) + COUNT_OF(DENIED_TO_CLIENTS)) + 16];
    unsigned short count;
};

static void add_rule(struct program *program, struct sock_filter step) {
    program->steps[program->count++] = step;
}

static void load_filter(struct program *program, size_t offset) {
    add_rule(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void end_filter(struct program *program, unsigned verdict) {
    add_rule(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/* Executes the next step only if the loaded word equals `value`. */
static void only_if(struct program *program, unsigned value) {
    add_rule(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
}

static void only_if_not(struct program *program, unsigned value) {
    add_rule(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
}

static void only_from(struct program *program, unsigned value) {
    add_rule(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1));
}

static void deny(struct program *program, const unsigned *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        only_if(program, calls[i]);
        end_filter(program, SECCOMP_RET_ERRNO | EPERM);
    }
}

static void write_program(struct program *program, enum confinement confinement) {
    load_filter(program, offsetof(struct seccomp_data, arch));
    only_if_not(program, OUR_ARCHITECTURE);
    end_filter(program, SECCOMP_RET_KILL_PROCESS);
    load_filter(program, offsetof(struct seccomp_data, nr));
    only_from(program, X32_CALLS);
    end_filter(program, SECCOMP_RET_KILL_PROCESS);
    deny(program, DENIED, COUNT_OF(DENIED));
    if (!MAY[confinement].accepts) {
        deny(program, DENIED_TO_CLIENTS, COUNT_OF(DENIED_TO_CLIENTS));
    }
    only_if_not(program, SYS_socket);
    end_filter(program, SECCOMP_RET_ALLOW);
    load_filter(program, offsetof(struct seccomp_data, args));
    if (MAY[confinement].only_family != AF_UNSPEC) {
        only_if_not(program, (unsigned)MAY[confinement].only_family);
        end_filter(program, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    }
    if (MAY[confinement].no_such_family != AF_UNSPEC) {
        only_if(program, (unsigned)MAY[confinement].no_such_family);
        end_filter(program, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    }
    end_filter(program, SECCOMP_RET_ALLOW);
}

/* Applies the filter to all threads. If a systemd unit forbids seccomp(), uses prctl(), which affects this thread and
 * those that it starts later. */
static bool apply_filter(const struct sock_fprog *filter) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter) == 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter, 0, 0) == 0;
}

bool confine(enum confinement confinement) {
    struct program program = {.count = 0};
    write_program(&program, confinement);
    const struct sock_fprog filter = {.len = program.count, .filter = program.steps};
    errno = ENOSYS;
    if (OUR_ARCHITECTURE == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !apply_filter(&filter)) {
        log_line(LOG_WARNING, "this process is not confined (seccomp: %s)", strerror(errno));
        return false;
    }
    return true;
}
