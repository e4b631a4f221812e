"""POST /v1/transactions/: fields that are missing, of the wrong type, empty, too long, or hold control characters."""

from typing import Any

import pytest

from checked import CheckedNetwork, expect
from fields import ABSENT, CONTROL, NOT_TEXT, with_field
from world import COMMERCE, World

MANDATORY = ["name", "reference", "amount", "transaction", "commerce", "teller", "money", "checksum"]
OPTIONAL = ["nombres", "apellido1", "apellido2"]

# Fields whose malformed values have a CODE of their own; of the others it is 0011.
OWN_CODE = {"amount": "0021", "transaction": "0010", "money": "0023", "checksum": "0025"}

LONGEST = {"name": 40, "reference": 25, "transaction": 64, "commerce": 100, "teller": 64, "money": 3, "nombres": 100,
           "apellido1": 100, "apellido2": 100}


@pytest.fixture
def request_fields(world: World, network: CheckedNetwork) -> dict[str, str]:
    """A registration that would be accepted."""
    return network.registration(world.order().reference, "45000", world.fresh(), COMMERCE, nombres="Ana",
                                apellido1="Núñez", apellido2="Ríos")


def with_right_checksum(network: CheckedNetwork, fields: dict[str, Any]) -> dict[str, Any]:
    """So that nothing but the field itself can be the reason of a refusal."""
    texts = {name: value
             for name, value in fields.items() if isinstance(value, str) and name not in ("name", "checksum")}
    needed = {"reference", "amount", "transaction", "commerce"}
    if needed <= texts.keys():
        fields["checksum"] = network.registration(**texts)["checksum"]
    return fields


def refuse(world: World, network: CheckedNetwork, fields: dict[str, Any], code: str, *words: str) -> None:
    with world.nothing_written():
        expect(network.post(fields), code, *words)


def test_the_request_itself_is_accepted(network: CheckedNetwork, request_fields: dict[str, str]) -> None:
    expect(network.post(request_fields), "0000")


@pytest.mark.parametrize("field", MANDATORY)
def test_missing(world: World, network: CheckedNetwork, request_fields: dict[str, str], field: str) -> None:
    refuse(world, network, with_field(request_fields, field, ABSENT), "0011", field, "missing")


@pytest.mark.parametrize("field", OPTIONAL)
def test_optional(network: CheckedNetwork, request_fields: dict[str, str], field: str) -> None:
    expect(network.post(with_field(request_fields, field, ABSENT)), "0000")


@pytest.mark.parametrize("field", MANDATORY + OPTIONAL)
@pytest.mark.parametrize("value", NOT_TEXT, ids=repr)
def test_not_a_string(world: World, network: CheckedNetwork, request_fields: dict[str, str], field: str,
                      value: Any) -> None:
    refuse(world, network, with_field(request_fields, field, value), "0011", field)


@pytest.mark.parametrize("field", MANDATORY)
def test_empty(world: World, network: CheckedNetwork, request_fields: dict[str, str], field: str) -> None:
    fields = with_right_checksum(network, with_field(request_fields, field, ""))
    fields[field] = ""
    refuse(world, network, fields, OWN_CODE.get(field, "0011"), field)


@pytest.mark.parametrize("field", LONGEST)
@pytest.mark.parametrize("character", ["7", "ñ", "\U0001f600"])
def test_too_long(world: World, network: CheckedNetwork, request_fields: dict[str, str], field: str,
                  character: str) -> None:
    fields = with_right_checksum(network, with_field(request_fields, field, character * (LONGEST[field] + 1)))
    refuse(world, network, fields, OWN_CODE.get(field, "0011"), field)


@pytest.mark.parametrize("field", LONGEST)
@pytest.mark.parametrize("where", ["{}{}", "{1}{0}"])
@pytest.mark.parametrize("character", CONTROL, ids=repr)
def test_control_characters(world: World, network: CheckedNetwork, request_fields: dict[str, str], field: str,
                            where: str, character: str) -> None:
    short = request_fields[field][:LONGEST[field] - len(character)]
    fields = with_right_checksum(network, with_field(request_fields, field, where.format(short, character)))
    refuse(world, network, fields, OWN_CODE.get(field, "0011"), field)


@pytest.mark.parametrize("reference", ["1.5", "1 2", "1_2", "ñ", "１２３", "+1", "1e3"[:2] + "!", "../1"])
def test_malformed_reference(world: World, network: CheckedNetwork, request_fields: dict[str, str],
                             reference: str) -> None:
    fields = with_right_checksum(network, with_field(request_fields, "reference", reference))
    refuse(world, network, fields, "0011", "reference")


@pytest.mark.parametrize("field", ["reference", "amount", "transaction"])
def test_checksum_covers(world: World, network: CheckedNetwork, other: CheckedNetwork, request_fields: dict[str, str],
                         field: str) -> None:
    """The digest of one request is no good for another one."""
    values = {"reference": world.order().reference, "amount": "45000.00", "transaction": world.fresh()}
    refuse(world, network, with_field(request_fields, field, values[field]), "0025")


def test_checksum_covers_the_name(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                  request_fields: dict[str, str]) -> None:
    refuse(world, network, with_field(request_fields, "name", other.name), "0025")


@pytest.mark.parametrize("change", [str.upper, str.title])
def test_case_of_the_digest(network: CheckedNetwork, request_fields: dict[str, str], change: Any) -> None:
    expect(network.post(with_field(request_fields, "checksum", change(request_fields["checksum"]))), "0000")


def test_checksum_is_joined_without_separators(world: World, network: CheckedNetwork) -> None:
    """Digits that move from one field to the next leave the digest right, but make another request."""
    order = world.order()
    fields = network.registration(order.reference, "45000", "007" + world.fresh_number(), COMMERCE)
    moved = {**fields, "amount": "4500000", "transaction": fields["transaction"][2:]}
    refuse(world, network, moved, "0021")
