"""switch.py HOSTS: makes that many hosts, network namespaces of their own, and the network between them.

Each host has one interface, a tap device whose other end is here: frames go from one to another as the link between the two says.
It prints the paths of the namespaces in a line, then does what each line of its input says:

    lose FROM TO SHARE     so many of the frames from one host to another are lost: 1 is all
    delay FROM TO SECONDS  the others are late by this

Both hosts are numbers from 0 on. It ends with its input; the namespaces last as long as a process in them.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass
from typing import Iterator

NETWORK = "10.77.0"
DEVICE = b"lan0"
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFHWADDR = 0x8914, 0x8916, 0x891C, 0x8924
IFF_UP_AND_RUNNING = 0x41
ARPHRD_ETHER = 1
LONGEST_FRAME = 2048
FRAMES_AT_ONCE = 64


def address(host: int) -> str:
    return f"{NETWORK}.{host + 1}"


def hardware_address(host: int) -> bytes:
    return bytes((2, 0, 0, 0, 0, host + 1))


def configure(interface: bytes, request: int, value: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, request, struct.pack("16s24s", interface, value))


def internet(text: str) -> bytes:
    return struct.pack("=HH4s", socket.AF_INET, 0, socket.inet_aton(text))


def make_host(number: int) -> int:
    """This process lives in the new namespace from now on. The other end of its device."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", DEVICE, IFF_TAP | IFF_NO_PI))
    configure(DEVICE, SIOCSIFHWADDR, struct.pack("=H6s", ARPHRD_ETHER, hardware_address(number)))
    configure(DEVICE, SIOCSIFADDR, internet(address(number)))
    configure(DEVICE, SIOCSIFNETMASK, internet("255.255.255.0"))
    for interface in (b"lo", DEVICE):
        configure(interface, SIOCSIFFLAGS, struct.pack("=H", IFF_UP_AND_RUNNING))
    return tap


@dataclass
class Link:
    lost: float = 0.0
    late: float = 0.0


class Switch:
    """`ends` are where the frames of each host come out and go in."""

    def __init__(self, ends: list[int]) -> None:
        self.ends = ends
        self.links = {(one, other): Link() for one in range(len(ends)) for other in range(len(ends)) if one != other}
        self.waiting: list[tuple[float, int, int, bytes]] = []
        self.count = 0

    def obey(self, command: str) -> None:
        what, one, other, value = command.split()
        link = self.links[int(one), int(other)]
        if what == "lose":
            link.lost = float(value)
        elif what == "delay":
            link.late = float(value)
        else:
            raise ValueError(command)

    def receivers(self, source: int, frame: bytes) -> Iterator[int]:
        """Of a frame: the host with its address, or all others where it is for everybody."""
        for host in range(len(self.ends)):
            if host != source and (frame[0] & 1 or frame[:6] == hardware_address(host)):
                yield host

    def forward(self, source: int) -> None:
        for _ in range(FRAMES_AT_ONCE):
            try:
                frame = os.read(self.ends[source], LONGEST_FRAME)
            except BlockingIOError:
                return
            for host in self.receivers(source, frame):
                link = self.links[source, host]
                if link.lost and random.random() < link.lost:
                    continue
                if link.late:
                    self.count += 1
                    heapq.heappush(self.waiting, (time.monotonic() + link.late, self.count, host, frame))
                else:
                    self.deliver(host, frame)

    def deliver(self, host: int, frame: bytes) -> None:
        try:
            os.write(self.ends[host], frame)
        except BlockingIOError:
            pass  # a full queue loses frames, here as elsewhere

    def deliver_late(self) -> float | None:
        """What is due; the seconds until the next is."""
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, _, host, frame = heapq.heappop(self.waiting)
            self.deliver(host, frame)
        return max(0.0, self.waiting[0][0] - time.monotonic()) if self.waiting else None

    def run(self, orders: int) -> None:
        """Until `orders` has ended."""
        poll = select.epoll()
        for end in (*self.ends, orders):
            poll.register(end, select.EPOLLIN)
        hosts, text = {end: host for host, end in enumerate(self.ends)}, b""
        while True:
            for end, _ in poll.poll(self.deliver_late()):
                if end != orders:
                    self.forward(hosts[end])
                    continue
                read = os.read(orders, 4096)
                if not read:
                    return
                *lines, text = (text + read).split(b"\n")
                for line in lines:
                    self.obey(line.decode())


def main() -> None:
    ends, places = [], []
    for number in range(int(sys.argv[1])):
        ends.append(make_host(number))
        place = os.open("/proc/self/ns/net", os.O_RDONLY)
        places.append(f"/proc/{os.getpid()}/fd/{place}")
    print(*places, flush=True)
    Switch(ends).run(sys.stdin.fileno())


if __name__ == "__main__":
    main()
