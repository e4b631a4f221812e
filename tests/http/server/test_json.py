"""Bodies that are not the JSON that the protocol asks for, and unusual ones that are."""

import json

import pytest

from checked import CheckedNetwork, expect
from world import COMMERCE, World

pytestmark = pytest.mark.web

JSON = {"Content-Type": "application/json"}

# Members that are put into an otherwise right request: NAME is its first key, written again.
BAD_MEMBERS = {
    "NaN": b'"x":NaN', "Infinity": b'"x":Infinity', "-Infinity": b'"x":-Infinity', "point without digits": b'"x":1.',
    "no digit before the point": b'"x":.5', "leading zero": b'"x":01', "leading plus": b'"x":+1',
    "hexadecimal": b'"x":0x1f',
    "exponent without digits": b'"x":1e', "lonely minus": b'"x":-', "True": b'"x":True', "nil": b'"x":nil',
    "word": b'"x":truex',
    "no value": b'"x":', "no colon": b'"x" 1', "number as key": b'1:1', "key without quotes": b'x:1',
    "single quotes": b"'x':1",
    "single quotes around a value": b"\"x\":'1'", "comment": b'/* */"x":1', "line comment": b'//\n"x":1',
    "comma twice": b'"x":1,',
    "open array": b'"x":[1', "crossed brackets": b'"x":[{]}', "comma in an array": b'"x":[1,]',
    "key twice": b'"x":1,"x":2', "key twice, equal values": b'"x":1,"x":1', "known key twice": b'"teller":"10.0.0.1"',
    "key twice, once escaped": b'"\\u0074eller":"10.0.0.1"', "key twice in an object inside": b'"x":{"y":1,"y":1}',
    "key twice inside an array": b'"x":[{"y":1,"y":1}]', "empty key twice": b'"":1,"":2',
    "raw control character": b'"x":"a\x01b"', "raw new line": b'"x":"a\nb"', "raw tab": b'"x":"a\tb"',
    "raw 0x1f": b'"x":"\x1f"',
    "control character between": b'\x0b"x":1', "no-break space between": '\u00a0"x":1'.encode(),
    "NUL in a string": b'"x":"a\x00b"', "NUL as an escape": b'"x":"a\\u0000b"', "NUL in a key": b'"x\\u0000":1',
    "unknown escape": b'"x":"\\x41"', "escape at the end": b'"x":"\\"', "short escape": b'"x":"\\u12"',
    "no hex": b'"x":"\\u12g4"',
    "half a pair": b'"x":"\\ud83d"', "second half alone": b'"x":"\\ude00"',
    "pair turned round": b'"x":"\\ude00\\ud83d"',
    "half a pair and text": b'"x":"\\ud83dx"', "two first halves": b'"x":"\\ud83d\\ud83d"',
    "0xFF": b'"x":"\xff"', "continuation alone": b'"x":"\x80"', "cut character": b'"x":"\xc3"',
    "overlong": b'"x":"\xc0\xaf"',
    "overlong in three": b'"x":"\xe0\x80\xaf"', "surrogate": b'"x":"\xed\xa0\x80"',
    "beyond Unicode": b'"x":"\xf4\x90\x80\x80"',
    "five bytes": b'"x":"\xf8\x88\x80\x80\x80"', "Latin-1": b'"x":"\xd1and\xfa"', "0xFF in a key": b'"\xff":1',
    "too deep": b'"x":' + b"[" * 8 + b"]" * 8, "far too deep": b'"x":' + b"[" * 5000 + b"]" * 5000,
    "far too deep and open": b'"x":' + b'{"x":' * 1500}

GOOD_MEMBERS = {
    "depth of eight": b'"x":' + b"[" * 7 + b"]" * 7,
    "numbers": b'"x":[0,-0,-1.5e-7,1E+10,1e400,123456789012345678901234567890]',
    "escapes": b'"x":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00f1\\ud83d\\ude00"', "0x7f": b'"x":"\x7f"',
    "every length of UTF-8": '"x":"añ€😀"'.encode(),
    "last character": b'"x":"\xf4\x8f\xbf\xbf"', "words": b'"x":[true,false,null]', "empty": b'"x":[{},[],""]',
    "white space": b' \t\r\n"x" \t\r\n: \t\r\n1 \t\r\n', "same key at two levels": b'"x":{"name":1,"x":2}'}


def body(world: World, network: CheckedNetwork) -> bytes:
    return json.dumps(network.registration(world.order().reference, "45000", world.fresh(), COMMERCE)).encode()


def refuse(world: World, network: CheckedNetwork, sent: bytes, method: str = "POST") -> None:
    with world.nothing_written():
        reply = network.request(method, "/v1/transactions/", sent, JSON)
    assert expect(reply, "0140", "body").status == 400


@pytest.mark.parametrize("member", BAD_MEMBERS.values(), ids=BAD_MEMBERS.keys())
@pytest.mark.parametrize("place", ["first", "last"])
def test_bad_member(world: World, network: CheckedNetwork, member: bytes, place: str) -> None:
    right = body(world, network)
    refuse(world, network, b"{" + member + b"," + right[1:] if place == "first" else right[:-1] + b"," + member + b"}")


@pytest.mark.parametrize("member", GOOD_MEMBERS.values(), ids=GOOD_MEMBERS.keys())
def test_good_member(world: World, network: CheckedNetwork, member: bytes) -> None:
    sent = body(world, network)[:-1] + b"," + member + b"}"
    expect(network.request("POST", "/v1/transactions/", sent, JSON), "0000")


@pytest.mark.parametrize("sent", [
    b"", b" ", b"\n", b"null", b"true", b"1", b'"x"', b"[]", b"[1]", b"{", b"}", b'"', b"'", b"{]", b"{,}", b"\x00",
    b"\xff", b"x",
    b"name=x&checksum=y", b"<xml/>", b"\xef\xbb\xbf{}", b"{}{}", b"{}x", b"{}\x00", b"{},", b"{}//", b"{}[]"], ids=repr)
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_no_object(world: World, network: CheckedNetwork, sent: bytes, method: str) -> None:
    refuse(world, network, sent, method)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_empty_object(world: World, network: CheckedNetwork, method: str) -> None:
    with world.nothing_written():
        expect(network.request(method, "/v1/transactions/", b"{}", JSON), "0011", "name", "missing")


@pytest.mark.parametrize("before, after",
                         [(b"", b"x"), (b"", b"{}"), (b"", b"\x00"), (b"", b"\x00garbage"), (b"", b","), (b"", b"]"),
                                           (b"[", b"]"), (b"\xef\xbb\xbf", b""), (b"\x00", b""), (b"", b"\x0b"),
                                           (b"\xfe\xff", b"")])
def test_right_object_with_something_around_it(world: World, network: CheckedNetwork, before: bytes,
                                               after: bytes) -> None:
    refuse(world, network, before + body(world, network) + after)


def test_white_space_around_it(world: World, network: CheckedNetwork) -> None:
    sent = b" \t\r\n" + body(world, network) + b" \t\r\n"
    expect(network.request("POST", "/v1/transactions/", sent, JSON), "0000")


def test_every_cut_of_a_right_body(world: World, network: CheckedNetwork) -> None:
    right = body(world, network)
    with world.nothing_written():
        for size in range(len(right)):
            reply = network.request("POST", "/v1/transactions/", right[:size], JSON)
            assert (reply.status, reply.code) == (400, "0140"), size


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp037"])
def test_other_encodings(world: World, network: CheckedNetwork, encoding: str) -> None:
    refuse(world, network, body(world, network).decode().encode(encoding))


def test_escaped_and_plain_text_are_the_same(world: World, network: CheckedNetwork) -> None:
    """The checksum is over the text that the JSON means."""
    order = world.order()
    transaction = "ñ😀/" + world.fresh()
    fields = network.registration(order.reference, "45000", transaction, COMMERCE)
    plain = json.dumps(fields, ensure_ascii=False).encode()
    escaped = json.dumps(fields).replace("/", "\\/").encode()
    assert plain != escaped
    text = expect(network.request("POST", "/v1/transactions/", plain, JSON), "0000").text
    assert network.request("POST", "/v1/transactions/", escaped, JSON).text == text
