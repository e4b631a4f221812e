"""A socket of the database whose answers come late: all by the same time, or one kind when a test lets them."""

import asyncio
import threading


class DatabaseProxy:
    """A context manager. The settings of who is to come this way name `path` as the database's socket."""

    def __init__(self, real: str, path: str) -> None:
        self.real = real
        self.path = path
        self.answers_take = 0.0
        self.hold_answer_to = b""  # of the next command like this, until `release`; empty: of none
        self.held = threading.Event()
        self.released = asyncio.Event()
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
                             self._pass_answers(from_database, answers, asked))

    @staticmethod
    async def _pass_commands(source: asyncio.StreamReader, target: asyncio.StreamWriter, asked: list[bytes]) -> None:
        try:
            while data := await source.read(65536):
                asked[:] = [data]
                target.write(data)
                await target.drain()
        except OSError:
            pass
        target.close()

    async def _pass_answers(self, source: asyncio.StreamReader, target: asyncio.StreamWriter,
                            asked: list[bytes]) -> None:
        try:
            while data := await source.read(65536):
                await asyncio.sleep(self.answers_take)
                await self._hold(asked)
                target.write(data)
                await target.drain()
                self.ended += [end for end in (b"COMMIT", b"ROLLBACK") if asked and asked[0].endswith(end)]
        except OSError:
            pass
        target.close()

    async def _hold(self, asked: list[bytes]) -> None:
        if self.hold_answer_to and asked and asked[0].endswith(self.hold_answer_to):
            self.hold_answer_to = b""
            self.released = asyncio.Event()
            self.held.set()
            await self.released.wait()
