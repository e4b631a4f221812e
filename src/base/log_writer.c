#include "base/log_writer.h"

#include "base/condition.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* The time between two writes, unless the lines fill a write or one is an error; and the time after a failed write. */
#define LINGER          (100 * MILLISECOND)
#define AFTER_A_FAILURE SECOND

enum { BUFFER_BYTES = 1 << 20, BATCH_BYTES = PIPE_BUF, HANDLER_STACK_BYTES = 64 * 1024 };

_Static_assert((size_t)LOG_LINE_BYTES <= (size_t)BATCH_BYTES, "every line fits into one write");

/* Guarded by `lock` once the thread has been started. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, written;
    bool wanted;              /* this process or the one it was forked from has called log_writer_start */
    bool runs;                /* the thread exists */
    bool asleep;              /* the thread waits for a first line */
    bool busy;                /* the thread has taken lines and is writing them */
    bool hurry;               /* write the buffered lines at once */
    bool dropping;            /* until the buffer is empty */
    uint64_t dropped;         /* and not yet reported */
    size_t first, used;       /* bytes in the ring buffer */
    _Atomic uint64_t *counts; /* passed to log_writer_start */
    log_dropped_line *print_dropped;
} writer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char buffer[BUFFER_BYTES];

/* Whether lines wait to be written, for the signal handler, which cannot take the lock. */
static atomic_bool has_lines;

/* Whether this is the writing thread, which cannot wait for itself. */
static _Thread_local bool writes_lines;

/* The lines of one write; used by the writing thread only. */
static struct {
    char bytes[BATCH_BYTES];
    size_t size;
    uint64_t told; /* dropped lines that the batch's last line reports; 0: it has no such line */
} batch;

static void count_dropped(uint64_t lines) {
    writer.dropped += lines;
    *writer.counts += lines;
}

static size_t line_size(size_t from) {
    size_t size = 1;
    while (size < BUFFER_BYTES && buffer[(from + size - 1) % BUFFER_BYTES] != '\n') {
        size++;
    }
    return size;
}

static void take_buffered_line(size_t size) {
    for (size_t i = 0; i < size; i++) {
        batch.bytes[batch.size++] = buffer[(writer.first + i) % BUFFER_BYTES];
    }
    writer.first = (writer.first + size) % BUFFER_BYTES;
    writer.used -= size;
}

/* Fills the batch with whole lines. If the buffer is empty then, adds the number of lines dropped after them. */
static void take_batch(void) {
    batch.size = 0;
    batch.told = 0;
    size_t size = writer.used > 0 ? line_size(writer.first) : 0;
    while (size > 0 && batch.size + size <= BATCH_BYTES) {
        take_buffered_line(size);
        size = writer.used > 0 ? line_size(writer.first) : 0;
    }
    if (writer.used == 0 && writer.dropped > 0 && BATCH_BYTES - batch.size >= LOG_LINE_BYTES) {
        batch.told = writer.dropped;
        batch.size += writer.print_dropped(batch.bytes + batch.size, LOG_LINE_BYTES, batch.told);
        writer.dropping = false;
    }
    writer.dropping = writer.dropping && (writer.used > 0 || writer.dropped > 0);
    writer.busy = batch.size > 0;
    writer.hurry = writer.hurry && writer.used > 0;
}

/* Counts the lines that were not written completely, without the line that reports dropped ones. */
static uint64_t lines_after(size_t done) {
    uint64_t lines = 0;
    for (size_t i = done; i < batch.size; i++) {
        lines += batch.bytes[i] == '\n';
    }
    return lines - (batch.told > 0);
}

/* Returns how many bytes were written. Ends a partly written line with the next batch, so that its lines start on a new
 * line. */
static size_t write_batch(void) {
    static bool torn;
    size_t done = 0;
    if (torn) {
        torn = write(STDERR_FILENO, "\n", 1) != 1;
    }
    while (done < batch.size) {
        ssize_t size = write(STDERR_FILENO, batch.bytes + done, batch.size - done);
        if (size >= 0) {
            done += (size_t)size;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            torn = torn || (done > 0 && batch.bytes[done - 1] != '\n');
            return done;
        }
    }
    return done;
}

static bool is_all_written(void) {
    return writer.used == 0 && !writer.busy && !writer.dropping;
}

static void tell_if_all_is_written(void) {
    if (is_all_written()) {
        has_lines = false;
        pthread_cond_broadcast(&writer.written);
    }
}

static void note_written(size_t done) {
    writer.busy = false;
    if (done == batch.size) {
        writer.dropped -= batch.told;
    } else {
        count_dropped(lines_after(done));
    }
    tell_if_all_is_written();
}

static void *run_writer(void *unused) {
    pthread_mutex_lock(&writer.lock);
    writes_lines = true;
    for (;;) {
        take_batch();
        if (batch.size == 0) {
            tell_if_all_is_written();
            writer.asleep = true;
            pthread_cond_wait(&writer.filled, &writer.lock);
            writer.asleep = false;
            continue;
        }
        pthread_mutex_unlock(&writer.lock);
        size_t done = write_batch();
        pthread_mutex_lock(&writer.lock);
        note_written(done);
        if (writer.used < BATCH_BYTES && !writer.hurry) {
            condition_wait(&writer.filled, &writer.lock, done == batch.size ? LINGER : AFTER_A_FAILURE);
        }
    }
    return unused;
}

/* Called with the lock held. The thread blocks all signals, so that they reach the threads that wait for them. */
static void start_thread(void) {
    sigset_t all, before;
    pthread_t thread;
    pthread_cond_init(&writer.filled, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    writer.runs = pthread_create(&thread, NULL, run_writer, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (writer.runs) {
        pthread_detach(thread);
    }
}

static void write_directly(const char *line, size_t size) {
    ssize_t written = write(STDERR_FILENO, line, size);
    (void)written;
}

static void buffer_line(const char *line, size_t size) {
    writer.dropping = writer.dropping || size > BUFFER_BYTES - writer.used;
    if (writer.dropping) {
        count_dropped(1);
        return;
    }
    size_t at = (writer.first + writer.used) % BUFFER_BYTES, to_end = BUFFER_BYTES - at;
    size_t before_end = size < to_end ? size : to_end;
    memcpy(buffer + at, line, before_end);
    memcpy(buffer, line + before_end, size - before_end);
    writer.used += size;
    has_lines = true;
}

void log_writer_put(const char *line, size_t size, bool at_once) {
    pthread_mutex_lock(&writer.lock);
    if (writer.wanted && !writer.runs) {
        start_thread();
    }
    bool runs = writer.runs;
    if (runs) {
        buffer_line(line, size);
        writer.hurry = writer.hurry || at_once;
        if (writer.asleep || writer.hurry || writer.used >= BATCH_BYTES) {
            pthread_cond_signal(&writer.filled);
        }
    }
    pthread_mutex_unlock(&writer.lock);
    if (!runs) {
        write_directly(line, size);
    }
}

static void write_what_is_left(void) {
    duration until = clock_monotonic() + LOG_WRITER_LAST_WAIT, left = LOG_WRITER_LAST_WAIT;
    pthread_mutex_lock(&writer.lock);
    writer.hurry = true;
    while (writer.runs && !is_all_written() && left > 0) {
        pthread_cond_signal(&writer.filled);
        condition_wait(&writer.written, &writer.lock, left < LINGER ? left : LINGER);
        left = until - clock_monotonic();
    }
    pthread_mutex_unlock(&writer.lock);
}

/* Handles a crash, abort(3), and the service manager's SIGABRT to a hanging process. Only waits: the writing thread
 * keeps running and writes what is left. Calls only async-signal-safe functions. */
static void wait_and_die(int number) {
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    for (duration waited = 0; has_lines && !writes_lines && waited < LOG_WRITER_LAST_WAIT; waited += 10 * MILLISECOND) {
        nanosleep(&moment, NULL);
    }
    raise(number);
}

/* The handler has a stack of its own, because the crash may be a stack overflow. Handlers of a sanitizer are kept. */
static void wait_before_death(void) {
    static const int DEADLY[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    static char stack[HANDLER_STACK_BYTES];
    const stack_t apart = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction on_death = {.sa_handler = wait_and_die, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    struct sigaction present;
    sigaltstack(&apart, NULL);
    for (size_t i = 0; i < COUNT_OF(DEADLY); i++) {
        if (sigaction(DEADLY[i], NULL, &present) == 0 && present.sa_handler == SIG_DFL) {
            sigaction(DEADLY[i], &on_death, NULL);
        }
    }
}

static void lock_for_fork(void) {
    pthread_mutex_lock(&writer.lock);
}

static void unlock_in_parent(void) {
    pthread_mutex_unlock(&writer.lock);
}

static void begin_in_child(void) {
    writer.runs = writer.asleep = writer.busy = writer.hurry = writer.dropping = has_lines = false;
    writer.first = writer.used = 0;
    writer.dropped = 0;
    pthread_mutex_unlock(&writer.lock);
}

void log_writer_start(log_dropped_line *print, _Atomic uint64_t *dropped) {
    pthread_mutex_lock(&writer.lock);
    pthread_cond_init(&writer.written, NULL);
    writer.print_dropped = print;
    writer.counts = dropped;
    writer.wanted = true;
    pthread_mutex_unlock(&writer.lock);
    pthread_atfork(lock_for_fork, unlock_in_parent, begin_in_child);
    atexit(write_what_is_left);
    wait_before_death();
}
