"""A socket of the database whose answers come late: all by the same time, or one kind when a test lets them. Or it undoes a
transaction where the rows of one statement end, as a cluster's server does when another one has changed the same rows."""

import asyncio
import struct
import threading
import time

PREPARE, EXECUTE = 0x16, 0x17  # the first byte of a command
LAST_WORD = 9  # of a reply that ends rows: header, 0xfe, warnings, status
DEADLOCK = b"\xff" + struct.pack("<H", 1213) + b"#40001Deadlock found when trying to get lock; try restarting transaction"
ROLLBACK = b"\x09\x00\x00\x00\x03ROLLBACK"


class DatabaseProxy:
    """A context manager. The settings of who is to come this way name `path` as the database's socket."""

    def __init__(self, real: str, path: str) -> None:
        self.real = real
        self.path = path
        self.answers_take = 0.0
        self.hold_answer_to = b""  # of the next command like this, until `release`; empty: of none
        self.holds_all = False  # also of those after it
        self.holding = 0  # how many have been held
        self.held = threading.Event()
        self.released = asyncio.Event()
        self.undo = b""  # where the rows of the next statement that contains this end, its transaction; empty: of none
        self.undone = 0
        self.statements: dict[bytes, bytes] = {}  # that are to be undone, by number: what `undo` said
        self.prepared: list[tuple[float, bytes]] = []  # each PREPARE, and when it came
        self.ended: list[bytes] = []  # the commands that ended transactions and were answered, in their order
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> "DatabaseProxy":
        self.thread.start()
        asyncio.run_coroutine_threadsafe(asyncio.start_unix_server(self._serve, self.path), self.loop).result(30)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)

    def release(self) -> None:
        self.loop.call_soon_threadsafe(self.released.set)

    async def _serve(self, asks: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
        from_database, to_database = await asyncio.open_unix_connection(self.real)
        asked: list[bytes] = []
        await asyncio.gather(self._pass_commands(asks, to_database, asked),
                             self._pass_answers(from_database, to_database, answers, asked))

    async def _pass_commands(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, asked: list[bytes]) -> None:
        try:
            while data := await source.read(65536):
                asked[:] = [data]
                if data[4] == PREPARE:
                    self.prepared.append((time.monotonic(), data))
                target.write(data)
                await target.drain()
        except OSError:
            pass
        target.close()

    async def _pass_answers(self, source: asyncio.StreamReader, back: asyncio.StreamWriter,
                            target: asyncio.StreamWriter, asked: list[bytes]) -> None:
        try:
            while data := await source.read(65536):
                await asyncio.sleep(self.answers_take)
                await self._hold(asked)
                if asked and self.undo:
                    data = await self._undo(asked[0], data, source, back)
                target.write(data)
                await target.drain()
                self.ended += [end for end in (b"COMMIT", b"ROLLBACK") if asked and asked[0].endswith(end)]
        except OSError:
            pass
        target.close()

    async def _hold(self, asked: list[bytes]) -> None:
        if self.hold_answer_to and asked and asked[0].endswith(self.hold_answer_to):
            if not self.holds_all:
                self.hold_answer_to = b""
            if self.released.is_set():
                self.released = asyncio.Event()
            self.holding += 1
            self.held.set()
            await self.released.wait()

    async def _undo(self, asked: bytes, answer: bytes, source: asyncio.StreamReader, back: asyncio.StreamWriter) -> bytes:
        if asked[4] == PREPARE and self.undo in asked:
            self.statements[answer[5:9]] = self.undo
        has_rows = answer[-LAST_WORD:-LAST_WORD + 3] == b"\x05\x00\x00" and answer[-LAST_WORD + 4] == 0xfe
        if asked[4] != EXECUTE or self.statements.get(asked[5:9]) != self.undo or not has_rows:
            return answer
        self.undo = b""
        self.undone += 1
        back.write(ROLLBACK)
        await source.read(65536)
        return answer[:-LAST_WORD] + struct.pack("<I", len(DEADLOCK))[:3] + answer[-LAST_WORD + 3:-LAST_WORD + 4] + DEADLOCK
