#include "unit.h"

#include "base/arena.h"

#include <signal.h>
#include <stdalign.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static bool is_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static const size_t SIZES[] = {0, 1, 15, 16, 17, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 1, 1000000};

START_TEST(gives_aligned_zeroed_memory_of_its_own) {
    size_t size = SIZES[_i];
    unsigned char *first = arena_alloc(arena, size), *second = arena_alloc(arena, size);
    ck_assert_uint_eq((uintptr_t)first % alignof(max_align_t), 0);
    ck_assert_uint_eq((uintptr_t)second % alignof(max_align_t), 0);
    memset(first, 0xAA, size);
    ck_assert(is_zero(second, size));
    memset(second, 0xBB, size);
    ck_assert(size == 0 || (first[0] == 0xAA && first[size - 1] == 0xAA));
}
END_TEST

START_TEST(enlarges_with_zeroes_behind) {
    unsigned char *first = arena_alloc(arena, 100);
    memset(first, 0xAA, 100);
    unsigned char *larger = arena_enlarge(arena, first, 100, 40000);
    ck_assert_mem_eq(larger, first, 100);
    ck_assert(larger != first && is_zero(larger + 100, 40000 - 100));
    ck_assert(is_zero(arena_enlarge(arena, NULL, 0, 100), 100));
}
END_TEST

START_TEST(reset_takes_back_and_zeroes_again) {
    unsigned char *first = arena_alloc(arena, 100);
    memset(first, 0xAA, 100);
    memset(arena_alloc(arena, 100000), 0xBB, 100000);
    arena_reset(arena);
    unsigned char *again = arena_alloc(arena, 100);
    ck_assert_ptr_eq(again, first);
    ck_assert(is_zero(again, 100));
}
END_TEST

START_TEST(copies_end_with_nul) {
    char original[] = "hola";
    struct text copy = arena_copy(arena, text_of(original));
    original[0] = 'x';
    assert_text(copy, "hola");
    ck_assert_int_eq(copy.at[copy.size], '\0');
    ck_assert_uint_eq(arena_copy(arena, text_of(NULL)).size, 0);
}
END_TEST

/* With the 4 characters before it: lengths around the limit of one formatting pass, and beyond. */
static const int WIDTHS[] = {2, 507, 508, 509, 50000};

START_TEST(prints_of_any_length) {
    int width = WIDTHS[_i];
    struct text printed = arena_print(arena, "%s-%d-%0*d", "a", 5, width, 7);
    ck_assert_uint_eq(printed.size, (size_t)width + 4);
    ck_assert(text_begins(printed, TEXT("a-5-0")));
    ck_assert_int_eq(printed.at[printed.size - 1], '7');
    ck_assert_int_eq(printed.at[printed.size], '\0');
}
END_TEST

START_TEST(aborts_when_the_size_overflows) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)arena_alloc(arena, SIZE_MAX);
        _exit(EXIT_SUCCESS);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
END_TEST

START_TEST(destroys_nothing) {
    arena_destroy(NULL);
}
END_TEST

TCase *arena_tests(void) {
    TCase *tests = unit_case("arena");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, gives_aligned_zeroed_memory_of_its_own, SIZES);
    tcase_add_test(tests, enlarges_with_zeroes_behind);
    tcase_add_test(tests, reset_takes_back_and_zeroes_again);
    tcase_add_test(tests, copies_end_with_nul);
    add_table_test(tests, prints_of_any_length, WIDTHS);
    tcase_add_test(tests, aborts_when_the_size_overflows);
    tcase_add_test(tests, destroys_nothing);
    return tests;
}
