"""doc/openapi.yaml as a judge: does a message have the form that the document promises?"""

import copy
import json
import re
from functools import cache
from typing import Any, Iterator, Mapping
from urllib.parse import unquote

import yaml
from jsonschema import Draft202012Validator, RefResolver

from .paths import ROOT

DOCUMENT = ROOT / "doc" / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")
MERCHANT_PATHS = re.compile(r"/(?:v1|api/v3)/(?:porders|wporders|wpkeys)")


@cache
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(DOCUMENT.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


@cache
def strict_document() -> dict[str, Any]:
    """As `document`, but no reply may have a member in its DATA that the document does not name."""
    strict = copy.deepcopy(document())
    for name, schema in strict["components"]["schemas"].items():
        if name.endswith("Data"):
            schema["additionalProperties"] = False
    return strict


def resolve(node: Any) -> Any:
    """The node, or what its $ref points to."""
    while isinstance(node, dict) and "$ref" in node:
        node = at(node["$ref"])
    return node


def at(pointer: str) -> Any:
    node: Any = document()
    for part in pointer.removeprefix("#/").split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        node = node[int(part)] if isinstance(node, list) else node[part]
    return node


def pointer(*parts: str) -> str:
    return "#/" + "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)


@cache
def validator(place: str) -> Draft202012Validator:
    """Of the schema at this JSON pointer."""
    return Draft202012Validator({"$ref": place}, resolver=RefResolver("", strict_document()))


def judge(place: str, message: Any) -> None:
    """Fails with the reason where the message does not fit the schema at `place`."""
    error = next(validator(place).iter_errors(message), None)
    assert error is None, f"{place}: {error}"


def methods_of(route: str) -> list[str]:
    return [method for method in METHODS if method in document()["paths"][route]]


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and operation of every route."""
    for path, item in document()["paths"].items():
        for method in methods_of(path):
            yield method, path, item[method]


@cache
def patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))), path) for path in document()["paths"]]


def route_of(target: str) -> str | None:
    """The documented path that a request's target means."""
    path = unquote(target.split("?")[0])
    path = re.sub(r"^/api/v3(?=/(?:porders|wporders|wpkeys))", "/v1", path).removesuffix("/")
    return next((route for pattern, route in patterns() if pattern.fullmatch(path)), None)


@cache
def reply_place(method: str, route: str, status: str) -> tuple[str, dict[str, Any]]:
    """Pointer to `content` of the reply to this request, and what is there."""
    responses = document()["paths"][route][method]["responses"]
    status = status if status in responses else "default"
    place = responses[status].get("$ref") or pointer("paths", route, method, "responses", status)
    return place + "/content", resolve(responses[status])["content"]


def judge_reply(method: str, target: str, status: int, media: str, text: str) -> None:
    """Any reply to any request. Where no operation is documented, only refusals are."""
    route, method = route_of(target), method.lower()
    if route is None:
        merchants = "Merchant" if MERCHANT_PATHS.match(target) else ""
        place, content = f"#/components/responses/{merchants}NoOperation/content", {"application/json": {}}
    elif method in document()["paths"][route]:
        place, content = reply_place(method, route, str(status))
    else:
        place, content = reply_place(methods_of(route)[0], route, "default")
    media = media.split(";")[0].strip()
    assert media in content, f"{method} {target.split('?')[0]}: {status} with {media} is not documented"
    if media == "application/json":
        judge(f"{place}/application~1json/schema", json.loads(text))


def judge_call(webhook: str, headers: Mapping[str, str], body: Any) -> None:
    """What the service sends to a merchant; `headers` have names in lower case."""
    parameters = at(pointer("webhooks", webhook, "post")).get("parameters", [])
    for number, parameter in enumerate(parameters):
        value = headers.get(parameter["name"].lower())
        assert value is not None or not parameter["required"], parameter["name"]
        if value is not None:
            judge(pointer("webhooks", webhook, "post", "parameters", str(number), "schema"), value)
    judge(pointer("webhooks", webhook, "post", "requestBody", "content", "application/json", "schema"), body)
