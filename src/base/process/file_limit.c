#include "base/process/file_limit.h"

#include <sys/resource.h>

size_t file_limit_raise(size_t reserved) {
    struct rlimit limit = {0};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    const struct rlimit raised = {limit.rlim_max, limit.rlim_max};
    if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) {
        limit = raised;
    }
    return limit.rlim_cur > 2 * reserved ? limit.rlim_cur - reserved : limit.rlim_cur / 2;
}
