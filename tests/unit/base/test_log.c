#include "unit.h"

#include "base/log.h"

#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *raw, *quoted;
} QUOTES[] = {
    {"", ""},
    {"plain-1", "plain-1"},
    {"a\nb", "a\\x0ab"},
    {"a\r\tb\x1B[0m", "a\\x0d\\x09b\\x1b[0m"},
    {"\x7F", "\\x7f"},
    {"say \"x\"", "say \\x22x\\x22"},
    {"a\\x0a", "a\\x5cx0a"},
    {"\xC3\xB1", "\xC3\xB1"},
    {"\xE2\x82\xAC \xF0\x9F\x92\xB0", "\xE2\x82\xAC \xF0\x9F\x92\xB0"},
    {"\xFF", "\\xff"},
    {"a\x80z", "a\\x80z"},
    {"\xC3", "\\xc3"},
    {"\xC3(", "\\xc3("},
    {"\xC0\xAF", "\\xc0\\xaf"},
    {"\xED\xA0\x80", "\\xed\\xa0\\x80"},
    {"\302\23331m", "\\xc2\\x9b31m"}, /* an octal escape, which ends before the 3 */
    {"\xC2\xA0", "\xC2\xA0"},
};

START_TEST(quotes_what_could_forge_a_line) {
    char out[64];
    ck_assert_str_eq(log_quote(text_of(QUOTES[_i].raw), out, sizeof out), QUOTES[_i].quoted);
}
END_TEST

START_TEST(quotes_nul) {
    char out[16];
    ck_assert_str_eq(log_quote(TEXT("a\0b"), out, sizeof out), "a\\x00b");
}
END_TEST

START_TEST(cuts_what_does_not_fit) {
    char out[12];
    for (size_t size = 1; size <= sizeof out; size++) {
        memset(out, '#', sizeof out);
        log_quote(TEXT("\n\n\n\n\n\n"), out, size);
        ck_assert_uint_lt(strlen(out), size);
        ck_assert_uint_eq(strlen(out) % 4, 0);
    }
}
END_TEST

START_TEST(cuts_between_characters) {
    char out[12];
    for (size_t size = 1; size <= sizeof out; size++) {
        memset(out, '#', sizeof out);
        log_quote(TEXT("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"), out, size);
        ck_assert_uint_lt(strlen(out), size);
        ck_assert_uint_eq(strlen(out) % 3, 0);
    }
    ck_assert_uint_gt(strlen(out), 3);
}
END_TEST

static const struct {
    const char *name;
    bool valid;
    enum log_level level;
} LEVELS[] = {
    {"error", true, LOG_ERROR},
    {"warning", true, LOG_WARNING},
    {"info", true, LOG_INFO},
    {"debug", true, LOG_DEBUG},
    {"Error", false, 0},
    {"warn", false, 0},
    {"", false, 0},
};

START_TEST(knows_levels) {
    enum log_level level;
    ck_assert(log_level_parse(text_of(LEVELS[_i].name), &level) == LEVELS[_i].valid);
    ck_assert(!LEVELS[_i].valid || level == LEVELS[_i].level);
}
END_TEST

START_TEST(writes_time_level_and_words) {
    static const char PATTERN[] = "dddd-dd-ddTdd:dd:dd.dddZ ";
    capture_errors();
    log_line(LOG_WARNING, "disk=%s free=%d", "a", 5);
    const char *line = errors_text();
    for (size_t i = 0; i < sizeof PATTERN - 1; i++) {
        ck_assert_msg(PATTERN[i] == 'd' ? isdigit((unsigned char)line[i]) : line[i] == PATTERN[i], "%s", line);
    }
    ck_assert_str_eq(line + sizeof PATTERN - 1, "warning disk=a free=5\n");
}
END_TEST

/* As systemd does whose journal reads standard error; `shift`: the inode of another file. */
static void name_journal(unsigned shift) {
    struct stat about;
    char named[64];
    ck_assert_int_eq(fstat(STDERR_FILENO, &about), 0);
    snprintf(named, sizeof named, "%ju:%ju", (uintmax_t)about.st_dev, (uintmax_t)about.st_ino + shift);
    ck_assert_int_eq(setenv("JOURNAL_STREAM", named, 1), 0);
}

static const struct {
    enum log_level level;
    const char *priority;
} PRIORITIES[] = {{LOG_ERROR, "<3>2"}, {LOG_WARNING, "<4>2"}, {LOG_INFO, "<6>2"}, {LOG_DEBUG, "<7>2"}};

START_TEST(tells_the_journal_the_priority) {
    capture_errors();
    name_journal(0);
    log_set_level(LOG_DEBUG);
    log_line(PRIORITIES[_i].level, "disk");
    log_set_level(LOG_INFO);
    ck_assert_int_eq(strncmp(errors_text(), PRIORITIES[_i].priority, strlen(PRIORITIES[_i].priority)), 0);
    ck_assert_int_eq(unsetenv("JOURNAL_STREAM"), 0);
}
END_TEST

START_TEST(tells_no_priority_where_something_else_reads) {
    capture_errors();
    name_journal(1);
    log_line(LOG_ERROR, "disk");
    ck_assert(isdigit((unsigned char)errors_text()[0]));
    ck_assert_int_eq(unsetenv("JOURNAL_STREAM"), 0);
}
END_TEST

START_TEST(leaves_out_what_is_below_the_level) {
    capture_errors();
    log_set_level(LOG_WARNING);
    log_line(LOG_INFO, "not this");
    log_line(LOG_WARNING, "this");
    log_line(LOG_ERROR, "and this");
    log_set_level(LOG_INFO);
    ck_assert_ptr_null(strstr(errors_text(), "not this"));
    ck_assert_ptr_nonnull(strstr(errors_text(), "warning this\n"));
    ck_assert_ptr_nonnull(strstr(errors_text(), "error and this\n"));
}
END_TEST

START_TEST(a_long_line_stays_one_line) {
    capture_errors();
    log_line(LOG_ERROR, "%05000d", 1);
    const char *lines = errors_text();
    size_t size = strlen(lines);
    ck_assert_uint_gt(size, 1000);
    ck_assert_uint_lt(size, 4096);
    ck_assert_ptr_eq(strchr(lines, '\n'), lines + size - 1);
}
END_TEST

static unsigned count_in_errors(const char *words) {
    unsigned count = 0;
    for (const char *at = errors_text(); (at = strstr(at, words)) != NULL; at++) {
        count++;
    }
    return count;
}

START_TEST(errors_over_and_over_are_written_once) {
    capture_errors();
    for (int i = 0; i < 50; i++) {
        log_line(LOG_ERROR, "disk %s is full", "a");
        log_line(LOG_ERROR, "disk %s is full", "b");
    }
    ck_assert_uint_eq(count_in_errors("disk a is full"), 1);
    ck_assert_uint_eq(count_in_errors("disk b is full"), 1);
    log_line(LOG_WARNING, "disk c is full");
    ck_assert_uint_eq(count_in_errors("error 49 times more: disk a is full\n"), 1);
    ck_assert_uint_eq(count_in_errors("error 49 times more: disk b is full\n"), 1);
}
END_TEST

static void *end_trouble(void *unused) {
    log_line(LOG_INFO, "back");
    log_trouble_ended();
    return unused;
}

START_TEST(an_error_after_the_end_of_a_trouble_is_written_again) {
    pthread_t other;
    capture_errors();
    log_line(LOG_ERROR, "gone");
    log_line(LOG_ERROR, "gone");
    ck_assert_int_eq(pthread_create(&other, NULL, end_trouble, NULL), 0);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    log_line(LOG_ERROR, "gone");
    ck_assert_uint_eq(count_in_errors("error gone\n"), 2);
    ck_assert_uint_eq(count_in_errors("error once more: gone\n"), 1);
}
END_TEST

START_TEST(records_end_no_repetition) {
    capture_errors();
    for (int i = 0; i < 50; i++) {
        log_line(LOG_ERROR, "disk is full");
        log_record("request id=%d", i);
    }
    ck_assert_uint_eq(count_in_errors("disk is full"), 1);
    ck_assert_uint_eq(count_in_errors("info request id="), 50);
    ck_assert_str_eq(log_last_error(), "disk is full");
    log_line(LOG_INFO, "back");
    ck_assert_uint_eq(count_in_errors("error 49 times more: disk is full\n"), 1);
}
END_TEST

START_TEST(ever_new_errors_are_all_written) {
    capture_errors();
    for (int i = 0; i < 50; i++) {
        log_line(LOG_ERROR, "disk %d is full", i % 10);
    }
    ck_assert_uint_eq(count_in_errors("is full"), 50);
}
END_TEST

START_TEST(an_error_after_something_else_is_written_again) {
    capture_errors();
    log_line(LOG_ERROR, "gone");
    log_line(LOG_DEBUG, "back");
    log_line(LOG_ERROR, "gone");
    ck_assert_uint_eq(count_in_errors("error gone\n"), 2);
    ck_assert_uint_eq(count_in_errors("times more"), 0);
}
END_TEST

TCase *log_tests(void) {
    TCase *tests = unit_case("log");
    add_table_test(tests, quotes_what_could_forge_a_line, QUOTES);
    tcase_add_test(tests, quotes_nul);
    tcase_add_test(tests, cuts_what_does_not_fit);
    tcase_add_test(tests, cuts_between_characters);
    add_table_test(tests, knows_levels, LEVELS);
    tcase_add_test(tests, writes_time_level_and_words);
    add_table_test(tests, tells_the_journal_the_priority, PRIORITIES);
    tcase_add_test(tests, tells_no_priority_where_something_else_reads);
    tcase_add_test(tests, leaves_out_what_is_below_the_level);
    tcase_add_test(tests, a_long_line_stays_one_line);
    tcase_add_test(tests, errors_over_and_over_are_written_once);
    tcase_add_test(tests, an_error_after_the_end_of_a_trouble_is_written_again);
    tcase_add_test(tests, ever_new_errors_are_all_written);
    tcase_add_test(tests, an_error_after_something_else_is_written_again);
    tcase_add_test(tests, records_end_no_repetition);
    return tests;
}
