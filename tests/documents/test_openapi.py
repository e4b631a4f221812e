"""doc/openapi.yaml: well formed, whole, and in step with the route table and the table of codes."""

import json
import re
from typing import Any, Iterator

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from checksums import SECRET, checksum
from tests.stack.contract import at, document, judge, judge_call, judge_reply, operations, pointer, route_of, validator
from tests.stack.paths import ROOT

OPERATION_MEMBERS = {"tags", "operationId", "summary", "description", "parameters", "requestBody", "responses"}
FIELD_TABLES = {"LOOKUP_FIELDS": None, "REGISTRATION_FIELDS": "Registration", "CONFIRMATION_FIELDS": "Confirmation",
                "FIELDS": "Porder", "REFUND_FIELDS": "Refund", "PLUGIN_KEYS_FIELDS": "PluginKeys"}
LENGTHS = {"NAME_MAX_CHARACTERS": 40, "PERSON_NAME_MAX": 100, "MERCHANT_MAX": 50, "REASON_MAX": 250,
           "REFERENCE_MAX": 25, "ORDER_NUMBER_MAX": 200}


def nodes(node: Any, *place: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every node below, with its place."""
    yield place, node
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, member in members:
        yield from nodes(member, *place, str(name))


def schemas() -> Iterator[tuple[str, Any]]:
    for name in document()["components"]["schemas"]:
        yield pointer("components", "schemas", name), at(pointer("components", "schemas", name))
    for place, node in nodes(document()):
        if place and place[-1] == "schema":
            yield pointer(*place), node


def examples() -> Iterator[tuple[str, Any]]:
    """Every example with the place of its schema."""
    for place, node in nodes(document()):
        if not isinstance(node, dict) or "schema" not in node:
            continue
        for example in [node["example"]] if "example" in node else []:
            yield pointer(*place, "schema"), example
        for example in node.get("examples", {}).values():
            yield pointer(*place, "schema"), example["value"]


def worker_routes() -> set[tuple[str, str]]:
    source = (ROOT / "src" / "api" / "worker" / "route.c").read_text()
    table = source.split("ROUTES[] = {")[1].split("};")[0]
    for name, text in re.findall(r'^#define (\w+) +("[^"]*")$', source, re.MULTILINE):
        table = re.sub(rf"\b{name}\b", text, table).replace('" "', "")
    return {(method.lower(), path) for method, path in re.findall(r'\{"([A-Z]+)", "([^"]+)"', table)}


def test_version_and_members() -> None:
    assert document()["openapi"].startswith("3.1.")
    assert set(document()) <= {"openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"}
    assert {"title", "version"} <= set(document()["info"])
    known = {tag["name"] for tag in document()["tags"]}
    for method, path, operation in operations():
        assert set(operation) <= OPERATION_MEMBERS and {"operationId", "summary", "responses"} <= set(operation), path
        assert set(operation["tags"]) <= known
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))


def test_every_reference_leads_somewhere() -> None:
    references = [(place, node["$ref"]) for place, node in nodes(document()) if isinstance(node, dict) and "$ref" in node]
    assert len(references) > 100
    for place, reference in references:
        assert isinstance(at(reference), dict), place


def test_every_component_is_used() -> None:
    used = {node["$ref"] for _, node in nodes(document()) if isinstance(node, dict) and "$ref" in node}
    for kind, components in document()["components"].items():
        for name in components:
            assert pointer("components", kind, name) in used, name


@pytest.mark.parametrize("place, schema", schemas(), ids=lambda value: value if isinstance(value, str) else "")
def test_schemas_are_valid(place: str, schema: Any) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        pytest.fail(f"{place}: {error.message}")
    for _, node in nodes(schema):
        if isinstance(node, dict) and isinstance(node.get("pattern"), str):
            re.compile(node["pattern"])


KEYWORDS = {"$ref", "additionalProperties", "allOf", "anyOf", "const", "dependentRequired", "description", "enum",
            "maxLength", "maxProperties", "maximum", "minLength", "minimum", "not", "oneOf", "pattern", "properties",
            "required", "type"}


def subschemas(schema: Any) -> Iterator[Any]:
    """The schema and all those in it."""
    yield schema
    if isinstance(schema, dict):
        inner = [*schema.get("properties", {}).values(), *schema.get("allOf", []), *schema.get("anyOf", []),
                 *schema.get("oneOf", []), *([schema["not"]] if "not" in schema else [])]
        for one in inner:
            yield from subschemas(one)


@pytest.mark.parametrize("place, schema", schemas(), ids=lambda value: value if isinstance(value, str) else "")
def test_schemas_are_objects_of_known_keywords(place: str, schema: Any) -> None:
    """A boolean schema stops a common generator; a comma without quotes makes a keyword of half a sentence."""
    for one in subschemas(schema):
        assert isinstance(one, dict) and set(one) <= KEYWORDS, (place, one)


def parameters_of(holder: Any) -> list[Any]:
    """Those that stand there, and those that are referred to."""
    shared = document()["components"]["parameters"]
    return [shared[parameter["$ref"].rsplit("/", 1)[1]] if "$ref" in parameter else parameter
            for parameter in holder.get("parameters", [])]


def test_parameters_of_a_path_are_described() -> None:
    for method, path, operation in operations():
        given = [*parameters_of(document()["paths"][path]), *parameters_of(operation)]
        described = {parameter["name"] for parameter in given if parameter["in"] == "path"}
        assert described == set(re.findall(r"\{(\w+)\}", path)), path
        assert all(parameter["required"] is (parameter["in"] != "header") for parameter in given), path


def test_routes_are_those_of_the_worker() -> None:
    documented = {(method, re.sub(r"\{\w+\}", "{}", path)) for method, path, _ in operations()}
    assert documented == worker_routes()


def test_codes_are_those_of_the_protocol() -> None:
    rows = re.findall(r"^\| (\d{4}) \| .* \| \d{3} \|$", (ROOT / "doc" / "protocol.md").read_text(), re.MULTILINE)
    assert document()["components"]["schemas"]["Code"]["enum"] == rows


def fields_of_the_worker(table: str) -> dict[str, tuple[bool, int]]:
    """Name, whether it is needed, and the length of each field that the worker reads; 0: judged by its form alone."""
    found = {}
    for source in ("messages.c", "merchant/porder_messages.c"):
        text = (ROOT / "src" / "wire" / source).read_text()
        match = re.search(rf"\b{table}\[\] = \{{(.*?)\}};", text, re.DOTALL)
        for name, need, most in re.findall(r'\{"(\w+)", FIELD_(\w+), \w+, (\w+),', match[1] if match else ""):
            found[name] = (need == "REQUIRED", LENGTHS[most] if most in LENGTHS else int(most))
    assert found, table
    return found


def longest(schema: Any) -> int | None:
    """The greatest length that a string may have, by maxLength or by the pattern."""
    if "$ref" in schema:
        return longest(at(schema["$ref"]))
    if "maxLength" in schema:
        return int(schema["maxLength"])
    match = re.search(r"\{(?:\d+,)?(\d+)\}\$$", schema.get("pattern", ""))
    inner = [longest(part) for part in (*schema.get("allOf", []), *schema.get("anyOf", []))]
    return int(match[1]) if match else next((most for most in inner if most is not None), None)


@pytest.mark.parametrize("table, name", [(table, name) for table, name in FIELD_TABLES.items() if name])
def test_fields_are_those_of_the_worker(table: str, name: str) -> None:
    schema = document()["components"]["schemas"][name]
    fields = fields_of_the_worker(table)
    assert set(schema["properties"]) == set(fields)
    assert set(schema["required"]) == {field for field, (needed, _) in fields.items() if needed}
    for field, (_, most) in fields.items():
        known = longest(schema["properties"][field])
        if most > 0 and known is not None:
            assert field in ("money", "country") or known == most, field


def test_no_text_has_control_characters() -> None:
    """The worker refuses them in every field, and the answer to an external query that has one is not valid."""
    for name in (*filter(None, FIELD_TABLES.values()), "PluginPorder", "ExternalOrder"):
        for field in document()["components"]["schemas"][name]["properties"]:
            for character in "\x01\x1f\x7f\x80\x9f":
                assert not validator(pointer("components", "schemas", name, "properties", field)).is_valid(f"a@b{character}c"), (name, field)


@pytest.mark.parametrize("text, right", [("Número 5", True), ("日本語", True), ("e\u0301", True), ("a-b_c", True), ("a,b", False), ("a.b", False),
                                         ("#7", False), ("a/b", False), ("a\u00A0b", False)])
def test_description_in_every_alphabet(text: str, right: bool) -> None:
    """The patterns are ECMAScript's, where \\w is ASCII alone: re.ASCII is the same."""
    pattern = document()["components"]["schemas"]["ExternalOrder"]["properties"]["description"]["pattern"]
    assert (re.search(pattern, text, re.ASCII) is not None) == right


@pytest.mark.parametrize("place, example", examples(), ids=lambda value: value if isinstance(value, str) else "")
def test_examples_fit(place: str, example: Any) -> None:
    judge(place, example)


def test_checksums_of_the_examples() -> None:
    """Each one in the examples, by the name of its message."""
    def values(message: dict[str, Any], names: str) -> list[str]:
        return [str(message[name]) for name in names.split()]

    by_schema = {"Registration": ("register", "name reference amount transaction"), "Confirmation": ("confirm", "name transaction"),
                 "Porder": ("porder", "email country order money amount"), "Refund": ("refund", "order merchant amount"),
                 "ExternalQuery": ("query", "reference currency netname timestamp_start")}
    checked = set()
    for place, example in examples():
        name = str(at(place).get("$ref", "")).rsplit("/", 1)[-1]
        if name in by_schema:
            recipe, names = by_schema[name]
            assert example["checksum"] == checksum(recipe, SECRET, *values(example, names)), place
        elif name == "PluginPorder":
            email, order, amount = values(example, "email order amount")
            assert example["checksum"] == checksum("porder", SECRET, email, "", order, "", amount)
        elif name == "PluginKeys":
            assert example["Checksum"] == checksum("notification-sha256", SECRET, *values(example, "Po_id Status"))
        elif name == "ExternalAnswer" and example["CODE"] == "0000":
            recipe = "answer-with-limits" if "min" in example["DATA"] else "answer"
            names = "order amount min max timestamp_end" if "min" in example["DATA"] else "order amount timestamp_end"
            assert example["DATA"]["checksum"] == checksum(recipe, SECRET, *values(example["DATA"], names))
        elif name == "Notification":
            recipe = "notification-sha256" if len(example["pv_checksum"]) == 64 else "notification-sha512"
            assert example["pv_checksum"] == checksum(recipe, SECRET, example["po_id"], example["status"])
        else:
            continue
        checked.add(name)
    assert checked == {*by_schema, "PluginPorder", "PluginKeys", "ExternalAnswer", "Notification"}


def test_checksums_of_the_parameters() -> None:
    for path, item in document()["paths"].items():
        for holder in (item, *(item[method] for method in ("get",) if method in item)):
            given = {parameter["name"]: parameter.get("example") for parameter in parameters_of(holder)}
            if "checksum" in given and "name" in given:
                assert given["checksum"] == checksum("lookup", SECRET, given["name"], given["reference"])
            elif "checksum" in given:
                assert given["checksum"] == checksum("porder-query", SECRET, given["order"], given["merchant"])


def test_the_example_of_a_signature() -> None:
    """That of the page of the checksums."""
    shared = document()["components"]["parameters"]
    identifier, timestamp, signature = (shared[name]["example"] for name in ("SignatureId", "SignatureTimestamp", "Signature"))
    assert re.fullmatch(shared["Signature"]["schema"]["pattern"], signature)
    assert signature == checksum("signature", SECRET, identifier, timestamp, "PATCH", "/v1/transactions/",
                                 '{"name":"Red Ñandú €","confirm":"true"}')


OK_LOOKUP = {"CODE": "0000", "TEXT": "OK",
             "DATA": {"LASTNAME1": "", "LASTNAME2": "", "AMOUNT": 1.0, "DESCRIPTION": "", "DI": "", "COMMERCE": "x", "REFERENCE": "1",
                      "TYPEDI": "", "NAME": ""}}


def changed(**members: Any) -> dict[str, Any]:
    return {**OK_LOOKUP, "DATA": {**OK_LOOKUP["DATA"], **members}}  # type: ignore[dict-item]


@pytest.mark.parametrize("target, status, media, body", [
    ("/v1/orders/1", 200, "application/json", changed(AMOUNT="1.00")),
    ("/v1/orders/1", 200, "application/json", changed(SECRET="x")),
    ("/v1/orders/1", 200, "application/json", {"CODE": "0000", "TEXT": "OK"}),
    ("/v1/orders/1", 200, "application/json", {"CODE": "0016", "TEXT": "no code of this route"}),
    ("/v1/orders/1", 200, "application/json", {"CODE": "0102", "TEXT": "OK"}),
    ("/v1/orders/1", 503, "application/json", {"CODE": "0009", "TEXT": "no code of this status"}),
    ("/v1/orders/1", 200, "text/plain", OK_LOOKUP),
    ("/v1/porders/1", 200, "application/json", {"CODE": "0041", "TEXT": "DESC is missing"}),
    ("/nowhere", 200, "application/json", OK_LOOKUP),
    ("/nowhere", 404, "application/json", {"CODE": "0101", "TEXT": "no code of nowhere"}),
])
def test_replies_that_do_not_fit_are_noticed(target: str, status: int, media: str, body: dict[str, Any]) -> None:
    judge_reply("GET", "/v1/orders/1?name=x", 200, "application/json; charset=utf-8", json.dumps(OK_LOOKUP))
    with pytest.raises(AssertionError):
        judge_reply("GET", target, status, media, json.dumps(body))


@pytest.mark.parametrize("target, route", [
    ("/v1/orders/1?name=x", "/v1/orders/{reference}"), ("/v1/transactions/", "/v1/transactions"),
    ("/api/v3/porders/", "/v1/porders"), ("/api/v3/porders/x/refund", "/v1/porders/{order}/refund"),
    ("/api/v3/wporders", "/v1/wporders"), ("/api/v3/wpkeys/", "/v1/wpkeys"), ("/api/v3/wp", None),
    ("/v1/%6frders/1", "/v1/orders/{reference}"), ("/v1/orders/1/2", None), ("/api/v3/orders/1", None), ("/", None)])
def test_routes_of_requests(target: str, route: str | None) -> None:
    assert route_of(target) == route


def test_calls_that_do_not_fit_are_noticed() -> None:
    query = at("#/webhooks/externalQuery/post/requestBody/content/application~1json/examples/query/value")
    judge_call("externalQuery", {}, query)
    with pytest.raises(AssertionError):
        judge_call("externalQuery", {}, {**query, "currency": "1"})


def test_headers_that_do_not_fit_are_noticed() -> None:
    message = at("#/webhooks/notification/post/requestBody/content/application~1json/examples/approved/value")
    headers = {"webhook-id": f"ntf_{'0' * 32}", "webhook-timestamp": "1", "webhook-signature": f"v1,{'A' * 43}="}
    judge_call("notification", headers, message)
    for name in headers:
        for others in ({**headers, name: "?"}, {kept: value for kept, value in headers.items() if kept != name}):
            with pytest.raises(AssertionError):
                judge_call("notification", others, message)
