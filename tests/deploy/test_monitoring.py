"""Metrics, alerts and dashboard: they are right by promtool, fit each other, and are explained in doc/monitoring.md."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.stack import Stack
from tests.stack.paths import ROOT, program
from tests.stack.promtool import promtool
from tests.stack.scrape import Scrape, scrape

RULES = ROOT / "monitoring" / "recaudo.rules.yml"
DASHBOARD = ROOT / "monitoring" / "recaudo-dashboard.json"
DOCUMENT = ROOT / "doc" / "monitoring.md"
NAME = re.compile(r"\brecaudo_[a-z_]+")
SUFFIXES = re.compile(r"_(bucket|sum|count)$")
MINUTES = 40
HOST = 'job="recaudo",instance="a"'
OTHER = 'job="recaudo",instance="b"'


@pytest.fixture(scope="module")
def seen() -> Iterator[Scrape]:
    with Stack(dispatcher=False, buffer_pool="16M") as stack:
        stack.dispatcher.show_life()
        yield scrape(stack.base_url)


def families(text: str) -> set[str]:
    return {name if name.endswith("_total") else SUFFIXES.sub("", name) for name in NAME.findall(text)}


def expressions() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel.get("targets", [])]


def panels() -> list[dict[str, Any]]:
    return json.loads(DASHBOARD.read_text())["panels"]  # type: ignore[no-any-return]


def alerts() -> list[str]:
    return re.findall(r"^ +- alert: (\w+)$", RULES.read_text(), re.MULTILINE)


def rule_expressions() -> str:
    """The rules without their words to people."""
    return re.sub(r"^ +(summary|description): .*$", "", RULES.read_text(), flags=re.MULTILINE)


def test_metrics_are_right(seen: Scrape) -> None:
    assert promtool("check", "metrics", stdin=seen.text) == ""


def test_page_says_whom_the_measures_name() -> None:
    page = DOCUMENT.read_text()
    (sentence,) = re.findall(r"They name (.*?)\.\n", page, re.DOTALL)
    labels = {label.strip() for names in re.findall(r"^\| `recaudo_\w+\{([^}]+)\}`", page, re.MULTILINE) for label in names.split(",")}
    named = labels & {"merchant", "network"}
    assert named and {name for name in named if f"{name}s" not in sentence} == set()


def test_rules_are_right() -> None:
    assert f"{len(alerts())} rules found" in promtool("check", "rules", RULES)


@pytest.mark.parametrize("where", ["rules", "dashboard"])
def test_every_name_exists(seen: Scrape, where: str) -> None:
    used = families(rule_expressions() if where == "rules" else "\n".join(expressions()))
    assert len(used) > 10 and used <= set(seen.types), used - set(seen.types)


def test_everything_is_explained(seen: Scrape) -> None:
    """One line of the document's tables for each measure and each alert, and no others."""
    text = DOCUMENT.read_text()
    assert set(re.findall(r"^\| `(recaudo_[a-z_]+)", text, re.MULTILINE)) == set(seen.types)
    assert re.findall(r"^\| (Recaudo\w+) ", text, re.MULTILINE) == alerts()
    rules = RULES.read_text()
    for name in alerts():
        rule = rules[rules.index(f"- alert: {name}\n"):].split("- alert:")[1]
        assert re.search(r"severity: (critical|warning)", rule), name
        assert re.search(r'summary: ".+"', rule) and re.search(r'description: ".+\."', rule), name


@pytest.mark.parametrize("words", sorted(set(re.findall(r"recaudoctl ((?:status|[a-z]+ [a-z]+))", RULES.read_text()))))
def test_commands_in_the_alerts_exist(words: str) -> None:
    """What an alert tells somebody to type is there."""
    result = subprocess.run([program("recaudoctl"), *words.split(), "--help"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and f"recaudoctl {words}" in result.stdout, result.stdout + result.stderr


def test_dashboard(tmp_path: Path) -> None:
    shown = panels()
    assert len({panel["id"] for panel in shown}) == len(shown)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in shown}) == len(shown)
    for panel in shown:
        assert panel["title"]
        assert panel["type"] == "row" or panel["datasource"]["uid"] == "${datasource}"
    rules = [{"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m")}
             for number, expression in enumerate(expressions())]
    path = tmp_path / "dashboard.yml"
    path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in promtool("check", "rules", path)


def steady(value: float) -> str:
    return f"{value:g}x{MINUTES}"


def growing(each_minute: float) -> str:
    return f"0+{each_minute:g}x{MINUTES}"


def bucket(bound: str, host: str = HOST) -> str:
    return f'recaudo_request_duration_seconds_bucket{{{host},method="POST",route="/v1/transactions",le="{bound}"}}'


def requests(method: str, code: str, host: str = HOST) -> str:
    return f'recaudo_requests_total{{{host},method="{method}",route="/v1/transactions",code="{code}"}}'


# A service with nothing wrong, on two hosts.
WELL: dict[str, str] = {}
for _host in (HOST, OTHER):
    WELL |= {
        f"up{{{_host}}}": steady(1),
        f"recaudo_database_up{{{_host}}}": steady(1),
        f"recaudo_key_fits{{{_host}}}": steady(1),
        f"recaudo_database_writable{{{_host}}}": steady(1),
        f"recaudo_database_replicated{{{_host}}}": steady(1),
        f"recaudo_web_certificate_left_seconds{{{_host}}}": steady(15 * 86400),
        f"recaudo_backup_age_seconds{{{_host}}}": steady(25 * 3600),
        f"recaudo_seals_held{{{_host}}}": steady(0),
        f"recaudo_seal_file_fails{{{_host}}}": steady(0),
        f"recaudo_rights_missing{{{_host}}}": steady(0),
        f"recaudo_measures_missing{{{_host}}}": steady(0),
        f"recaudo_deliveries_unrecorded{{{_host}}}": steady(0),
        f"recaudo_seal_overdue_seconds{{{_host}}}": steady(300),
        f"recaudo_schema_version{{{_host}}}": steady(12),
        f"recaudo_schema_known_version{{{_host}}}": steady(12),
        f'recaudo_dispatcher_heartbeat_age_seconds{{{_host},task="settle"}}': steady(55),
        f'recaudo_dispatcher_heartbeat_age_seconds{{{_host},task="deliver"}}': steady(55),
        f"recaudo_windows_oldest_overdue_age_seconds{{{_host}}}": steady(1),
        f"recaudo_notifications_oldest_due_age_seconds{{{_host}}}": steady(20),
        f"recaudo_notifications_oldest_stuck_age_seconds{{{_host}}}": steady(15),
        f"recaudo_orders_oldest_overdue_age_seconds{{{_host}}}": steady(300),
        f"recaudo_operations_oldest_uncollected_age_seconds{{{_host}}}": steady(2),
        f"recaudo_settlement_closing_overdue_seconds{{{_host}}}": steady(30),
        f"recaudo_settlements_oldest_without_digest_age_seconds{{{_host}}}": steady(60),
        f'recaudo_retention_age_seconds{{{_host},what="attempts"}}': steady(172_000),
        f"recaudo_notifications_exhausted{{{_host}}}": steady(0),
        f'recaudo_requests_total{{{_host},route="/v1/orders/{{}}",code="0000"}}': growing(60_000),
        f'recaudo_requests_total{{{_host},route="/v1/orders/{{}}",code="0009"}}': steady(3),
        f'recaudo_requests_total{{{_host},route="/v1/orders/{{}}",code="0028"}}': growing(60),
        f'recaudo_requests_total{{{_host},route="/metrics",code="0000"}}': growing(4),
        requests("PATCH", "0000", _host): growing(60),
        requests("PATCH", "0019", _host): growing(1000),
        requests("PATCH", "0025", _host): growing(1000),
        bucket("0.100000", _host): growing(6000),
        bucket("2.500000", _host): growing(6010),
        bucket("+Inf", _host): growing(6010),
        f"recaudo_request_duration_seconds_sum{{{_host}}}": growing(300),
        f"recaudo_external_wait_seconds_total{{{_host}}}": growing(10),
        f"recaudo_worker_busy_seconds_total{{{_host}}}": growing(60),
        f"recaudo_worker_processes{{{_host}}}": steady(2),
        f"recaudo_worker_process_starts_total{{{_host}}}": f"2x10 4x{MINUTES - 10}",
        f"recaudo_worker_process_deaths_total{{{_host}}}": steady(2),
        f"recaudo_worker_process_hangs_total{{{_host}}}": steady(1),
        f"recaudo_log_lines_dropped_total{{{_host}}}": steady(12),
        f"recaudo_query_process_up{{{_host}}}": steady(1),
        f"recaudo_last_reload_successful{{{_host}}}": steady(1),
        f"recaudo_query_last_reload_successful{{{_host}}}": steady(1),
        f"recaudo_database_pool_waits_total{{{_host}}}": growing(6000),
        f"recaudo_database_pool_wait_seconds_total{{{_host}}}": growing(60),
        f'recaudo_external_queries_total{{{_host},outcome="answered"}}': growing(600),
        f'recaudo_external_queries_total{{{_host},outcome="silent"}}': growing(6),
        f'recaudo_external_queries_total{{{_host},outcome="invalid"}}': growing(6),
        f'recaudo_external_queries_withheld_total{{{_host},reason="full"}}': growing(0),
        f'recaudo_external_queries_withheld_total{{{_host},reason="shared"}}': growing(600),
        f'recaudo_endpoint_failing_seconds{{{_host},merchant="c"}}': steady(890),
        f'recaudo_endpoint_refusing_seconds{{{_host},merchant="c"}}': steady(1190),
        f'recaudo_network_limit_used_percent{{{_host},network="a",currency="COP",limit="day"}}': steady(79),
        f'recaudo_network_refused_seconds{{{_host},network="b",code="0019"}}': steady(179),
        f"recaudo_database_clock_offset_seconds{{{_host}}}": steady(-0.4),
    }

# Alert: what is otherwise than in WELL when it fires.
WRONG: dict[str, dict[str, str]] = {
    "RecaudoDown": {f"up{{{HOST}}}": steady(0)},
    "RecaudoDatabaseAway": {f"recaudo_database_up{{{HOST}}}": steady(0)},
    "RecaudoDatabaseReadOnly": {f"recaudo_database_writable{{{HOST}}}": steady(0)},
    "RecaudoNotReplicated": {f"recaudo_database_replicated{{{HOST}}}": steady(0)},
    "RecaudoSchema": {f"recaudo_schema_version{{{HOST}}}": steady(13)},
    "RecaudoRights": {f"recaudo_rights_missing{{{HOST}}}": steady(1)},
    "RecaudoMeasuresMissing": {f"recaudo_measures_missing{{{HOST}}}": steady(1)},
    "RecaudoKey": {f"recaudo_key_fits{{{HOST}}}": steady(0)},
    "RecaudoCertificate": {f"recaudo_web_certificate_left_seconds{{{HOST}}}": f"{13 * 86400}-60x{MINUTES}"},
    "RecaudoBackup": {f"recaudo_backup_age_seconds{{{host}}}": f"{27 * 3600}+60x{MINUTES}" for host in (HOST, OTHER)},
    "RecaudoSealsHeld": {f"recaudo_seals_held{{{HOST}}}": steady(1)},
    "RecaudoSealFile": {f"recaudo_seal_file_fails{{{HOST}}}": steady(1)},
    "RecaudoSealsLate": {f"recaudo_seal_overdue_seconds{{{HOST}}}": steady(601)},
    "RecaudoNoDispatcher": {f'recaudo_dispatcher_heartbeat_age_seconds{{{host},task="settle"}}': "+Inf " * MINUTES
                            for host in (HOST, OTHER)},
    "RecaudoWindowsLate": {f"recaudo_windows_oldest_overdue_age_seconds{{{HOST}}}": steady(61)},
    "RecaudoDeliveriesUnrecorded": {f"recaudo_deliveries_unrecorded{{{HOST}}}": steady(1)},
    "RecaudoNotificationsLate": {f"recaudo_notifications_oldest_due_age_seconds{{{HOST}}}": steady(121)},
    "RecaudoNotificationsStuck": {f"recaudo_notifications_oldest_stuck_age_seconds{{{HOST}}}": steady(121)},
    "RecaudoOrdersLate": {f"recaudo_orders_oldest_overdue_age_seconds{{{HOST}}}": steady(1801)},
    "RecaudoOperationsUncollected": {f"recaudo_operations_oldest_uncollected_age_seconds{{{HOST}}}": steady(301)},
    "RecaudoSettlementOpen": {f"recaudo_settlement_closing_overdue_seconds{{{HOST}}}": steady(1801)},
    "RecaudoSettlementDigest": {f"recaudo_settlements_oldest_without_digest_age_seconds{{{HOST}}}": steady(1801)},
    "RecaudoRetention": {f'recaudo_retention_age_seconds{{{HOST},what="attempts"}}': steady(173_000)},
    "RecaudoNotificationsExhausted": {f"recaudo_notifications_exhausted{{{HOST}}}": steady(1)},
    "RecaudoEndpointResting": {f'recaudo_endpoint_failing_seconds{{{HOST},merchant="a \\"b\\""}}': steady(901)},
    "RecaudoEndpointRefusing": {f'recaudo_endpoint_refusing_seconds{{{HOST},merchant="a \\"b\\""}}': steady(1201)},
    "RecaudoErrors": {f'recaudo_requests_total{{{HOST},route="/v1/orders/{{}}",code="0009"}}': growing(200)},
    "RecaudoTryAgain": {f'recaudo_requests_total{{{HOST},route="/v1/orders/{{}}",code="0028"}}': growing(3000)},
    "RecaudoNetworkRefused": {f'recaudo_network_refused_seconds{{{HOST},network="a",code="0025"}}': steady(181)},
    "RecaudoNetworksRefused": {requests("PATCH", "0019"): growing(10_000)},
    "RecaudoNoConfirmations": {requests("PATCH", "0000", host): f"0+60x{MINUTES - 17} {60 * (MINUTES - 17)}x17" for host in (HOST, OTHER)},
    "RecaudoSlow": {bucket("2.500000"): growing(7000), bucket("+Inf"): growing(7000)},
    "RecaudoWorkersBusy": {f"recaudo_worker_busy_seconds_total{{{HOST}}}": growing(100)},
    "RecaudoConnectionsShort": {f"recaudo_database_pool_wait_seconds_total{{{HOST}}}": growing(700)},
    "RecaudoWorkersDie": {f"recaudo_worker_process_deaths_total{{{HOST}}}": growing(1)},
    "RecaudoWorkersHang": {f"recaudo_worker_process_hangs_total{{{HOST}}}": f"0x10 1x{MINUTES - 10}"},
    "RecaudoReloadRefused": {f"recaudo_last_reload_successful{{{HOST}}}": steady(0)},
    "RecaudoLogDropped": {f"recaudo_log_lines_dropped_total{{{HOST}}}": growing(10)},
    "RecaudoExternalTimeouts": {f'recaudo_external_queries_total{{{HOST},outcome="silent"}}': growing(400)},
    "RecaudoExternalInvalid": {f'recaudo_external_queries_total{{{HOST},outcome="invalid"}}': growing(400)},
    "RecaudoQueryProcess": {f"recaudo_query_process_up{{{HOST}}}": steady(0)},
    "RecaudoExternalFull": {f'recaudo_external_queries_withheld_total{{{HOST},reason="full"}}': growing(10)},
    "RecaudoNetworkLimit": {f'recaudo_network_limit_used_percent{{{HOST},network="a",currency="COP",limit="day"}}': steady(80)},
    "RecaudoClock": {f"recaudo_database_clock_offset_seconds{{{HOST}}}": steady(-2.5)},
}

# Alerts on what is absent while the database is away that would begin anew after each such time.
FROM_DATABASE = [
    "RecaudoNotReplicated", "RecaudoSchema", "RecaudoMeasuresMissing", "RecaudoBackup", "RecaudoSealFile", "RecaudoSealsLate",
    "RecaudoWindowsLate", "RecaudoNotificationsLate", "RecaudoNotificationsStuck", "RecaudoNotificationsExhausted", "RecaudoOrdersLate",
    "RecaudoOperationsUncollected", "RecaudoSettlementOpen", "RecaudoSettlementDigest", "RecaudoRetention", "RecaudoEndpointResting", "RecaudoEndpointRefusing", "RecaudoClock"]


def firing(wrong: dict[str, str], tmp_path: Path, *expected: str, after: int = MINUTES - 1) -> None:
    """Exactly these alerts fire after so many minutes, else at the end; promtool fails otherwise."""
    series = [{"series": name, "values": values} for name, values in (WELL | wrong).items()]
    samples = [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in expected]
    test = {"interval": "1m", "input_series": series,
            "promql_expr_test": [{"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{after}m",
                                  "exp_samples": samples}]}
    path = tmp_path / "tests.yml"
    path.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [test]}))
    promtool("test", "rules", path)


def test_nothing_fires_when_all_is_well(tmp_path: Path) -> None:
    firing({}, tmp_path)


@pytest.mark.parametrize("alert", WRONG)
def test_alert_fires_alone(tmp_path: Path, alert: str) -> None:
    firing(WRONG[alert], tmp_path, alert)


@pytest.mark.parametrize("alert", FROM_DATABASE)
def test_alert_fires_though_the_database_is_away_again_and_again(tmp_path: Path, alert: str) -> None:
    """Every fourth minute its measures are absent."""
    values = {name: re.split("[+x]", series)[0] for name, series in WRONG[alert].items()}
    firing({name: f"{value} {value} {value} stale " * (MINUTES // 4) for name, value in values.items()}, tmp_path, alert)


def test_a_reload_that_recaudo_query_refused(tmp_path: Path) -> None:
    firing({f"recaudo_query_last_reload_successful{{{HOST}}}": steady(0)}, tmp_path, "RecaudoReloadRefused")


def test_secrets_that_do_not_fit(tmp_path: Path) -> None:
    firing({requests("PATCH", "0025", host): growing(10_000) for host in (HOST, OTHER)}, tmp_path, "RecaudoNetworksRefused")


def test_networks_that_close_for_the_night(tmp_path: Path) -> None:
    """Nobody confirms, and nobody asks."""
    quiet = {name: f"{series.split('x')[0]}x{MINUTES - 20} {int(series[2:].split('x')[0]) * (MINUTES - 20)}x20"
             for name, series in WELL.items() if name.startswith("recaudo_requests_total") and series.startswith("0+")}
    firing(quiet, tmp_path)


def test_reloads_and_restarts_are_no_deaths(tmp_path: Path) -> None:
    """As at a change of the key: two reloads and a restart within ten minutes. Each starts both processes, and a restart counts anew."""
    starts = f"2x{MINUTES - 10} 4 4 6 6 2x5"
    firing({f"recaudo_worker_process_starts_total{{{HOST}}}": starts}, tmp_path)


@pytest.mark.parametrize("deaths, expected", [(2, []), (3, ["RecaudoWorkersDie"])])
def test_some_deaths_wake_nobody(tmp_path: Path, deaths: int, expected: list[str]) -> None:
    """increase() tells more than there were, because the oldest scrape of its time is missing."""
    oldest = MINUTES - 11
    dead = " ".join("_" if minute == oldest else str(min(max(minute - oldest - 1, 0), deaths)) for minute in range(MINUTES))
    firing({f"recaudo_worker_process_deaths_total{{{HOST}}}": dead}, tmp_path, *expected)


def test_a_restart_after_deaths(tmp_path: Path) -> None:
    """The counter begins at 0 again, and the dead of before are not counted twice."""
    firing({f"recaudo_worker_process_deaths_total{{{HOST}}}": f"5x{MINUTES - 5} 0x5"}, tmp_path)


def test_an_alert_ends_with_the_outage(tmp_path: Path) -> None:
    """0028 from the 30th to the 34th minute."""
    outage = {f'recaudo_requests_total{{{HOST},route="/v1/orders/{{}}",code="0028"}}': "0x30 30000 60000 90000 120000 120000x10",
              f'recaudo_requests_total{{{OTHER},route="/v1/orders/{{}}",code="0028"}}': steady(0)}
    firing(outage, tmp_path, "RecaudoTryAgain", after=34)
    firing(outage, tmp_path, after=35)


@pytest.mark.parametrize("other", [steady(0), growing(30000)], ids=["one host", "both hosts"])
@pytest.mark.parametrize("minute", [34, 35, 36])
def test_an_outage_that_a_restart_does_not_end(tmp_path: Path, minute: int, other: str) -> None:
    """Somebody restarts the workers of a host in the 34th minute: their counts begin at 0 again, and grow as before."""
    outage = {f'recaudo_requests_total{{{HOST},route="/v1/orders/{{}}",code="0028"}}': "0x20 30000+30000x12 0+30000x10",
              f'recaudo_requests_total{{{OTHER},route="/v1/orders/{{}}",code="0028"}}': other}
    firing(outage, tmp_path, "RecaudoTryAgain", after=minute)


def test_an_outage_that_is_over_alerts_nobody(tmp_path: Path) -> None:
    outage = {f'recaudo_requests_total{{{HOST},route="/v1/orders/{{}}",code="0028"}}': "0x30 9000x10",
              f'recaudo_requests_total{{{OTHER},route="/v1/orders/{{}}",code="0028"}}': steady(0)}
    for minute in (33, 35):
        firing(outage, tmp_path, after=minute)


def test_every_alert_was_tried() -> None:
    assert list(WRONG) == alerts()


def test_a_test_of_alerts_can_fail(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="RecaudoClock"):
        firing({}, tmp_path, "RecaudoClock")
