"""Hosts that are network namespaces, and what is between them."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

from tests.stack.paths import system_program

from .switch import address

SWITCH = Path(__file__).with_name("switch.py")
OUTSIDE = 0  # the host of networks, merchants and of this program


def move_to(place: int) -> None:
    """The calling thread's, and of those it makes."""
    if ctypes.CDLL(None, use_errno=True).setns(place, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Lan:
    """A context manager, within which the calling thread lives on the host OUTSIDE. It takes root."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts

    def __enter__(self) -> "Lan":
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.switch = subprocess.Popen([sys.executable, str(SWITCH), str(self.hosts)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.switch.stdout is not None
        self.places = self.switch.stdout.readline().split()
        if len(self.places) != self.hosts:
            raise RuntimeError("the network cannot be made: this takes root and /dev/net/tun")
        place = os.open(self.places[OUTSIDE], os.O_RDONLY)
        move_to(place)
        os.close(place)
        return self

    def __exit__(self, *_: object) -> None:
        move_to(self.home)
        os.close(self.home)
        self._orders.close()
        self.switch.wait(10)

    @staticmethod
    def address(host: int) -> str:
        return address(host)

    def inside(self, host: int) -> list[str]:
        """The command that runs another one on a host."""
        return [system_program("nsenter"), f"--net={self.places[host]}", "--"]

    def lose(self, one: int, other: int, share: float) -> None:
        self._tell(f"lose {one} {other} {share}")

    def delay(self, one: int, other: int, seconds: float) -> None:
        self._tell(f"delay {one} {other} {seconds}")

    def make_well(self) -> None:
        for one in range(self.hosts):
            for other in range(self.hosts):
                if one != other:
                    self.lose(one, other, 0)
                    self.delay(one, other, 0)

    def _tell(self, order: str) -> None:
        self._orders.write(order + "\n")
        self._orders.flush()

    @property
    def _orders(self) -> IO[str]:
        assert self.switch.stdin is not None
        return self.switch.stdin
