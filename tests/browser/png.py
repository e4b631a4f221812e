"""The pixels of a PNG as a browser writes it: 8 bits a channel, not interlaced."""

import struct
import zlib
from pathlib import Path


def chunks(data: bytes) -> dict[bytes, bytes]:
    """The parts by their names, those of one name joined."""
    found: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        found[name] = found.get(name, b"") + data[at + 8:at + 8 + size]
        at += size + 12
    return found


def predict(kind: int, left: int, above: int, corner: int) -> int:
    """What a filter adds to a byte (PNG, 9.2)."""
    if kind < 4:
        return (0, left, above, (left + above) // 2)[kind]
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def rows(picture: Path) -> list[list[tuple[int, ...]]]:
    """Its rows of pixels, each pixel its channels."""
    found = chunks(picture.read_bytes())
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", found[b"IHDR"])
    channels = {2: 3, 6: 4}[colours]
    assert (depth, interlaced) == (8, 0)
    data, size = zlib.decompress(found[b"IDAT"]), width * channels
    above, result = bytearray(size), []
    for number in range(height):
        at = number * (size + 1)
        kind, line = data[at], bytearray(data[at + 1:at + 1 + size])
        if kind:
            for i in range(size):
                left, corner = (line[i - channels], above[i - channels]) if i >= channels else (0, 0)
                line[i] = (line[i] + predict(kind, left, above[i], corner)) & 255
        result.append([tuple(line[i:i + 3]) for i in range(0, size, channels)])
        above = line
    return result
