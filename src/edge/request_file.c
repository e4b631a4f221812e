#include "edge/request_file.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Follows the request, so that libfcgi finds no further record. */
static char END[8];

int request_file_make(void) {
    return memfd_create("request", MFD_CLOEXEC);
}

bool request_file_write(int request_file, const char *request, size_t size) {
    const struct iovec parts[] = {{(void *)request, size}, {END, sizeof END}};
    return pwritev(request_file, parts, COUNT_OF(parts), 0) == (ssize_t)(size + sizeof END) &&
           lseek(request_file, 0, SEEK_SET) == 0;
}
