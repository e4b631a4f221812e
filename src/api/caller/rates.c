#include "api/caller/rates.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* To be changed with the layout. */
static const uint64_t MAGIC = UINT64_C(0x7265636175727401);

enum { NANOSECONDS_PER_TICK = 1000 };

struct budget {
    _Atomic uint64_t network_id; /* 0: free; once taken it is the network's for ever */
    _Atomic uint64_t whole_at;   /* by the monotonic clock, which all processes share */
};

/* All zero is a file in which nothing has happened, so a new one needs no other beginning. */
struct rates {
    _Atomic uint64_t magic;
    struct budget budgets[RATES_NETWORKS];
};

/* Another program's file is left as it is. Where two processes make a new one together, each may see it half made: all
 * zero. */
static bool is_ours(int fd) {
    struct stat about;
    uint64_t magic = 0;
    return fstat(fd, &about) == 0 && about.st_size <= (off_t)sizeof(struct rates) &&
           pread(fd, &magic, sizeof magic, 0) >= 0 && (magic == 0 || magic == MAGIC);
}

/* NULL: errno says why. Its blocks are allocated, so that a file system that fills up later does no harm. */
static struct rates *map_rates(int fd) {
    errno = is_ours(fd) ? posix_fallocate(fd, 0, sizeof(struct rates)) : EBADMSG;
    if (errno != 0) {
        return NULL;
    }
    struct rates *rates = mmap(NULL, sizeof *rates, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (rates == MAP_FAILED) {
        return NULL;
    }
    atomic_store(&rates->magic, MAGIC);
    return rates;
}

struct rates *rates_open(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct rates *rates = fd < 0 ? NULL : map_rates(fd);
    if (rates == NULL) {
        log_line(LOG_ERROR, "the shared file of rate limits %s cannot be used: %s", path,
                 errno == EBADMSG ? "it holds something else; remove it if nobody needs it" : strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return rates;
}

void rates_close(struct rates *rates) {
    munmap(rates, sizeof *rates);
}

/* The network's budget, else a free one, from its place on; where all are taken, the one in its place. */
static struct budget *budget_of(struct rates *rates, uint64_t network_id) {
    for (size_t i = 0; i < RATES_NETWORKS; i++) {
        struct budget *budget = &rates->budgets[(network_id + i) % RATES_NETWORKS];
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&budget->network_id, &found, network_id) || found == network_id) {
            return budget;
        }
    }
    return &rates->budgets[network_id % RATES_NETWORKS];
}

duration rates_take(struct rates *rates, uint64_t network_id, struct rate rate) {
    struct budget *budget = budget_of(rates, network_id);
    uint64_t whole_at = atomic_load(&budget->whole_at), next, wait;
    do {
        /* Read after whole_at: whoever wrote that has seen an earlier moment. */
        uint64_t now = (uint64_t)clock_monotonic() * NANOSECONDS_PER_TICK;
        wait = rate_judge(rate, now, whole_at, &next);
    } while (wait == 0 && !atomic_compare_exchange_weak(&budget->whole_at, &whole_at, next));
    return (duration)((wait + NANOSECONDS_PER_TICK - 1) / NANOSECONDS_PER_TICK);
}
