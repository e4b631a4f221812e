"""proxy LISTEN TARGET: between the programs and the database's socket, with the faults that a network has.

Commands come as lines on standard input; it ends with that.
  delay SECONDS   every packet of a client waits so long before it goes on; 0: it is well again
  cut WAY TIMES   as many commits are cut off from now on. WAY: before (it never arrives), half (a part of it arrives),
                  after (it is done, its answer is lost)
A commit is COMMIT, and any prepared statement outside a transaction, for that commits by itself. Each cut is a line on
standard output.
"""

import asyncio
import os
import sys

HEADER = 4
COM_QUERY = 0x03
COM_STMT_EXECUTE = 0x17
CUTS = ("before", "half", "after")


class Faults:
    def __init__(self) -> None:
        self.delay = 0.0
        self.way = ""
        self.times = 0

    def obey(self, line: str) -> None:
        match line.split():
            case ["delay", seconds]:
                self.delay = float(seconds)
            case ["cut", way, times] if way in CUTS:
                self.way, self.times = way, int(times)
            case _:
                raise ValueError(f"not a command: {line!r}")

    def take_cut(self) -> str:
        """The way to cut the commit at hand; "" leaves it alone."""
        if self.times == 0:
            return ""
        self.times -= 1
        print(f"cut {self.way}", flush=True)
        return self.way


class Cut(Exception):
    """This connection is to be cut off."""


class Link:
    """One connection of a program, and the one to the database that belongs to it."""

    def __init__(self, faults: Faults, client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
                 server: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        self.faults = faults
        self.client, self.to_client = client
        self.server, self.to_server = server
        self.in_transaction = False
        self.is_deaf = False

    async def run(self) -> None:
        pumps = [asyncio.create_task(self._requests()), asyncio.create_task(self._answers())]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        for writer in (self.to_client, self.to_server):
            writer.transport.abort()

    async def _requests(self) -> None:
        while True:
            header = await self.client.readexactly(HEADER)
            body = await self.client.readexactly(int.from_bytes(header[:3], "little"))
            if self.faults.delay:
                await asyncio.sleep(self.faults.delay)
            packet = header + body
            way = self.faults.take_cut() if self._commits(header[3], body) else ""
            if way == "before":
                raise Cut
            if way == "half":
                self.to_server.write(packet[:HEADER + 1])
                await self.to_server.drain()
                raise Cut
            self.is_deaf = way == "after"
            self.to_server.write(packet)
            await self.to_server.drain()

    async def _answers(self) -> None:
        while chunk := await self.server.read(65536):
            if self.is_deaf:
                raise Cut
            self.to_client.write(chunk)
            await self.to_client.drain()

    def _commits(self, sequence: int, body: bytes) -> bool:
        if sequence != 0 or not body:
            return False
        if body[0] == COM_STMT_EXECUTE:
            return not self.in_transaction
        if body[0] != COM_QUERY:
            return False
        text = body[1:].strip().upper()
        if text.startswith(b"START TRANSACTION"):
            self.in_transaction = True
        elif text in (b"COMMIT", b"ROLLBACK"):
            self.in_transaction = False
        return text == b"COMMIT"


async def serve(listen: str, target: str) -> None:
    faults = Faults()
    links: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server = await asyncio.open_unix_connection(target)
        except OSError:
            writer.transport.abort()
            return
        link = asyncio.create_task(Link(faults, (reader, writer), server).run())
        links.add(link)
        link.add_done_callback(links.discard)

    server = await asyncio.start_unix_server(connected, listen, backlog=512)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        faults.obey(line.decode())
    server.close()
    os.unlink(listen)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2]))
