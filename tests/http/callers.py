"""Networks that call from an address of their own choice."""

import http.client
import socket
from typing import Mapping

from tests.stack import Reply

from checked import CheckedNetwork
from world import World


def has_v6() -> bool:
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


class Caller(CheckedNetwork):
    """Calls from the loopback address `source`, with `headers` in every request."""

    def __init__(self, world: World, name: str, source: str = "127.0.0.1", headers: Mapping[str, str] | None = None,
                 base_url: str | None = None) -> None:
        super().__init__(base_url or world.stack.base_url, name, world.hashes[name])
        self.headers = dict(headers or {})
        host = "::1" if ":" in source else self.host
        self.connection = http.client.HTTPConnection(host, self.port, timeout=60, source_address=(source, 0))

    def request(self, method: str, path: str, body: bytes | str | None = None,
                headers: Mapping[str, str] | None = None) -> Reply:
        return super().request(method, path, body, {**self.headers, **(headers or {})})


def code_of(world: World, name: str, source: str = "127.0.0.1", headers: Mapping[str, str] | None = None,
            base_url: str | None = None) -> str:
    """What a lookup of nothing gets: 0101 where the caller is let in."""
    with Caller(world, name, source, headers, base_url) as caller:
        return caller.lookup("1").code
