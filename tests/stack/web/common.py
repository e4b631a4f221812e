"""What the private web servers, nginx and Apache, have in common."""

import http.client
import re
from pathlib import Path


LOOPBACK = "127.0.0.1"


def replace_once(source: Path, text: str, pattern: str, value: str, times: int = 1) -> str:
    """Replaces the first group of `pattern`; anything but `times` matches means that `source` has changed."""
    def put(match: re.Match[str]) -> str:
        start, end = match.span(1)
        return match.group(0)[:start - match.start()] + value + match.group(0)[end - match.start():]

    replaced, count = re.subn(pattern, put, text, flags=re.MULTILINE)
    if count != times:
        raise ValueError(f"{source}: {pattern} matches {count} times, not {times}")
    return replaced


def answers_as_ours(pid_file: Path, pid: int, port: int, address: str = LOOPBACK) -> bool:
    """Whether the server with this pid serves our configuration at this address.

    It writes its pid after it has bound the port: until then, what answers there is somebody else.
    """
    if not pid_file.exists() or pid_file.read_text().strip() != str(pid):
        return False
    connection = http.client.HTTPConnection(address, port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().getheader("X-Recaudo-Code") == "0141"
    except OSError:
        return False
    finally:
        connection.close()
