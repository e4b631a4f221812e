#include "api/caller/rates.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Change it with the layout. */
static const uint64_t MAGIC = UINT64_C(0x7265636175727401);

enum { NANOSECONDS_PER_TICK = 1000 };

struct budget {
    _Atomic uint64_t network_id; /* 0: free; a network keeps its budget for ever */
    _Atomic uint64_t whole_at;   /* nanoseconds of the monotonic clock, which all processes share */
};

/* A file of zeros is valid and has no budget in use, so a new file needs no initialisation. */
struct rates {
    _Atomic uint64_t magic;
    struct budget budgets[RATES_NETWORKS];
};

/*
 * Whether the file is new or has our layout; another program's file is not touched. Two processes that create the file
 * at once may both see zeros.
 */
static bool is_ours(int fd) {
    struct stat about;
    uint64_t magic = 0;
    return fstat(fd, &about) == 0 && about.st_size <= (off_t)sizeof(struct rates) &&
           pread(fd, &magic, sizeof magic, 0) >= 0 && (magic == 0 || magic == MAGIC);
}

/*
 * Maps the file. Allocates its blocks, so that a file system that fills up later does no harm. NULL: failed; errno is
 * set.
 */
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

/*
 * Returns the network's budget, or takes a free one; searches from the network's place on. If all are taken, networks
 * share the budget in that place.
 */
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
        /* Read the clock after whole_at, which another process computed from an earlier time. */
        uint64_t now = (uint64_t)clock_monotonic() * NANOSECONDS_PER_TICK;
        wait = rate_judge(rate, now, whole_at, &next);
    } while (wait == 0 && !atomic_compare_exchange_weak(&budget->whole_at, &whole_at, next));
    return (duration)((wait + NANOSECONDS_PER_TICK - 1) / NANOSECONDS_PER_TICK);
}
