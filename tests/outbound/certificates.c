#include "certificates.h"

#include "base/base.h"

#include <check.h>
#include <ftw.h>
#include <unistd.h>

static char directory[64];

void certificates_begin(void) {
    snprintf(directory, sizeof directory, "/tmp/recaudo-outbound-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

void certificates_end(void) {
    ck_assert_int_eq(nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void certificates_make(const char *name, const char *host) {
    char command[512];
    snprintf(command, sizeof command,
             "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
             " -addext subjectAltName=%s -keyout %s/%s.key -out %s/%s.pem 2>%s/log",
             host, directory, name, directory, name, directory);
    ck_assert_msg(system(command) == 0, "%s", command);
}

const char *certificates_file(const char *name, const char *ending) {
    static char paths[4][128];
    static size_t next;
    char *path = paths[next++ % COUNT_OF(paths)];
    snprintf(path, sizeof paths[0], "%s/%s%s", directory, name, ending);
    return path;
}
