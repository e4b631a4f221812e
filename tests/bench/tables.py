"""The result for people, and whether each aim was reached."""

from dataclasses import asdict, dataclass
from typing import Any, Iterator

from .measures import Row, Table

COLUMNS = (("per_second", 0), ("p50_ms", 3), ("p99_ms", 3), ("max_ms", 1), ("program_cpu_us", 1),
           ("database_cpu_us", 1))
# And with which rows they are compared.
MERCHANT_TITLES = {"porder": ("Orders registered by a merchant", "insert"),
                   "consult": ("Orders consulted by a merchant", "floor")}
MERCHANT_AIM = 0.80
ROUND_TRIP_AIMS = {"lookup": 1, "register": 2, "confirm": 3}
DELIVERIES, DELIVERIES_SHARE = 3000, 0.7
ROUND_TRIP_NOISE = 0.05  # the worker also reads its credentials again every few seconds

SINGLE = {
    "fixed_rate": "At a fixed rate of {asked_per_second:.0f} lookups/s: p50 {p50_ms:.3f} ms, p99 {p99_ms:.3f} ms, "
                  "p99.9 {p999_ms:.3f} ms, max {max_ms:.1f} ms; {never_sent:.0f} starts never sent",
    "beside_idle": "Beside {idle_http} idle HTTP and {idle_fastcgi} idle FastCGI connections: p99 {p99_ms:.3f} ms, "
                   "worst {max_ms:.1f} ms; open at the end {idle_http_open_at_end} and {idle_fastcgi_open_at_end}",
    "external": "Lookups that a merchant answers in {quick_delay_ms:g} ms: {external[per_second]:.0f} per s, p50 "
                "{external[p50_ms]:.3f} ms, cpu {external[program_cpu_us]:.0f} us, db cpu {external[database_cpu_us]:.0f} us; "
                "ordinary ones {ordinary[per_second]:.0f} per s\n"
                "In {slow_delay_ms:g} ms, at {others_per_second} per s: {overhead_ms:.3f} ms more at the median\n"
                "Beside {hanging_per_second} lookups/s for a merchant that hangs ({hanging_codes}): ordinary ones "
                "{beside[per_second]:.0f} per s, p99 {beside[p99_ms]:.3f} ms (beside as many of unknown references "
                "{beside_unknown[per_second]:.0f} per s); another merchant's p99 "
                "{others[p99_ms]:.3f} ms",
    "memory": "Worker memory over {requests} lookups: {before_kib} KiB before, {after_kib} KiB after",
    "backlog": "{count} due notifications cleared: {per_second:.0f}/s; memory {early_kib} KiB after a quarter, "
               "{most_kib} KiB at most; open files {early_files}, {most_files} at most",
    "hanging": "Beside an endpoint that hangs with {hanging} due: {told} of another merchant arrived "
               "after {p50_s:.3f} s (half), {most_s:.3f} s (all)",
    "arrival": "Confirmation to arrival, {payments} payments at {rate}/s: least {least_s:.4f} s, p50 {p50_s:.3f} s, "
               "p99 {p99_s:.3f} s, most {most_s:.3f} s; {sent} requests",
    "expiry": "{count} overdue orders expired in {seconds:.1f} s; lookups {lookups_alone:.0f}/s before, "
              "{lookups_beside:.0f}/s meanwhile",
    "idle_pass": "Idle dispatcher, {finished} finished notifications: {statements_per_second:.1f} statements/s with "
                 "{rows_per_statement:.2f} rows read each; processor: database {database_cpu_percent:.2f} %, "
                 "dispatcher {program_cpu_percent:.2f} %",
    "settlement": "Settlement of a day with {count} payments: {seconds:.2f} s and {peak_kib:.0f} KiB at most; "
                  "with {few}: {few_peak_kib:.0f} KiB",
    "round_trips": "Database round trips: lookup {lookup:.2f}, register {register:.2f}, confirm {confirm:.2f}",
}


@dataclass
class Aim:
    """`measured` must be at least, or else at most, `wanted`."""

    name: str
    wanted: float
    measured: float
    at_least: bool

    @property
    def reached(self) -> bool:
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    def line(self) -> str:
        verdict, sign = "reached" if self.reached else "MISSED", ">=" if self.at_least else "<="
        return f"  {verdict:8} {self.name}: {self.measured:.3g}, wanted {sign} {self.wanted:g}"


def best(table: Table, prefix: str) -> Row:
    """The row with the greatest throughput among those whose name begins so."""
    return max((row for name, row in table.items() if name.startswith(prefix)), key=lambda row: row["per_second"])


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def show(title: str, table: Table, reference: Row, reference_name: str) -> None:
    heads = ("per s", "p50 ms", "p99 ms", "max ms", "cpu us", "db cpu us")
    print(f"\n{title}\n  {'':26}" + "".join(f"{head:>11}" for head in heads) + f"  ratio to {reference_name}")
    for name, row in table.items():
        cells = [f"{row.get(metric, 0):11.{digits}f}" if metric in row else f"{'':11}" for metric, digits in COLUMNS]
        print(f"  {name:26}{''.join(cells)}{ratio(row['per_second'], reference['per_second']):12.2f}")


def show_all(result: dict[str, Any]) -> None:
    options = result["options"]
    if "deliveries" in result:
        show("Deliveries to a fast endpoint", result["deliveries"], best(result["deliveries"], "load"), "load generator")
    for mode, table in result.get("merchants", {}).items():
        title, begins = MERCHANT_TITLES[mode]
        show(f"{title}, {options['connections']} connections", table, best(table, begins), begins)
    for name, words in SINGLE.items():
        if name in result:
            print("\n" + words.format(**result[name]))


def dispatcher_aims(result: dict[str, Any]) -> Iterator[Aim]:
    if "deliveries" in result:
        rows = result["deliveries"]
        wanted = min(DELIVERIES, DELIVERIES_SHARE * best(rows, "load")["per_second"])
        yield Aim("deliveries per second", round(wanted), best(rows, "recaudo")["per_second"], True)
    if "backlog" in result:
        row = result["backlog"]
        yield Aim("dispatcher memory, most to early", 1.1, ratio(row["most_kib"], row["early_kib"]), False)
    if "hanging" in result:
        yield Aim("delay in s beside an endpoint that hangs", 1, result["hanging"]["most_s"], False)
    if "arrival" in result:
        row = result["arrival"]
        yield Aim("least s from confirmation to arrival", 30, row["least_s"], True)
        yield Aim("p99 s from confirmation to arrival", 31, row["p99_s"], False)
        yield Aim("requests for one notification", 1, ratio(row["sent"], row["payments"]), False)
    if "expiry" in result:
        row = result["expiry"]
        yield Aim("seconds until all overdue orders have expired", 60, row["seconds"], False)
        yield Aim("lookup throughput meanwhile to before", 0.8, ratio(row["lookups_beside"], row["lookups_alone"]), True)
    if "idle_pass" in result:
        yield Aim("rows read by one idle statement", 2, result["idle_pass"]["rows_per_statement"], False)


def external_aims(rows: dict[str, Any]) -> Iterator[Aim]:
    ordinary = rows["ordinary"]["per_second"]
    yield Aim("external lookups per second", min(1000.0, 0.5 * ordinary), rows["external"]["per_second"], True)
    yield Aim("ms of an external lookup beyond the merchant's own", 5, rows["overhead_ms"], False)
    yield Aim("lookup throughput beside a merchant that hangs", 0.9, ratio(rows["beside"]["per_second"], ordinary), True)
    yield Aim("p99 in ms beside a merchant that hangs", 50, rows["beside"]["p99_ms"], False)


def settlement_aims(result: dict[str, Any]) -> Iterator[Aim]:
    if "settlement" in result:
        row = result["settlement"]
        yield Aim(f"seconds of a settlement of {row['count']}", 10 * row["count"] / 1_000_000, row["seconds"], False)
        yield Aim("settlement memory, many payments to few", 1.1, ratio(row["peak_kib"], row["few_peak_kib"]), False)


def aims(result: dict[str, Any]) -> Iterator[Aim]:
    """What the project has set itself, as far as it was measured."""
    yield from dispatcher_aims(result)
    yield from settlement_aims(result)
    for mode, rows in result.get("merchants", {}).items():
        begins = MERCHANT_TITLES[mode][1]
        yield Aim(f"{mode} throughput to {begins}", MERCHANT_AIM,
                  ratio(rows["recaudo"]["per_second"], best(rows, begins)["per_second"]), True)
    if "external" in result:
        yield from external_aims(result["external"])
    if "beside_idle" in result:
        yield Aim("worst request in ms beside idle connections", 200, result["beside_idle"]["max_ms"], False)
    for mode, count in result.get("round_trips", {}).items():
        yield Aim(f"round trips of one {mode}", ROUND_TRIP_AIMS[mode], count - ROUND_TRIP_NOISE, False)
    if "memory" in result:
        memory = result["memory"]
        yield Aim("worker memory, after to before", 1.05, ratio(memory["after_kib"], memory["before_kib"]), False)


def show_aims(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Prints them; the same as data."""
    print("\nAims")
    for aim in aims(result):
        print(aim.line())
    return [{**asdict(aim), "reached": aim.reached} for aim in aims(result)]
