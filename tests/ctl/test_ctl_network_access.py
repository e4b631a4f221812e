"""From where a network may call, and how often: what an operator may say, and how it is kept."""

import re
import subprocess
from typing import Any

import pytest

from tests.stack import Ctl, Stack, wait_until

from operator_steps import COMMERCE, add_order, fresh, misused, refused

OPEN = {"allow": [], "rate": None, "burst": None}
UNSIGNED = {"transaction_ids": "any", "plain_ids_until": None, "signature": "off"}


def limits(shown: Any) -> dict[str, Any]:
    return {key: shown[key] for key in OPEN}


@pytest.fixture
def name(ctl: Ctl) -> str:
    """A network that may do everything."""
    name = fresh("red")
    ctl.done("network", "add", name)
    return name


def allow(*ranges: str) -> list[str]:
    return [word for one in ranges for word in ("--allow", one)]


def test_no_limits_at_first(ctl: Ctl, name: str) -> None:
    assert limits(ctl.json("network", "show", name)) == OPEN
    assert re.search(r"^allow +-$", ctl.done("network", "show", name), re.MULTILINE)


def test_added_with_limits(ctl: Ctl, stack: Stack) -> None:
    name = fresh("red")
    added = ctl.json("network", "add", name, *allow("192.0.2.0/24", "2001:DB8::/32"), "--rate", "50/s", "--burst=200")
    assert list(added) == ["name", "fixed_hash"]
    expected = {"allow": ["192.0.2.0/24", "2001:db8::/32"], "rate": 50, "burst": 200}
    assert limits(ctl.json("network", "show", name)) == expected
    (listed,) = [network for network in ctl.json("network", "list") if network["name"] == name]
    assert limits(listed) == expected
    assert "192.0.2.0/24 2001:db8::/32" in ctl.done("network", "show", name)
    (row,) = stack.mariadb.query("SELECT allow_addresses FROM networks WHERE name = %s", name)
    assert row["allow_addresses"] == "192.0.2.0/24 2001:db8::/32"


@pytest.mark.parametrize("given, kept", [
    (["192.0.2.7"], ["192.0.2.7/32"]),
    (["::1"], ["::1/128"]),
    (["0.0.0.0/0", "::/0"], ["0.0.0.0/0", "::/0"]),
    (["::ffff:192.0.2.0/120"], ["192.0.2.0/24"]),
    (["192.0.2.7", "::ffff:192.0.2.7", "192.0.2.7/32"], ["192.0.2.7/32"]),
    ([f"10.0.0.{i}" for i in range(64)], [f"10.0.0.{i}/32" for i in range(64)])])
def test_ranges(ctl: Ctl, name: str, given: list[str], kept: list[str]) -> None:
    assert ctl.json("network", "set", name, *allow(*given))["allow"] == kept
    assert ctl.json("network", "set", name, *allow("10.0.0.0/8"))["allow"] == ["10.0.0.0/8"]
    assert ctl.json("network", "set", name, "--allow", "none")["allow"] == []


def test_the_longest_list_has_room(ctl: Ctl, name: str) -> None:
    ranges = [f"1111:2222:3333:4444:5555:6666:7777:{i}/128" for i in range(1111, 1175)]
    assert ctl.json("network", "set", name, *allow(*ranges))["allow"] == ranges


@pytest.mark.parametrize("given, rate, burst", [
    (["--rate", "20"], 20, 20), (["--rate", "20/s"], 20, 20), (["--rate", "100000", "--burst", "1000000"], 100000, 1000000),
    (["--rate", "1", "--burst", "1"], 1, 1), (["--rate", "0"], None, None), (["--rate", "none"], None, None)])
def test_rates(ctl: Ctl, name: str, given: list[str], rate: int | None, burst: int | None) -> None:
    assert limits(ctl.json("network", "set", name, *given)) == {"allow": [], "rate": rate, "burst": burst}


def test_what_is_not_named_stays(ctl: Ctl, name: str) -> None:
    ctl.done("network", "set", name, "--allow", "::1", "--rate", "5", "--burst", "9")
    assert limits(ctl.json("network", "set", name, "--burst", "7")) == {"allow": ["::1/128"], "rate": 5, "burst": 7}
    assert limits(ctl.json("network", "set", name, "--allow", "none")) == {"allow": [], "rate": 5, "burst": 7}
    assert limits(ctl.json("network", "set", name, "--rate", "6")) == {"allow": [], "rate": 6, "burst": 6}
    assert limits(ctl.json("network", "set", name, "--rate", "none")) == OPEN
    assert ctl.json("network", "disable", name)["enabled"] is False


@pytest.mark.parametrize("given, complaint", [
    (allow("10.1.2.3/8"), "allow: 10.1.2.3/8 has host bits set; did you mean 10.0.0.0/8?"),
    (allow("2001:db8::1/64"), "allow: 2001:db8::1/64 has host bits set; did you mean 2001:db8::/64?"),
    (allow("10.0.0.0/8", "red.example"), "allow: red.example is not an address range"),
    (allow("10.0.0.0/33"), "allow: 10.0.0.0/33 is not an address range"),
    (allow("::/129"), "allow: ::/129 is not an address range"),
    (allow("10.0.0.0/8 192.0.2.7"), "allow: 10.0.0.0/8 192.0.2.7 is not an address range"),
    (allow("' OR '1'='1"), "allow: ' OR '1'='1 is not an address range"),
    (allow(*[f"10.0.0.{i}" for i in range(65)]), "allow: more than 64 ranges"),
    (["--rate", "100001"], "rate: 100001 must be none or"), (["--rate", "-1"], "rate: -1 must be none or"),
    (["--rate", "1.5"], "rate: 1.5 must be none or"), (["--rate", "/s"], "rate: /s must be none or"),
    (["--rate", "5/m"], "rate: 5/m must be none or"), (["--rate", "99999999999999999999"], "rate: 9999"),
    (["--rate", "5", "--burst", "0"], "burst: 0 is not a number from 1 to 1000000"),
    (["--rate", "5", "--burst", "1000001"], "burst: 1000001 is not a number"),
    (["--rate", "5", "--burst", "x"], "burst: x is not a number"),
    (["--burst", "5"], "burst: requires a rate"),
    (["--rate", "none", "--burst", "5"], "burst: requires a rate")])
def test_limits_that_do_not_do(ctl: Ctl, name: str, given: list[str], complaint: str) -> None:
    new = fresh("red")
    assert refused(ctl, "network", "set", name, *given).startswith(complaint)
    assert refused(ctl, "network", "add", new, *given).startswith(complaint)
    assert limits(ctl.json("network", "show", name)) == OPEN
    assert refused(ctl, "network", "show", new).startswith("there is no network")


def test_wrong_usage(ctl: Ctl, name: str) -> None:
    assert misused(ctl, "network", "set", name) == "nothing to set was given"
    assert misused(ctl, "network", "set", name, *allow("none", "::1")) == "--allow none excludes other --allow options"
    assert misused(ctl, "network", "set", name, "--rate", "5", "--rate", "6") == "--rate is given twice"
    assert misused(ctl, "network", "set", name, *allow(*["::1"] * 201)) == "--allow is given more than 200 times"
    assert refused(ctl, "network", "set", "nobody", "--allow", "::1").startswith("there is no network nobody ")


def test_every_change_stands_in_the_log(ctl: Ctl, name: str) -> None:
    ctl.done("network", "set", name, "--allow", "192.0.2.0/24", "--rate", "5", "--burst", "9")
    ctl.done("network", "set", name, "--allow", "192.0.2.0/24")
    events = ctl.json("network", "set", name, "--rate", "none", "--allow", "none")["events"]
    assert [event["reason"] for event in events if event["what"] == "limits"] == [
        "rate 5, burst 9, from 192.0.2.0/24", "rate 0, burst 0, from everywhere"]
    added = fresh("red")
    ctl.done("network", "add", added, "--allow", "::1")
    assert [(event["what"], event["reason"]) for event in ctl.json("network", "show", added)["events"]] == [
        ("created", None), ("limits", "rate 0, burst 0, from ::1/128")]


def test_a_list_too_long_for_the_log_is_marked_as_cut(ctl: Ctl, name: str) -> None:
    ranges = [f"198.51.{number}.0/24" for number in range(30)]
    events = ctl.json("network", "set", name, *(word for given in ranges for word in ("--allow", given)))["events"]
    (reason,) = [event["reason"] for event in events if event["what"] == "limits"]
    assert len(reason) == 250 and reason.endswith("...") and " ".join(ranges)[:200] in reason


@pytest.mark.parametrize("value", ["everyone", "10.0.0.0/8,::1/128", "10.0.0.0/8 ", "10.0.0.0/8  ::1/128"])
def test_the_database_keeps_the_form(stack: Stack, name: str, value: str) -> None:
    with pytest.raises(Exception, match="network_addresses_form"):
        stack.mariadb.query("UPDATE networks SET allow_addresses = %s, changed_by = 'test' WHERE name = %s", value, name)


def signing(shown: Any) -> dict[str, Any]:
    return {key: shown[key] for key in UNSIGNED}


def test_any_ids_and_no_signature_at_first(ctl: Ctl) -> None:
    new = fresh("red")
    added = ctl.run("network", "add", new)
    assert added.stderr.count("\n") == 2 and "--transaction-ids distinct the checksum of a lookup can never confirm" in added.stderr
    assert signing(ctl.json("network", "show", new)) == UNSIGNED
    (listed,) = [network for network in ctl.json("network", "list") if network["name"] == new]
    assert signing(listed) == UNSIGNED


def test_added_with_distinct_ids(ctl: Ctl) -> None:
    """There is nothing from before, so no time for it."""
    new = fresh("red")
    added = ctl.run("network", "add", new, "--transaction-ids", "distinct", "--signature", "required")
    assert added.stderr == (f"recaudoctl: no limit of money: recaudoctl network limit {new} CURRENCY --day AMOUNT"
                            " --outstanding AMOUNT sets one\n")
    shown = ctl.json("network", "show", new)
    assert signing(shown) == {"transaction_ids": "distinct", "plain_ids_until": None, "signature": "required"}
    assert [event["reason"] for event in shown["events"]] == [None, "transaction ids distinct, signature required"]


def test_signing_is_changed_and_logged(ctl: Ctl, name: str) -> None:
    shown = ctl.json("network", "set", name, "--transaction-ids", "distinct")
    until = shown["plain_ids_until"]
    assert shown["transaction_ids"] == "distinct" and until is not None
    again = ctl.json("network", "set", name, "--transaction-ids", "distinct", "--signature", "accepted")
    assert signing(again) == {"transaction_ids": "distinct", "plain_ids_until": until, "signature": "accepted"}
    events = ctl.json("network", "set", name, "--transaction-ids", "any", "--signature", "off")["events"]
    reasons = [event["reason"] for event in events if event["what"] == "signing"]
    assert [reason.split(", ")[0] for reason in reasons] == ["transaction ids distinct"] * 2 + ["transaction ids any"]
    assert [reason.split(", ")[-1] for reason in reasons] == ["signature off", "signature accepted", "signature off"]
    assert signing(ctl.json("network", "show", name)) == UNSIGNED


def test_words_that_do_not_do(ctl: Ctl, name: str) -> None:
    assert misused(ctl, "network", "set", name, "--transaction-ids", "some") == "--transaction-ids is any or distinct"
    assert misused(ctl, "network", "set", name, "--signature", "on") == "--signature is off, accepted or required"


def test_more_than_a_limit_of_money_can_count(stack: Stack, ctl: Ctl, name: str) -> None:
    most = "999999999999999.99"
    secret = ctl.json("network", "rotate", name, "--now")["fixed_hash"]
    with stack.network(name, secret) as network:
        for _ in range(2):
            reference = str(add_order(ctl, amount=most)["reference"])
            assert network.register(reference, most, f"T.{reference}", COMMERCE).code == "0000"
            assert network.confirm(f"T.{reference}").code == "0000"
    low = ctl.run("network", "limit", name, "USD", "--day", "0")
    assert low.returncode == 0 and low.stderr.count("the day's limit is used up already: every confirmation is refused from now on") == 1
    assert ctl.run("network", "limit", name, "USD", "--day", "5").stderr == ""
    said = refused(ctl, "network", "limit", name, "COP", "--day", "5000000")
    assert said == "the network has confirmed more in COP today, or owes more, than a limit can count (999999999999999.9999)"
    assert [limit["currency"] for limit in ctl.json("network", "show", name)["money_limits"]] == ["USD"]


def test_more_than_can_be_owed(ctl: Ctl, name: str) -> None:
    """A mistyped --back: every program that reads what is used of the limit, the workers too, would end with an assertion."""
    ctl.done("network", "limit", name, "COP", "--outstanding", "100")
    ctl.done("network", "remit", name, "COP", "10", "--back")
    said = refused(ctl, "network", "remit", name, "COP", "999999999999999.99", "--back")
    assert said == "amount: the network would owe more than a limit can count (999999999999999.9999); nothing was recorded"
    (limit,) = ctl.json("network", "show", name)["money_limits"]
    assert limit["outstanding_used"] == "10.00"


def test_a_limit_that_another_changes_meanwhile(stack: Stack, ctl: Ctl, name: str) -> None:
    """The bound that is not named is the one that was read, so it must still be so."""
    ctl.done("network", "limit", name, "COP", "--day", "5000000", "--outstanding", "10000000")
    with stack.mariadb.connect() as other:
        other.begin()
        other.cursor().execute("SELECT network_limit_set_now(id, 'COP', 5000000, 1000000, 'operator:ana') FROM networks WHERE name = %s", (name,))
        change = subprocess.Popen([ctl.path, "--config", ctl.config, "network", "limit", name, "COP", "--day", "7000000"],
                                  stderr=subprocess.PIPE, text=True)
        wait_until(lambda: stack.mariadb.query("SELECT 1 AS one FROM information_schema.INNODB_LOCK_WAITS"),
                   "it to wait for the other", pause=0.2)
        other.commit()
        said = change.communicate()[1]
    assert change.returncode == 1 and said == (
        "recaudoctl: somebody else has changed the network meanwhile; nothing was set: look at it (recaudoctl network show), and say it again\n")
    (limit,) = ctl.json("network", "show", name)["money_limits"]
    assert (limit["day_limit"], limit["outstanding_limit"]) == ("5000000.00", "1000000.00")


def test_those_with_no_limit_of_money(ctl: Ctl, name: str) -> None:
    """`config check` names them while they are enabled; `network list` has the limits of each."""
    def finding() -> Any:
        (found,) = [found for found in ctl.json("config", "check") if found["what"] == "money limits"]
        return found

    def listed() -> Any:
        (network,) = [network for network in ctl.json("network", "list") if network["name"] == name]
        return network["money_limits"]

    assert finding()["finding"] == "warning" and name in finding()["detail"].split("; ")[0] and listed() == []
    ctl.done("network", "disable", name)
    assert name not in finding()["detail"]
    ctl.done("network", "enable", name)
    assert name in finding()["detail"]
    ctl.done("network", "limit", name, "COP", "--day", "5000000")
    assert name not in finding()["detail"]
    assert listed() == ctl.json("network", "show", name)["money_limits"] and listed()[0]["day_limit"] == "5000000.00"


def test_config_check_names_those_with_any_ids(ctl: Ctl, name: str) -> None:
    def finding() -> Any:
        (found,) = [found for found in ctl.json("config", "check") if found["what"] == "transaction ids"]
        return found

    assert finding()["finding"] == "warning" and name in finding()["detail"]
    ctl.done("network", "set", name, "--transaction-ids", "distinct")
    assert name not in finding()["detail"]
