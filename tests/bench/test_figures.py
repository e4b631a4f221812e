"""What the benchmark makes of its figures: the verdict, which may come out against us, the page and the plots."""

import json
import os
import signal
import subprocess
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.bench import page, plots, verdict
from tests.bench.contest import shares
from tests.bench.cost import session_seconds
from tests.bench.markdown import table
from tests.stack import children, wait_until
from tests.stack.paths import ROOT

COSTS = {"worker_us": 50.0, "database_us": 40.0, "load_us": 10.0, "redo_bytes": 900.0, "reorganisations": 0.0, "statements": 1.0,
         "rows_read": 1.0, "rows_written": 1.0, "program_cpu_us": 1.0, "database_cpu_us": 1.0}


def row(speed: float, slowness: float = 1.0) -> dict[str, float]:
    """`slowness` is of the latencies and of the database."""
    late = {name: slowness for name in ("p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")}
    return {"per_second": speed, **late, **COSTS, "database_us": 40.0 * slowness, "nginx_us": 20.0}


def result(speed: float, slowness: float) -> dict[str, Any]:
    """In which recaudo has this speed, where floor and Node have 1000."""
    rows = {"recaudo": [row(speed, slowness)] * 3, "floor": [row(1000)] * 3, "node": [row(1000)] * 3}
    by_count = {str(count): [row(1000 if count == 50_000 else speed)] * 3 for count in (50_000, 5_000_000, 50_000_000)}
    points = [{"offered": share * 1000, "unsent": 0, **row(share * 1000)} for share in shares(6)]
    return {
        **{part: rows for part in ("lookup", "lookup_many", "register", "confirm", "flow")},
        "sizes": {"orders": [50_000, 5_000_000, 50_000_000], "rows": {"recaudo": by_count, "floor": by_count}},
        "deliveries": {"load generator, 32": row(1000), "recaudo, 1 merchant": row(speed), "recaudo, 20 merchants": row(1)},
        "external": {"beside": row(speed, 60 * slowness - 59), "hanging_codes": {"0110": 5}, "quick_delay_ms": 1, "slow_delay_ms": 20,
                     "overhead_ms": 1, "others_per_second": 50, "hanging_per_second": 200,
                     **{name: row(1000) for name in ("ordinary", "external", "beside_unknown", "others")}},
        "curves": {"lookup": {"connections": 128, "seconds": 1, "points": {"floor": points, "recaudo": points}}},
        "disk": {"orders": 10, "bytes": 1234.0, "tables": {"orders": 1000.0, "events": 234.0}},
        "machine": {"processors": 2, "load_before": 0.1, "kernel": "6", "memory_mib": 1000, "date": "2026-01-01", "commit": "abc",
                    "versions": "none"},
        "options": {"orders": 50_000, "rounds": 3, "seconds": 1.0, "connections": 32, "many": 128, "command": "tests/bench/run"},
        "wrong_replies": 0,
    }


@pytest.mark.parametrize("speed, slowness, wanted", [(2000, 1.0, {"reached"}), (500, 2.0, {"MISSED"})])
def test_verdict(speed: float, slowness: float, wanted: set[str]) -> None:
    judged = verdict.judge(result(speed, slowness))
    assert len(judged) == len(verdict.FIGURES) == 16
    assert {row["verdict"] for row in judged} == {row["later_verdict"] for row in judged} == wanted


def test_what_was_not_measured_is_not_reached() -> None:
    assert {row["verdict"] for row in verdict.judge({})} == {"not measured"}


def test_each_round_is_judged_for_itself() -> None:
    """A disturbance that hits a whole round changes no ratio; the middle one of the ratios counts."""
    found = verdict.quotients([row(900), row(90), row(400)], [row(1000), row(100), row(1000)], "per_second")
    assert found == [0.9, 0.9, 0.4]
    rounds = {"recaudo": [row(900), row(90), row(400)], "floor": [row(1000), row(100), row(1000)]}
    judged = verdict.judge({"lookup": rounds})[0]
    assert (judged["measured"], judged["lowest"], judged["highest"], judged["verdict"]) == (0.9, 0.4, 0.9, "MISSED")


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own text stays, the figures are replaced, the pictures it shows are there and are SVG."""
    monkeypatch.setattr(page, "PAGE", tmp_path / "performance.md")
    monkeypatch.setattr(page, "PICTURES", tmp_path / "pictures")
    (tmp_path / "pictures").mkdir()
    page.PAGE.write_text(f"# Head\n\n{page.BEGIN}old{page.END}\nTail\n")
    for speed in (500, 700):
        page.write(result(speed, 2.0))
    text = page.PAGE.read_text()
    assert text.startswith("# Head\n\n") and text.endswith(f"{page.END}\nTail\n") and "old" not in text
    assert text.count("### Must reach") == 1 and " 0.70 |" in text and " 0.50 |" not in text and "MISSED" in text
    shown = [line.partition("](")[2].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert shown == ["pictures/load-lookup.svg", "pictures/sizes.svg"]
    for name in shown:
        assert xml.etree.ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")


def test_a_busy_machine_is_named() -> None:
    busy = result(1, 1)
    busy["machine"]["load_before"] = 9.0
    assert "**busy**" in page.conditions(busy) and "**busy**" not in page.conditions(result(1, 1))


def test_rows_can_be_left_out_with_a_note() -> None:
    """Figures that say nothing about a system need not be shown, but the page says so."""
    found = result(1, 1)
    page.keep_systems(found, ["recaudo", "floor"])
    judged = {row["figure"]: row["verdict"] for row in verdict.judge(found)}
    assert judged["lookup / Node"] == "not measured" and judged["lookup / floor"] == "MISSED"
    found["options"]["note"] = "Node is left out."
    assert page.conditions(found).endswith("\n\nNode is left out.\n")


def test_tables_align() -> None:
    assert table(("", "per s"), [("floor", "7"), ("recaudo", "1234567")]) == (
        "|         |   per s |\n|---------|--------:|\n| floor   |       7 |\n| recaudo | 1234567 |")


def test_an_earlier_result_is_shown(tmp_path: Path) -> None:
    """The verdict is the last thing said."""
    whole, part = tmp_path / "result.json", tmp_path / "sizes.json"
    whole.write_text(json.dumps(result(500, 2.0)))
    part.write_text(json.dumps({name: value for name, value in result(910, 1.0).items()
                                if name in ("sizes", "machine", "options", "wrong_replies")}))
    done = subprocess.run([str(ROOT / "tests" / "bench" / "run"), "--from", str(whole), str(part)], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=60)
    assert done.returncode == 0, done.stderr
    verdicts = {line.split("|")[1].strip(): line.split("|")[2].strip() for line in done.stdout.splitlines() if line.startswith("| ")}
    assert verdicts["lookup / floor"] == "0.50" and verdicts["lookup at 5,000,000 orders / at 50,000"] == "0.91"
    assert "Must reach" in done.stdout and done.stdout.splitlines()[-1].startswith("| their p99 in ms")


def test_the_page_shows_pictures_that_are_there() -> None:
    text = page.PAGE.read_text()
    assert page.BEGIN in text and page.END in text
    for name in (line.partition("](")[2].rstrip(")") for line in text.splitlines() if line.startswith("![")):
        assert (page.PAGE.parent / name).is_file(), name


def test_processor_time_is_of_a_whole_session() -> None:
    """Of its leader's children too, while they run and after they have ended (by a limit of one second of it); and of no other."""
    busy = "while :; do :; done"
    scripts = {"running": f"({busy}) & wait", "ended": f"sh -c 'ulimit -c 0; ulimit -t 1; {busy}'; exec sleep 600", "idle": "exec sleep 600"}
    started = {name: subprocess.Popen(["sh", "-c", script], start_new_session=True) for name, script in scripts.items()}
    try:
        leaders = {name: process.pid for name, process in started.items()}
        wait_until(lambda: all(session_seconds(leaders)[name] >= 0.1 for name in ("running", "ended")), "processor time", 120)
        wait_until(lambda: not children(leaders["ended"]), "the child to end", 120)
        used = session_seconds(leaders)
        assert used["ended"] >= 0.1 and used["idle"] < 0.1
    finally:
        for process in started.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_gnuplot_failures_are_errors() -> None:
    with pytest.raises(RuntimeError, match="gnuplot"):
        plots.gnuplot("plot nothing at all\n")
