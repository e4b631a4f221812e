#include "base/process/core_dumps.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

void core_dumps_off(void) {
    if (!IS_SANITIZED) {
        /* First make the process undumpable, because the kernel ignores the limit when it pipes dumps to a handler. */
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        /* May fail: units forbid changing limits, and set this one themselves. */
        setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
    }
}
