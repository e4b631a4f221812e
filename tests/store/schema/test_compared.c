#include "store.h"

#include "store/schema/programs.h"
#include "store/schema/tables.h"

/* What of the schema is not as sql/ makes it. Each change is undone before anything is judged. */

static struct text missing, added, programs_gone, programs_other;

static void compare(void) {
    ck_assert_int_eq(tables_compare(owner, arena, &missing, &added), STATUS_OK);
    ck_assert_int_eq(programs_missing(owner, arena, &programs_gone), STATUS_OK);
    ck_assert_int_eq(programs_changed(owner, arena, &programs_other), STATUS_OK);
}

START_TEST(the_schema_is_as_it_was_made) {
    compare();
    assert_text(missing, "");
    assert_text(added, "");
    assert_text(programs_gone, "");
    assert_text(programs_other, "");
}
END_TEST

#define NO_KEY "ALTER TABLE settlement_items DROP FOREIGN KEY item_settlement; "
#define WITH_KEY                                                                                                       \
    "ALTER TABLE settlement_items ADD CONSTRAINT item_settlement FOREIGN KEY (settlement) REFERENCES settlements"      \
    " (number)"

static const struct {
    const char *change, *undo;
    const char *missing, *added, *gone, *other;
} CHANGES[] = {
    {"ALTER TABLE last_done ADD COLUMN note INT", "ALTER TABLE last_done DROP COLUMN note", "", "last_done COLUMN note",
     "", ""},
    {"ALTER TABLE last_done ADD UNIQUE KEY twice (what, at)", "ALTER TABLE last_done DROP KEY twice", "",
     "last_done UNIQUE KEY twice", "", ""},
    {"ALTER TABLE retention MODIFY removed INT NOT NULL DEFAULT 0",
     "ALTER TABLE retention MODIFY removed BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Rows that went, or lost their"
     " personal data, in this walk'",
     "retention COLUMN removed", "", "", ""},
    {"ALTER TABLE last_done PARTITION BY KEY (what) PARTITIONS 2", "ALTER TABLE last_done REMOVE PARTITIONING",
     "last_done PARTITIONED BY", "", "", ""},
    {NO_KEY WITH_KEY " ON DELETE NO ACTION", NO_KEY WITH_KEY, "", "", "", ""},
    {NO_KEY WITH_KEY " ON UPDATE NO ACTION", NO_KEY WITH_KEY, "", "", "", ""},
    {NO_KEY WITH_KEY " ON DELETE CASCADE", NO_KEY WITH_KEY, "settlement_items CONSTRAINT item_settlement", "", "", ""},
    {"CREATE TABLE ours (id INT); CREATE VIEW ours_now AS SELECT id FROM ours", "DROP VIEW ours_now; DROP TABLE ours",
     "", "", "", ""},
    {"CREATE FUNCTION ours () RETURNS INT RETURN 1", "DROP FUNCTION ours", "", "", "", "FUNCTION ours"},
};

START_TEST(what_was_changed_is_named) {
    database_run("%s", CHANGES[_i].change);
    compare();
    database_run("%s", CHANGES[_i].undo);
    assert_text(missing, CHANGES[_i].missing);
    assert_text(added, CHANGES[_i].added);
    assert_text(programs_gone, CHANGES[_i].gone);
    assert_text(programs_other, CHANGES[_i].other);
    compare();
    ck_assert_uint_eq(missing.size + added.size + programs_gone.size + programs_other.size, 0);
}
END_TEST

TCase *compared_tests(void) {
    TCase *tests = database_case("compared");
    tcase_add_test(tests, the_schema_is_as_it_was_made);
    add_table_test(tests, what_was_changed_is_named, CHANGES);
    return tests;
}
