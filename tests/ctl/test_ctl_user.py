"""recaudoctl user: who may use the console."""

from tests.stack import Ctl, Stack

from operator_steps import MERCHANT


def events(stack: Stack, name: str) -> list[tuple[str, str | None]]:
    rows = stack.mariadb.query("SELECT e.what, e.to_state FROM events e JOIN console_users u ON u.id = e.subject_id"
                               " WHERE e.subject = 'user' AND u.name = %s ORDER BY e.id", name)
    return [(row["what"], row["to_state"]) for row in rows]


def test_add_show_set_disable(stack: Stack, ctl: Ctl) -> None:
    made = ctl.json("user", "add", "user-ana@example.com", "--role", "viewer")
    assert (made["role"], made["merchant"], made["enabled"]) == ("viewer", None, True)
    assert made["changed_by"].startswith("operator:")
    changed = ctl.json("user", "set", "user-ana@example.com", "--role", "merchant", "--merchant", MERCHANT)
    assert (changed["role"], changed["merchant"]) == ("merchant", MERCHANT)
    assert ctl.json("user", "set", "user-ana@example.com", "--role", "merchant", "--merchant", MERCHANT) == changed
    assert ctl.json("user", "disable", "user-ana@example.com")["enabled"] is False
    assert ctl.json("user", "disable", "user-ana@example.com")["enabled"] is False
    assert ctl.json("user", "enable", "user-ana@example.com")["enabled"] is True
    assert "user-ana@example.com" in [user["name"] for user in ctl.json("user", "list")]
    assert events(stack, "user-ana@example.com") == [("created", "enabled"), ("changed", None), ("state", "disabled"),
                                                     ("state", "enabled")]


def test_refusals(ctl: Ctl) -> None:
    ctl.done("user", "add", "user-eva", "--role", "support")
    for words, code, said in [
            (("user", "add", "user-eva", "--role", "support"), 1, "user user-eva already exists"),
            (("user", "add", "user-new", "--role", "admin"), 1, "none of viewer, support, operator and merchant"),
            (("user", "add", "user-new", "--role", "merchant"), 2, "--merchant goes with --role merchant"),
            (("user", "add", "user-new", "--role", "viewer", "--merchant", MERCHANT), 2, "--merchant goes with"),
            (("user", "add", "user-new", "--role", "merchant", "--merchant", "nobody"), 1, "there is no merchant nobody"),
            (("user", "add", "user-new"), 2, "role"),
            (("user", "add", "operator:ana", "--role", "viewer"), 1, "name: begins with operator:"),
            (("user", "add", "Operator:ana", "--role", "viewer"), 1, "name: begins with operator:"),
            (("user", "add", "db:root@localhost", "--role", "viewer"), 1, "name: begins with db:"),
            (("user", "add", "x" * 65, "--role", "viewer"), 1, "longer than 64"),
            (("user", "set", "user-new", "--role", "viewer"), 1, "there is no user user-new"),
            (("user", "disable", "user-new"), 1, "there is no user user-new"),
            (("user", "show", "user-new"), 1, "there is no user user-new")]:
        result = ctl.run(*words)
        assert result.returncode == code and said in result.stderr, (words, result.stderr)
