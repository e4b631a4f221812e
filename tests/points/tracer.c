/*
 * tracer CONTROL COMMAND...: runs COMMAND under ptrace(2) and does at one of its system calls what the file CONTROL
 * says (control.h): the process dies before the call, or the call is not made and fails. Ends as COMMAND does. Needs no
 * right but that of tracing its own children.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MAX = 256, AT_CALLS = SIGTRAP | 0x80 };

#define OPTIONS                                                                                                        \
    (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |     \
     PTRACE_O_EXITKILL)

struct thread {
    pid_t id, process;
    unsigned number;  /* of its process, in the order in which they began */
    int fails_with;   /* the error of the call that it is in; 0: none */
    bool has_begun;   /* its first stop was seen */
    bool has_reached; /* the call that counting begins with */
};

static struct control *control;
static struct thread threads[THREADS_MAX];
static unsigned processes;
static pid_t command;

/* The process of a thread; the thread's own number when it is gone. */
static pid_t process_of(pid_t thread) {
    char path[64], line[128];
    int process = thread;
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && sscanf(line, "Tgid: %d", &process) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return process;
}

static unsigned number_of(pid_t process) {
    for (size_t i = 0; i < THREADS_MAX; i++) {
        if (threads[i].process == process) {
            return threads[i].number;
        }
    }
    return processes++;
}

static struct thread *find_thread(pid_t id) {
    for (size_t i = 0; i < THREADS_MAX; i++) {
        if (threads[i].id == id) {
            return &threads[i];
        }
    }
    return NULL;
}

static struct thread *thread_of(pid_t id) {
    struct thread *found = find_thread(id);
    if (found == NULL) {
        found = find_thread(0);
        if (found == NULL) {
            fprintf(stderr, "tracer: more than %d threads\n", THREADS_MAX);
            exit(2);
        }
        pid_t process = process_of(id);
        unsigned number = number_of(process);
        *found = (struct thread){.id = id, .process = process, .number = number};
    }
    return found;
}

static bool counts(struct thread *thread, uint64_t call) {
    bool is_it = control->armed == ARMED_CALLS && (control->others != 0) == (thread->id != thread->process) &&
                 (control->process != 0 ? thread->process == control->process : thread->number == control->number);
    thread->has_reached = thread->has_reached || control->begin == 0 || call + 1 == control->begin;
    return is_it && thread->has_reached && (control->only == 0 || control->only == call + 1);
}

/* The call is not made. */
static void leave_out(pid_t thread) {
#if defined(__x86_64__)
    ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, orig_rax), -1L);
#elif defined(__aarch64__)
    int none = -1;
    ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &(struct iovec){&none, sizeof none});
#else
#error "say here how a system call is left out"
#endif
}

static void return_error(pid_t thread, int error) {
#if defined(__x86_64__)
    ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, rax), -(long)error);
#elif defined(__aarch64__)
    struct user_regs_struct registers;
    struct iovec all = {&registers, sizeof registers};
    ptrace(PTRACE_GETREGSET, thread, 1 /* NT_PRSTATUS */, &all);
    registers.regs[0] = (uint64_t)-error;
    ptrace(PTRACE_SETREGSET, thread, 1, &all);
#endif
}

static void begins_call(struct thread *thread, uint64_t call) {
    if (!counts(thread, call)) {
        return;
    }
    uint32_t seen = control->seen + 1;
    if (seen <= CALLS_MAX) {
        control->calls[seen - 1] = (uint32_t)call;
    }
    control->seen = seen;
    if (seen != control->at) {
        return;
    }
    leave_out(thread->id);
    thread->fails_with = control->error;
    if (control->error == 0) {
        kill(thread->process, SIGKILL);
    }
    control->hit = (uint32_t)call + 1;
}

static void at_call(struct thread *thread) {
    struct __ptrace_syscall_info about;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->id, sizeof about, &about) <= 0) {
        return; /* it has been killed */
    }
    if (about.op == PTRACE_SYSCALL_INFO_ENTRY) {
        begins_call(thread, about.entry.nr);
    } else if (about.op == PTRACE_SYSCALL_INFO_EXIT && thread->fails_with != 0) {
        return_error(thread->id, thread->fails_with);
        thread->fails_with = 0;
    }
}

/* Returns the signal that the thread goes on with. */
static int note_stop(struct thread *thread, int status) {
    int number = WSTOPSIG(status);
    bool is_first = !thread->has_begun;
    thread->has_begun = true;
    if (number == AT_CALLS) {
        at_call(thread);
        return 0;
    }
    return status >> 16 != 0 || (is_first && number == SIGSTOP) ? 0 : number;
}

/* Until nobody is left; returns how the command ended. */
static int trace(void) {
    int status, end = 0;
    pid_t id;
    while ((id = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (id < 0) {
            continue;
        }
        struct thread *thread = thread_of(id);
        if (WIFSTOPPED(status)) {
            ptrace(PTRACE_SYSCALL, id, 0, (long)note_stop(thread, status));
            continue;
        }
        thread->id = 0;
        if (id == command) {
            end = status;
        }
    }
    return end;
}

static void pass_on(int number) {
    kill(command, number);
}

static struct control *open_control(const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *at = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "tracer: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    close(file);
    return at;
}

static pid_t start(char **words) {
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(words[0], words);
        fprintf(stderr, "tracer: %s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || ptrace(PTRACE_SETOPTIONS, pid, 0, OPTIONS) != 0) {
        fprintf(stderr, "tracer: cannot trace: %s\n", strerror(errno));
        exit(2);
    }
    thread_of(pid)->has_begun = true;
    return pid;
}

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: tracer CONTROL COMMAND...\n");
        return 2;
    }
    control = open_control(words[1]);
    command = start(words + 2);
    signal(SIGTERM, pass_on);
    signal(SIGINT, pass_on);
    signal(SIGHUP, pass_on);
    ptrace(PTRACE_SYSCALL, command, 0, 0);
    int end = trace();
    return WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
}
