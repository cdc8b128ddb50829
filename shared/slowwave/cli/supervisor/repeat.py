"""A function called every so often in a thread of its own."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Repeat:
    """Calls *action*, then waits *pause()* seconds, while the block runs; leaving it waits for a call under way."""

    def __init__(self, action: Callable[[], object], *, pause: Callable[[], float], name: str) -> None:
        self._action = action
        self._pause = pause
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"slowwave-{name}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(self._pause()):
            self._action()
