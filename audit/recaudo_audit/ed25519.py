"""Verifying Ed25519 signatures (RFC 8032), because Python's standard library cannot. Slow: some milliseconds each."""

import base64
from hashlib import sha256, sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1
PREFIX = bytes.fromhex("302a300506032b6570032100")  # of a public key in DER
Point = tuple[int, int, int, int]  # x = X/Z, y = Y/Z, x*y = T/Z


def add(a: Point, b: Point) -> Point:
    left, right = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    t, z = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = right - left, z - t, z + t, right + left
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(factor: int, point: Point) -> Point:
    out = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            out = add(out, point)
        point = add(point, point)
        factor >>= 1
    return out


def equal(a: Point, b: Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def decompress(encoded: bytes) -> Point | None:
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64 or BASE is None:
        return False
    key, point = decompress(public), decompress(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or point is None or scalar >= ORDER:
        return False
    challenge = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % ORDER
    return equal(multiply(scalar, BASE), add(point, multiply(challenge, key)))


def read_public_keys(pem: str) -> dict[str, bytes]:
    """The keys of a file by their ids."""
    keys = {}
    for block in pem.split("-----BEGIN PUBLIC KEY-----")[1:]:
        der = base64.b64decode("".join(block.split("-----END")[0].split()))
        if not der.startswith(PREFIX) or len(der) != len(PREFIX) + 32:
            raise ValueError("a public key is no Ed25519 key")
        public = der[len(PREFIX):]
        keys[sha256(public).hexdigest()[:16]] = public
    if not keys:
        raise ValueError("there is no public key (PEM)")
    return keys
