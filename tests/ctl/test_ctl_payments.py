"""What the operator sees of payments, made through the service."""

from tests.stack import Ctl, Network, Stack, wait_until

from operator_steps import (
    COMMERCE, INSTANT, MERCHANT, NETWORK, add_order, fresh, fresh_number, instants, misused, refused)

TAKES_EFFECT = 30.0  # 5 s by the protocol; a busy machine takes longer for the requests that look


def close_window(stack: Stack, transaction: str) -> None:
    """Lets the cancellation window be over by moving it back."""
    stack.mariadb.query("UPDATE transactions t LEFT JOIN orders o ON o.held_by = t.id"
                        "   SET t.confirmed_at = t.confirmed_at - INTERVAL 1 HOUR,"
                        "       t.window_ends_at = t.window_ends_at - INTERVAL 1 HOUR,"
                        "       o.held_until = o.held_until - INTERVAL 1 HOUR"
                        " WHERE t.network_transaction = %s", transaction)


def dispatch(stack: Stack) -> None:
    result = stack.dispatcher.once()
    assert result.returncode == 0, result.stderr


def pay(network: Network, reference: str, amount: str = "45000", commerce: str = COMMERCE) -> str:
    """Registers and confirms; the transaction id."""
    transaction = fresh("T")
    assert network.register(reference, amount, transaction, commerce).code == "0000"
    assert network.confirm(transaction).code == "0000"
    return transaction


def test_order_on_its_way_to_paid(ctl: Ctl, stack: Stack, network: Network) -> None:
    reference = add_order(ctl)["reference"]
    transaction = pay(network, reference)
    held = ctl.json("order", "show", reference)
    assert held["state"] == "PENDIENTE" and INSTANT.fullmatch(held["held_until"])
    (payment,) = held["transactions"]
    assert (payment["network"], payment["transaction"], payment["state"]) == (NETWORK, transaction, "CONFIRMADA")
    assert payment["amount"] == "45000.00" and payment["window_ends_at"] == held["held_until"]

    close_window(stack, transaction)
    closed = ctl.json("order", "show", reference)
    assert (closed["state"], closed["state_written"], closed["window_closed"]) == ("APROBADA", "APROBADA", False)
    assert closed["transactions"][0]["state"] == "FINALIZADA"
    assert reference in [order["reference"] for order in ctl.json("order", "list", "--state", "APROBADA")]

    dispatch(stack)
    paid = ctl.json("order", "show", reference)
    assert (paid["state"], paid["state_written"], paid["held_until"]) == ("APROBADA", "APROBADA", None)
    (notification,) = paid["notifications"]
    assert (notification["status"], notification["state"], notification["attempts"]) == ("approved", "unaddressed", [])
    story = [(event["what"], event["to"]) for event in paid["events"] if event["what"] != "changed"]
    assert story == [("created", "PENDIENTE"), ("held", "PENDIENTE"), ("state", "APROBADA")]
    assert [event["actor"].split(":")[0] for event in paid["events"]][0] == "operator"
    assert all(INSTANT.fullmatch(text) for text in instants(paid))


def test_history_for_people(ctl: Ctl, stack: Stack, network: Network) -> None:
    order = add_order(ctl)
    transaction = pay(network, order["reference"])
    assert f"payment {transaction} becomes final unless it is cancelled before" in ctl.done("order", "show", order["reference"])
    close_window(stack, transaction)
    dispatch(stack)
    history = ctl.done("order", "show", order["reference"]).split("history:\n")[1]
    for words in ("the order comes in, PENDIENTE", f"payment {transaction} registered",
                  f"payment {transaction} confirmed", f"payment {transaction} can no longer be cancelled",
                  "PENDIENTE becomes APROBADA", "the merchant is to be notified: approved"):
        assert words in history
    by = {line[21:].rsplit(maxsplit=1)[0].strip(): line.split()[-1] for line in history.splitlines()[1:]}
    assert by[f"payment {transaction} confirmed"] == f"network:{NETWORK}"
    assert by[f"payment {transaction} can no longer be cancelled"] == "-", "nobody does that"
    moments = [line[:20] for line in history.splitlines()[1:]]
    assert moments == sorted(moments)


def test_cancelled_payment(ctl: Ctl, network: Network) -> None:
    reference = add_order(ctl)["reference"]
    transaction = pay(network, reference)
    assert network.confirm(transaction, False).code == "0000"
    shown = ctl.json("order", "show", reference)
    assert (shown["state"], shown["held_until"], shown["transactions"][0]["state"]) == ("PENDIENTE", None, "CANCELADA")
    assert "free again: the payment was cancelled" in ctl.done("order", "show", reference)


def test_transaction_show(ctl: Ctl, network: Network) -> None:
    order, transaction = add_order(ctl, description="Zapatos"), fresh("T ñ")
    reply = network.register(order["reference"], "45000.0", transaction, COMMERCE, nombres="Ana", apellido1="Pérez")
    shown = ctl.json("transaction", "show", NETWORK, transaction)
    expected = {"network": NETWORK, "transaction": transaction, "idservice": int(reply.data["IDSERVICE"]),
                "state": "REGISTRADA", "state_written": "REGISTRADA", "amount": "45000.00", "currency": "COP",
                "reference": order["reference"], "pv_po_id": order["pv_po_id"], "account": None, "commerce": COMMERCE,
                "description": "Zapatos", "teller": "192.0.2.10", "nombres": "Ana", "apellido1": "Pérez",
                "apellido2": None, "confirmed_at": None, "window_ends_at": None,
                "finalised_at": None, "cancelled_at": None}
    assert {key: shown[key] for key in expected} == expected
    assert [(event["what"], event["to"]) for event in shown["events"]] == [("created", "REGISTRADA")]
    assert f"transaction    {transaction}\n" in ctl.done("transaction", "show", NETWORK, transaction)


def test_transaction_that_is_not_there(ctl: Ctl, network: Network) -> None:
    said = refused(ctl, "transaction", "show", NETWORK, "none")
    assert said == f"network {NETWORK} has registered no transaction none"
    assert refused(ctl, "transaction", "show", "nobody", "T").startswith("there is no network nobody")


def test_transaction_list(ctl: Ctl, network: Network) -> None:
    transactions = [fresh("T") for _ in range(3)]
    for transaction in transactions:
        assert network.register(add_order(ctl)["reference"], "45000", transaction, COMMERCE).code == "0000"
    network.confirm(transactions[1])
    network.confirm(transactions[2], False)

    def listed(*options: str) -> list[str]:
        rows = ctl.json("transaction", "list", *options)
        return [row["transaction"] for row in rows if row["transaction"] in transactions]

    assert listed() == transactions[::-1] == listed("--network", NETWORK)
    assert [listed("--state", state) for state in ("REGISTRADA", "CONFIRMADA", "FINALIZADA", "CANCELADA")] == [
        transactions[:1], transactions[1:2], [], transactions[2:]]
    assert listed("--since", "9999999999") == []
    (second,) = [row["registered_at"] for row in ctl.json("transaction", "list") if row["transaction"] == transactions[1]]
    assert (listed("--until", second), listed("--since", second)) == (transactions[:1], transactions[:0:-1])
    assert misused(ctl, "transaction", "list", "--until", "noon").startswith("--until is seconds since 1970")
    assert misused(ctl, "transaction", "list", "--state", "PENDIENTE").startswith("--state is REGISTRADA")
    assert refused(ctl, "transaction", "list", "--network", "nobody").startswith("there is no network")


def test_account_with_movements(ctl: Ctl, stack: Stack, network: Network) -> None:
    document = fresh_number()
    ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana")
    transactions = [pay(network, document, amount, "recaudo") for amount in ("100.25", "0.5")]
    assert ctl.json("account", "show", document)["balance"] == "0.00"
    for transaction in transactions:
        close_window(stack, transaction)
    dispatch(stack)
    shown = ctl.json("account", "show", document)
    assert shown["balance"] == "100.75" and len(shown["movements"]) == 2
    last = shown["movements"][-1]
    assert (last["balance"], last["network"], list(last)) == (
        "100.75", NETWORK, ["at", "amount", "balance", "network", "transaction"])
    assert {movement["transaction"]: movement["amount"] for movement in shown["movements"]} == dict(
        zip(transactions, ("100.25", "0.50")))
    assert ctl.json("transaction", "show", NETWORK, transactions[0])["account"] == document


def test_switching_a_merchant(ctl: Ctl, network: Network) -> None:
    reference = add_order(ctl)["reference"]
    for verb, code in (("disable", "0019"), ("enable", "0000")):
        ctl.done("merchant", verb, MERCHANT)
        wait_until(lambda: network.lookup(reference).code == code, f"{verb} to take effect", TAKES_EFFECT)


def test_rotated_secret_is_the_one_that_counts(ctl: Ctl, stack: Stack) -> None:
    name, order = fresh("red"), add_order(ctl)
    old = ctl.json("network", "add", name)["fixed_hash"]
    new = ctl.json("network", "rotate", name, "--now")["fixed_hash"]
    with Network(stack.base_url, name, new) as after, Network(stack.base_url, name, old) as before:
        assert after.lookup(order["reference"]).code == "0000"
        assert before.lookup(order["reference"]).code == "0025"
