#include "edge/sheet.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Follows the request, so that libfcgi finds no further record. */
static char END[8];

int sheet_make(void) {
    return memfd_create("request", MFD_CLOEXEC);
}

bool sheet_lay_out(int sheet, const char *request, size_t size) {
    const struct iovec parts[] = {{(void *)request, size}, {END, sizeof END}};
    return pwritev(sheet, parts, COUNT_OF(parts), 0) == (ssize_t)(size + sizeof END) && lseek(sheet, 0, SEEK_SET) == 0;
}
