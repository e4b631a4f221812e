"""What is changed in SQL; a run itself takes hours and is `make mutation-sql`."""

import re
from pathlib import Path

import pytest

from tests.mutation.asked import read_arguments
from tests.mutation.mutants import Mutant
from tests.mutation.operators import Change
from tests.mutation.sql.operators import changes
from tests.mutation.sql.reach import Reach, Run, all_named, entries, run_of
from tests.mutation.sql.texts import FOUNDATION, files, object_at, regions
from tests.stack.paths import ROOT

PROGRAM = """CREATE TABLE fees (
  id INT NOT NULL DEFAULT 1 COMMENT 'Number > 0',
  CONSTRAINT fee_id CHECK (id > 0)
);

-- Part 2

CREATE OR REPLACE FUNCTION fee (id INT) RETURNS VARCHAR(80)
BEGIN
  {}
END;
"""


def mutated(path: str, text: str, place: int) -> set[str]:
    """What each change makes of the line."""
    found = [Mutant(path, text, change) for change in changes(regions(path, text))]
    return {mutant.after for mutant in found if mutant.line == place}


@pytest.mark.parametrize("statement, results", [
    ("RETURN a < b;", {"RETURN a <= b;", "RETURN a >= b;"}),
    ("RETURN a <=> b;", {"RETURN a <> b;"}),
    ("RETURN a IS NULL;", {"RETURN a IS NOT NULL;"}),
    ("RETURN a IS NOT NULL AND b;", {"RETURN a IS NULL AND b;", "RETURN a IS NOT NULL OR b;"}),
    ("RETURN a BETWEEN b AND c OR d;", {"RETURN a BETWEEN b AND c AND d;"}),
    ("RETURN NOT EXISTS (SELECT 1 FROM t);", {"RETURN  EXISTS (SELECT 1 FROM t);"}),
    ("RETURN EXISTS (SELECT 1 FROM t);", {"RETURN NOT EXISTS (SELECT 1 FROM t);"}),
    ("SET a = 7;", {"SET a = 8;", "DO 0;"}),
    ("SET a = IF(b = c, d, e);", {"SET a = IF(b <> c, d, e);", "DO 0;"}),
    ("UPDATE t SET a = b WHERE c = d;", {"UPDATE t SET a = b WHERE c <> d;", "DO 0;"}),
    ("RETURN 'PAID';", {"RETURN 'PAIDx';"}),
    ("SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'fees: none';", {"DO 0;"}),
    ("DECLARE a DECIMAL(19,4) DEFAULT b + c;", {"DECLARE a DECIMAL(19,4) DEFAULT b - c;"}),
    ("IF a > b THEN", {"IF a >= b THEN", "IF a <= b THEN", "IF FALSE THEN"}),
    ("SELECT a FROM t LEFT JOIN u ORDER BY a DESC;", {"SELECT a FROM t JOIN u ORDER BY a DESC;",
                                                      "SELECT a FROM t LEFT JOIN u ORDER BY a ASC;"}),
    ("SELECT MIN(a) FROM t FOR UPDATE;", {"SELECT MAX(a) FROM t FOR UPDATE;", "SELECT MIN(a) FROM t ;"}),
    ("-- a < b", set()),
])
def test_changes_of_a_program(statement: str, results: set[str]) -> None:
    assert mutated(FOUNDATION, PROGRAM.format(statement), 10) == results


def test_of_tables_only_constraints_are_changed() -> None:
    text = PROGRAM.format("RETURN a;")
    assert mutated(FOUNDATION, text, 2) == set()
    assert mutated(FOUNDATION, text, 3) == {"CONSTRAINT fee_id CHECK (id >= 0)", "CONSTRAINT fee_id CHECK (id <= 0)",
                                            "CONSTRAINT fee_id CHECK (id > 1)"}


def test_changes_of_a_statement_in_c() -> None:
    """The literals of one statement are one text; what is C stays."""
    text = 'int limit = 7;\n\nconst char sql_text_of_fee[] =\n    "SELECT a FROM t WHERE b = ?"\n    " AND c < 3" COLUMNS;\n'
    assert mutated("src/store/fee.c", text, 1) == set()
    assert mutated("src/store/fee.c", text, 4) == {'"SELECT a FROM t WHERE b <> ?"'}
    assert mutated("src/store/fee.c", text, 5) == {'" OR c < 3" COLUMNS;', '" AND c <= 3" COLUMNS;', '" AND c >= 3" COLUMNS;',
                                                   '" AND c < 4" COLUMNS;'}


def test_everything_can_be_read() -> None:
    """Each file with statements yields some, and each lies within it."""
    paths = files([FOUNDATION, "src/store"])
    assert FOUNDATION in paths and len(paths) > 40
    for path in paths:
        text = (ROOT / path).read_text()
        assert all(0 <= change.at < change.end <= len(text) for change in changes(regions(path, text))), path


@pytest.mark.parametrize("place, name", [
    ("CHECK (amount > 0)", "TABLE transactions "),
    ("IF portions <> 16 THEN", "FUNCTION network_limit_set_now "),
    ("'orders: this change of state does not exist'", "TRIGGER orders_guard orders"),
    ("AS long_ago", "VIEW merchants_refusing "),
])
def test_what_is_changed_has_a_name(place: str, name: str) -> None:
    text = (ROOT / FOUNDATION).read_text()
    found = object_at(text, text.index(place))
    assert f"{found.kind} {found.name} {found.table}" == name


LOG = """mariadbd, Version: 10.11. started with:
Time		Id Command	Argument
261127  4:02:29	     7 Prepare	SELECT a FROM fees WHERE b = ?
		     7 Execute	SELECT a FROM fees WHERE b = 5
		    12 Query	SELECT 1
  FROM orders_now
"""


def test_entries_of_the_servers_log() -> None:
    assert entries(LOG) == [("Prepare", "SELECT a FROM fees WHERE b = ?"),
                            ("Query", "SELECT 1\n  FROM orders_now")]


SCHEMA = """CREATE TABLE a (id INT);
CREATE TABLE b (id INT);
CREATE TABLE c (id INT);
CREATE OR REPLACE SQL SECURITY DEFINER VIEW v AS SELECT id FROM a;
CREATE OR REPLACE VIEW w AS SELECT id FROM v;
CREATE TRIGGER b_new BEFORE INSERT ON b FOR EACH ROW SET NEW.id = 2;
CREATE OR REPLACE FUNCTION f () RETURNS INT RETURN (SELECT id FROM c);
"""


@pytest.mark.parametrize("words, programs, named", [
    ({"w"}, set(), {"a", "v", "w"}),
    ({"f", "x"}, set(), set()),
    (set(), {"f"}, {"c"}),
    ({"a"}, {"b_new"}, {"a", "b"}),
])
def test_what_a_suite_names(words: set[str], programs: set[str], named: set[str]) -> None:
    """A view stands for what it reads, a program that ran for what it mentions."""
    assert all_named(words, programs, SCHEMA) == named


def test_what_makes_the_schema_is_no_run() -> None:
    statements = ("CREATE TABLE a (id INT);", "SET PASSWORD FOR recaudo_reader@localhost = ''", "SELECT id FROM b")
    log = "".join(f"\t\t     7 Query\t{statement}\n" for statement in statements)
    assert run_of(1, {"f"}, log, SCHEMA) == Run(1, ["f"], ["b", "c"], [])


def reached(path: str, at: str) -> tuple[str, ...]:
    text = (ROOT / path).read_text()
    place = text.index(at) + len(at) - 1
    return REACH.of(Mutant(path, text, Change(place, place + 1, "x", "constant")))


REACH = Reach({"slow": Run(9, ["order_expire"], ["orders", "due_now"], []),
               "fast": Run(1, ["order_expire", "networks_created"], [], ["SELECT order_expire(?)", "SELECT orders_expire(?)"])})


@pytest.mark.parametrize("path, at, suites", [
    (FOUNDATION, "Expires this order if it is unpaid", ("fast", "slow")),
    (FOUNDATION, "Expires up to so many unpaid orders", ()),
    (FOUNDATION, "CREATE TABLE orders ", ("slow",)),
    (FOUNDATION, "CREATE OR REPLACE SQL SECURITY INVOKER VIEW due_now AS", ("slow",)),
    ("src/store/order/expiry.c", "SELECT orders_expire", ("fast",)),
    ("src/store/order/expiry.c", "SELECT id, due_at", ()),
])
def test_suites_that_reach_it(path: str, at: str, suites: tuple[str, ...]) -> None:
    assert reached(path, at) == suites


def test_suites_that_name_it_come_first() -> None:
    from tests.mutation.sql.campaign import SUITES, likely_first
    text = (ROOT / FOUNDATION).read_text()
    at = text.index("margin > greatest")
    mutant = Mutant(FOUNDATION, text, Change(at, at + 6, "x", "constant"))
    order = likely_first(mutant, SUITES)
    assert order[0] == "measures" and sorted(order) == sorted(SUITES)
    assert likely_first(mutant, ("retries", "measures")) == ("measures", "retries")


def test_suites_that_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """All, unless some are named; a name that no suite has is refused."""
    for words, chosen in (([], ("a", "b", "c")), (["--suites", "c,a"], ("c", "a"))):
        monkeypatch.setattr("sys.argv", ["mutation.sql", *words])
        assert read_arguments("mutation.sql", "", ("src",), ("a", "b", "c")).suites == chosen
    monkeypatch.setattr("sys.argv", ["mutation.sql", "--suites", "a,d"])
    with pytest.raises(SystemExit):
        read_arguments("mutation.sql", "", ("src",), ("a", "b", "c"))


def test_every_suite_of_the_store_tests_judges_or_is_left_out() -> None:
    from tests.mutation.sql.campaign import LEFT_OUT, SUITES
    subjects = re.findall(r"^    X\((\w+)\)", (ROOT / "tests/store/store.h").read_text(), re.MULTILINE)
    assert sorted(subjects) == sorted(SUITES + LEFT_OUT)
