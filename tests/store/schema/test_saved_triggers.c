#include "store.h"

/* recaudo-backup saves the triggers as statements for the client mariadb (backup_triggers): in another database they
 * make the same triggers. */

#define SAVED "recaudo_saved"

static MYSQL *mysql;

static void set_up(void) {
    database_run("DROP DATABASE IF EXISTS " SAVED ";"
                 "CREATE DATABASE " SAVED " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
    database_run("SET group_concat_max_len = 1000000");
    const char *tables = database_text("SELECT GROUP_CONCAT(DISTINCT CONCAT('CREATE TABLE " SAVED
                                       ".', EVENT_OBJECT_TABLE, ' LIKE ', EVENT_OBJECT_TABLE) SEPARATOR ';')"
                                       " FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()");
    database_run("%s", tables);
    mysql = database_login(OWNER);
}

static void tear_down(void) {
    mysql_close(mysql);
    database_run("DROP DATABASE " SAVED);
}

/* Returns the rest of the text, which must begin so. */
static const char *after(const char *text, const char *beginning) {
    ck_assert_msg(strncmp(text, beginning, strlen(beginning)) == 0, "no %s: %s", beginning, text);
    return text + strlen(beginning);
}

/* Does what the client does with these lines. */
static void make_trigger(MYSQL *saved, const char *lines) {
    static const char END[] = " ;;\nDELIMITER ;";
    const char *first_end = strstr(lines, ";\n"), *last = lines + strlen(lines) - strlen(END);
    ck_assert_ptr_nonnull(first_end);
    ck_assert_str_eq(last, END);
    const char *create = after(first_end, ";\nDELIMITER ;;\n");
    ck_assert_msg(database_error(saved, "%.*s", (int)(first_end - lines), lines) == 0, "%s", mysql_error(saved));
    ck_assert_msg(database_error(saved, "%.*s", (int)(last - create), create) == 0, "%s", mysql_error(saved));
}

static void make_triggers(void) {
    MYSQL *saved = database_login(OWNER);
    ck_assert_int_eq(mysql_select_db(saved, SAVED), 0);
    ck_assert_int_eq(mysql_query(mysql, "CALL backup_triggers()"), 0);
    MYSQL_RES *rows = mysql_store_result(mysql);
    for (MYSQL_ROW row = mysql_fetch_row(rows); row != NULL; row = mysql_fetch_row(rows)) {
        make_trigger(saved, row[0]);
    }
    mysql_free_result(rows);
    ck_assert_int_eq(mysql_next_result(mysql), 0);
    mysql_close(saved);
}

/* Returns the triggers in the order in which they run. */
static const char *triggers_of(const char *schema) {
    return database_text(
        "SELECT GROUP_CONCAT(TRIGGER_NAME ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING,"
        " EVENT_MANIPULATION, ACTION_ORDER) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = %s",
        schema);
}

/* Returns how the trigger was made, and the settings that it runs with. */
static struct text made(const char *schema, struct text trigger) {
    struct text all = TEXT("");
    ck_assert_int_eq(
        mysql_query(mysql, arena_print(arena, "SHOW CREATE TRIGGER %s%.*s", schema, TEXT_ARGS(trigger)).at), 0);
    MYSQL_RES *rows = mysql_store_result(mysql);
    MYSQL_ROW row = mysql_fetch_row(rows);
    for (unsigned i = 0; i < 6; i++) {
        all = arena_print(arena, "%.*s%s\n", TEXT_ARGS(all), row[i]);
    }
    mysql_free_result(rows);
    return all;
}

START_TEST(triggers_are_made_as_they_were) {
    make_triggers();
    const char *names = triggers_of("DATABASE()");
    ck_assert_str_eq(triggers_of("'" SAVED "'"), names);
    ck_assert_uint_gt(strlen(names), 500);
    for (const char *name = names, *end; name != NULL; name = *end == ',' ? end + 1 : NULL) {
        end = name + strcspn(name, ",");
        const struct text one = {name, (size_t)(end - name)};
        assert_text(made(SAVED ".", one), made("", one).at);
    }
}
END_TEST

TCase *saved_triggers_tests(void) {
    TCase *tests = database_case("saved_triggers");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, triggers_are_made_as_they_were);
    return tests;
}
