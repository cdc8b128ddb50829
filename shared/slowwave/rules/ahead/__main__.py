"""The second process: reads the requested turns, one request after the other, until no more requests come."""

import os
import pickle
import queue
import sys
import threading
from collections.abc import Iterator
from typing import BinaryIO

from slowwave.domain.claim import Claim
from slowwave.rules.ahead import messages
from slowwave.rules.pack import Pack

IDLE_SECONDS = 60.0
"""The time without a request after which the process ends, because the process holds the packs in memory."""
_SHORT_SECONDS = 0.0005


def main() -> None:
    """Read the turns that standard input requests; end when the requesting process ends, or when no requests come."""
    sys.setswitchinterval(_SHORT_SECONDS)
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    requests = _Requests()
    threading.Thread(target=requests.listen, args=(asked,), daemon=True).start()
    requests.answer(answers)


class _Requests:
    """The waiting requests, and the numbers of the cancelled requests."""

    def __init__(self) -> None:
        self._waiting = queue.SimpleQueue[messages.NewPack | messages.ReadRequest]()
        self._stopped = set[int]()

    def listen(self, asked: BinaryIO) -> None:
        """Receive messages until the input ends; then end this process, even during a read."""
        try:
            while True:
                message = pickle.load(asked)  # the bytes come from the process that started this process
                if isinstance(message, messages.Cancellation):
                    self._stopped.add(message.number)
                else:
                    self._waiting.put(message)
        except (EOFError, pickle.UnpicklingError):
            os._exit(0)

    def answer(self, answers: BinaryIO) -> None:
        """Answer every request in order. Return after `IDLE_SECONDS` without a request."""
        packs = dict[int, Pack]()
        while True:
            try:
                message = self._waiting.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                return
            if isinstance(message, messages.NewPack):
                packs[message.number] = pickle.loads(message.pack)  # as above
                continue
            for claims in self._read(message, packs[message.pack]):
                answers.write(messages.framed(messages.ReadReply(message.number, len(claims), messages.packed(claims))))
                answers.flush()

    def _read(self, asked: messages.ReadRequest, pack: Pack) -> Iterator[list[list[Claim]]]:
        """Yield the claims of a few turns at a time, up to the first turn that fails.

        The requesting process reads the failing turn itself.
        """
        episodes = messages.turns_of(asked.episodes)
        try:
            read = pack.by_turn(messages.turns_of(asked.before), episodes)
            for start in range(0, len(episodes), messages.TOGETHER):
                if asked.number in self._stopped:
                    return
                yield [read(episode) for episode in episodes[start : start + messages.TOGETHER]]
        except Exception:  # noqa: BLE001  # the other process gets the same error and reports it in its run
            return


if __name__ == "__main__":
    main()
