#include "refused_calls.h"
#include "unit.h"

#include "auth/key_file.h"
#include "auth/seal_key.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char here[64], there[64], key_file[80], other_file[80], beside[90], error[SEAL_KEY_ERROR_SIZE];

static void set_up_folders(void) {
    snprintf(here, sizeof here, "/tmp/recaudo-unit-XXXXXX");
    snprintf(there, sizeof there, "/tmp/recaudo-unit-XXXXXX");
    ck_assert(mkdtemp(here) != NULL && mkdtemp(there) != NULL);
    snprintf(key_file, sizeof key_file, "%s/secret.key", here);
    snprintf(other_file, sizeof other_file, "%s/secret.key", there);
    snprintf(beside, sizeof beside, "%s.new", key_file);
}

static void tear_down_folders(void) {
    unlink(key_file);
    unlink(other_file);
    ck_assert(rmdir(here) == 0 && rmdir(there) == 0); /* no other file was left */
}

/* The chosen call writes all bytes but the last. */
static unsigned refused_call;

REFUSING(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), theirs(file, bytes, size - 1))

START_TEST(a_short_write_is_continued) {
    struct key_ring ring;
    struct stat about;
    refused_call = 1;
    bool created = key_file_create(key_file, error);
    ck_assert_msg(created && refused_call == 0, "%s", error);
    ck_assert(stat(key_file, &about) == 0 && about.st_size == 65);
    ck_assert_msg(key_file_read(key_file, &ring, error), "%s", error);
}
END_TEST

static struct rlimit before;

/* From now on no file may grow beyond `bytes`, as on a full disk. This affects Check's own files too, so assert nothing
 * before lift_limit. */
static void limit_files(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, before.rlim_max});
}

static void lift_limit(void) {
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
}

START_TEST(key_that_cannot_be_written_leaves_no_file) {
    limit_files(10);
    bool created = key_file_create(key_file, error);
    lift_limit();
    ck_assert(!created);
    ck_assert(strncmp(error, key_file, strlen(key_file)) == 0);
    ck_assert_str_eq(error + strlen(key_file), ": cannot be written: File too large");
    ck_assert_int_ne(access(key_file, F_OK), 0);
}
END_TEST

START_TEST(seal_key_that_cannot_be_written_leaves_no_file) {
    limit_files(10);
    bool created = seal_key_create(key_file, error);
    lift_limit();
    ck_assert(!created && strncmp(error, key_file, strlen(key_file)) == 0);
    ck_assert_str_eq(error + strlen(key_file), ": cannot be written: File too large");
    ck_assert_int_ne(access(key_file, F_OK), 0);
}
END_TEST

START_TEST(keys_that_cannot_be_replaced_stay) {
    struct key_ring ring, after;
    ck_assert(key_file_create(key_file, error) && key_file_read(key_file, &ring, error));
    ck_assert(key_ring_generate(&ring, KEY_NEXT));
    limit_files(100);
    bool replaced = key_file_replace(key_file, &ring, error);
    lift_limit();
    ck_assert(!replaced && strncmp(error, key_file, strlen(key_file)) == 0);
    ck_assert_str_eq(error + strlen(key_file), ": cannot be replaced: File too large");
    ck_assert(key_file_read(key_file, &after, error) && after.count == 1);
    ck_assert_int_eq(memcmp(after.keys[0].bytes, ring.keys[0].bytes, KEY_BYTES), 0);
    ck_assert_int_ne(access(beside, F_OK), 0);
}
END_TEST

START_TEST(names_the_file_that_is_not_there) {
    struct key_ring ring = {.count = 0};
    ck_assert(key_ring_generate(&ring, KEY_CURRENT));
    ck_assert(!key_file_replace("/nonexistent/secret.key", &ring, error));
    ck_assert_str_eq(error, "/nonexistent/secret.key: cannot be replaced: No such file or directory");
    ck_assert(!key_file_create("/nonexistent/secret.key", error));
    ck_assert_str_eq(error, "/nonexistent/secret.key: No such file or directory");
    ck_assert_int_lt(key_file_lock("/nonexistent/secret.key", error), 0);
    ck_assert_str_eq(error, "/nonexistent/secret.key: No such file or directory");
    ck_assert(!key_file_read("/nonexistent/secret.key", &ring, error));
    ck_assert_int_eq(strncmp(error, "/nonexistent/secret.key: No such file or directory: restore the copy of it", 74),
                     0);
    ck_assert(!key_file_read("/dev/null/secret.key", &ring, error));
    ck_assert_str_eq(error, "/dev/null/secret.key: Not a directory");
}
END_TEST

/* Root reads every file, so it is another user here for a moment. */
START_TEST(says_what_lets_it_read_a_file_that_is_closed_to_it) {
    struct key_ring ring;
    ck_assert(key_file_create(key_file, error));
    ck_assert(chmod(key_file, 0) == 0);
    bool is_root = geteuid() == 0;
    ck_assert(!is_root || seteuid(65534) == 0);
    bool reads = key_file_read(key_file, &ring, error);
    ck_assert(!is_root || seteuid(0) == 0);
    ck_assert(!reads);
    ck_assert_ptr_nonnull(
        strstr(error, "secret.key: Permission denied: the services read it by its group: chgrp recaudo"));
}
END_TEST

START_TEST(lock_concerns_the_folder_of_the_file) {
    ck_assert(key_file_create(key_file, error) && key_file_create(other_file, error));
    int first = key_file_lock(key_file, error), second = key_file_lock(other_file, error);
    ck_assert_msg(first >= 0 && second >= 0, "%s", error);
    struct stat folder, locked;
    ck_assert(stat(here, &folder) == 0 && fstat(first, &locked) == 0);
    ck_assert(folder.st_ino == locked.st_ino && folder.st_dev == locked.st_dev);
    close(first);
    close(second);
}
END_TEST

START_TEST(a_path_may_have_no_folder) {
    struct key_ring ring;
    int there_before = open(".", O_RDONLY);
    ck_assert(there_before >= 0 && chdir(here) == 0);
    bool created = key_file_create("secret.key", error);
    ck_assert(fchdir(there_before) == 0 && close(there_before) == 0);
    ck_assert_msg(created, "%s", error);
    ck_assert(key_file_read(key_file, &ring, error));
}
END_TEST

/* A folder in the place of the new file is neither removed nor written to. */
START_TEST(folder_beside_the_file_stays) {
    struct key_ring ring;
    ck_assert(key_file_create(key_file, error) && key_file_read(key_file, &ring, error));
    ck_assert_int_eq(mkdir(beside, 0700), 0);
    ck_assert(!key_file_replace(key_file, &ring, error));
    ck_assert_str_eq(error + strlen(key_file), ": cannot be replaced: File exists");
    ck_assert_int_eq(rmdir(beside), 0);
}
END_TEST

START_TEST(no_file_stays_open) {
    struct key_ring ring;
    int next = next_descriptor();
    ck_assert(key_file_create(key_file, error) && key_file_read(key_file, &ring, error));
    ck_assert_int_eq(next_descriptor(), next);
    ck_assert(key_file_replace(key_file, &ring, error));
    ck_assert_int_eq(next_descriptor(), next);
    int lock = key_file_lock(key_file, error);
    ck_assert_int_eq(lock, next);
    ck_assert_int_eq(fcntl(lock, F_GETFD), FD_CLOEXEC); /* nor do started programs inherit it */
    ck_assert_int_lt(key_file_lock(key_file, error), 0);
    close(lock);
    ck_assert_int_eq(next_descriptor(), next);
}
END_TEST

static const mode_t MODES[] = {0600, 0640, 0440, 0601};

START_TEST(mode_is_kept) {
    struct key_ring ring;
    struct stat about;
    ck_assert(key_file_create(key_file, error) && key_file_read(key_file, &ring, error));
    ck_assert_int_eq(chmod(key_file, MODES[_i]), 0);
    ck_assert_msg(key_file_replace(key_file, &ring, error), "%s", error);
    ck_assert(stat(key_file, &about) == 0 && (about.st_mode & 07777) == MODES[_i]);
}
END_TEST

/* Only root can change a file's owner, so only root can test that another owner is kept. */
START_TEST(owner_and_group_are_kept) {
    struct key_ring ring;
    struct stat about;
    uid_t owner = geteuid() == 0 ? 1 : geteuid();
    gid_t group = geteuid() == 0 ? 2 : getegid();
    ck_assert(key_file_create(key_file, error) && key_file_read(key_file, &ring, error));
    ck_assert_int_eq(chown(key_file, owner, group), 0);
    ck_assert_msg(key_file_replace(key_file, &ring, error), "%s", error);
    ck_assert(stat(key_file, &about) == 0 && about.st_uid == owner && about.st_gid == group);
}
END_TEST

START_TEST(a_ring_has_room_for_so_many_keys) {
    struct key_ring ring = {.count = 0};
    for (size_t i = 0; i < KEYS_MAX; i++) {
        ck_assert(key_ring_generate(&ring, i == 0 ? KEY_CURRENT : KEY_OLD));
    }
    ck_assert(!key_ring_generate(&ring, KEY_OLD));
    ck_assert_uint_eq(ring.count, KEYS_MAX);
}
END_TEST

TCase *key_file_writes_tests(void) {
    TCase *tests = unit_case("key file writes");
    tcase_add_checked_fixture(tests, set_up_folders, tear_down_folders);
    tcase_add_test(tests, a_short_write_is_continued);
    tcase_add_test(tests, key_that_cannot_be_written_leaves_no_file);
    tcase_add_test(tests, seal_key_that_cannot_be_written_leaves_no_file);
    tcase_add_test(tests, keys_that_cannot_be_replaced_stay);
    tcase_add_test(tests, names_the_file_that_is_not_there);
    tcase_add_test(tests, says_what_lets_it_read_a_file_that_is_closed_to_it);
    tcase_add_test(tests, lock_concerns_the_folder_of_the_file);
    tcase_add_test(tests, a_path_may_have_no_folder);
    tcase_add_test(tests, folder_beside_the_file_stays);
    tcase_add_test(tests, no_file_stays_open);
    add_table_test(tests, mode_is_kept, MODES);
    tcase_add_test(tests, a_ring_has_room_for_so_many_keys);
    tcase_add_test(tests, owner_and_group_are_kept);
    return tests;
}
