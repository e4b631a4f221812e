#include "base/process/private_file.h"

#include <sys/stat.h>

bool private_file_is_closed(int descriptor) {
    struct stat about;
    return fstat(descriptor, &about) == 0 && (about.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) == 0;
}
