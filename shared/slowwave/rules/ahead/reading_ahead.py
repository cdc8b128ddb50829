"""The first process: the windows that the second process reads ahead, and the claims received so far."""

import contextlib
import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import BinaryIO

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports.context import Place, Proposes, Upcoming, proposed
from slowwave.rules.ahead.messages import (
    Cancellation,
    NewPack,
    ReadReply,
    ReadRequest,
    fields_of,
    take_replies,
    unpacked,
)
from slowwave.rules.pack import Pack
from slowwave.runtime import clock
from slowwave.sandbox.process import environment
from slowwave.threads import Lock

LEAST_OFFERED = 400
"""The least number of waiting turns for which a second process is started. The start takes as long as reading thousands
of turns.
"""
MOST_AHEAD = 12
"""The maximum number of windows that are read ahead. Other workers may take some of these windows."""
STALE_SECONDS = 60.0
"""The time for which a window is kept. Later, another worker has taken the window, or its turns may be erased."""
MOST_DEATHS = 3
"""The number of crashes of the second process after which this process reads alone."""
PIPE_BYTES = 256 * 1024
"""The size of the pipe for answers, if the system allows it; while the pipe is full, the second process waits."""
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Window:
    """A window that the second process reads: the turns that were sent, and the replies."""

    number: int
    pack: Pack
    before: Sequence[StoredEpisode]
    episodes: Sequence[StoredEpisode]
    since: float = field(default_factory=clock.monotonic)
    turns: int = 0
    replies: list[ReadReply] = field(default_factory=list)

    def claims(self, turns: int) -> list[Claim]:
        """Return the claims of the first *turns*."""
        found: list[list[Claim]] = []
        for reply in self.replies:
            if len(found) < turns:
                found += unpacked(reply.claims)
        return [claim for claims in found[:turns] for claim in claims]

    def turns_sent(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> int:
        """Return how many turns at the beginning of *episodes* are turns that were sent to the second process."""
        if list(before) != list(self.before):
            return 0
        pairs = zip(self.episodes, episodes, strict=False)
        return next(
            (at for at, (one, other) in enumerate(pairs) if one != other), min(len(self.episodes), len(episodes))
        )


class ReadingAhead:
    """An `Ahead` that uses a second process for rule packs.

    No call waits for the second process. The claims are the same as with one process.

    This process reads a window from its end, the second process from its beginning, until they meet.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun: dict[Place, _Window] = {}
        self._second: _SecondProcess | None = None
        self._offered = self._deaths = 0

    def begun(self) -> list[Place]:
        """Return the keys of the windows that the second process reads; drop windows older than `STALE_SECONDS`."""
        oldest = clock.monotonic() - STALE_SECONDS
        with self._lock:
            second = self._own()
            if second is None:
                return []
            second.receive()  # otherwise the second process would wait with a full pipe
            for place, window in list(self._begun.items()):
                if window.since < oldest:
                    second.stop(self._begun.pop(place))
            return list(self._begun)

    def begin(self, upcoming: Upcoming, reader: Proposes) -> None:
        """Send a window to the second process. The process starts only after `LEAST_OFFERED` turns were offered."""
        if not isinstance(reader, Pack) or not reader.reads_by_turn:
            return
        with self._lock:
            self._offered += len(upcoming.episodes)
            if self._offered < LEAST_OFFERED or not (second := self._ready()):
                return
            while len(self._begun) >= MOST_AHEAD:
                second.stop(self._begun.pop(next(iter(self._begun))))
            self._begun[upcoming.place] = second.ask(reader, upcoming.before, upcoming.episodes)

    def claims(self, window: Upcoming, reader: Proposes) -> list[Claim]:
        """Return the claims of a window. They are the same as the claims that *reader* finds alone."""
        with self._lock:
            second = self._own()
            begun = self._begun.pop(window.place, None)
        if begun is None or second is None or not (isinstance(reader, Pack) and _read_alike(begun.pack, reader)):
            return proposed(reader, window.before, window.episodes)
        before, ordered = window.before, sorted(window.episodes, key=lambda episode: episode.position)
        sent, at = begun.turns_sent(before, ordered), len(ordered)
        read: Callable[[StoredEpisode], list[Claim]] | None = None
        own: list[list[Claim]] = []
        while at > min(sent, self._arrived(second, begun)):
            read = read or reader.by_turn(before, ordered)
            at -= 1
            own.append(read(ordered[at]))
        second.stop(begun)
        return [*begun.claims(at), *(claim for claims in reversed(own) for claim in claims)]

    def close(self) -> None:
        """End the second process."""
        with self._lock:
            self._forget()

    def _arrived(self, second: "_SecondProcess", window: _Window) -> int:
        """Return the number of turns of *window* whose claims have arrived."""
        if window.turns < len(window.episodes):
            with self._lock:
                second.receive()
        return window.turns

    def _ready(self) -> "_SecondProcess | None":
        """Return the second process, restarted if it has ended; return None after `MOST_DEATHS` crashes."""
        second = self._own()
        if second is not None and (status := second.status()) is not None:
            self._forget()
            if status:
                self._deaths += 1
                _LOG.warning("the process that reads ahead ended with status %d; this one reads alone", status)
        if self._second is None and self._deaths < MOST_DEATHS:
            try:
                self._second = _SecondProcess()
            except (OSError, RuntimeError) as error:  # the system gives no process or no thread
                self._deaths += 1
                _LOG.warning(
                    "no process to read ahead could be started (%s); this one reads alone", type(error).__name__
                )
        return self._second

    def _own(self) -> "_SecondProcess | None":
        """Return the second process; None if there is none, or if the parent process started it before a fork."""
        if self._second is not None and not self._second.mine:
            self._forget()
        return self._second

    def _forget(self) -> None:
        if self._second is not None:
            self._second.end()
            self._second = None
        self._begun.clear()


class _SecondProcess:
    """The second process, with a thread that writes to it. Its replies wait in the pipe until `receive` reads them."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "slowwave.rules.ahead"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
            start_new_session=True,  # only this process gets the signals of a terminal
            pipesize=PIPE_BYTES,
        )
        assert self._popen.stdin  # standard input and output are pipes
        assert self._popen.stdout
        self._answers = self._popen.stdout.fileno()
        os.set_blocking(self._answers, False)
        self._numbers = count()
        self._packs: list[Pack] = []
        self._windows: dict[int, _Window] = {}
        self._received = bytearray()
        self._out = queue.SimpleQueue[object]()
        self.end = weakref.finalize(self, _end, self._popen, self._owner, self._out)
        threading.Thread(target=_write, args=(self._popen.stdin, self._out), name="slowwave-ahead", daemon=True).start()

    @property
    def mine(self) -> bool:
        """True if this process started the second process; False if the parent process did so before a fork."""
        return self._owner == os.getpid()

    def status(self) -> int | None:
        """Return the exit status of the second process; None while it runs."""
        return self._popen.poll()

    def ask(self, pack: Pack, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> _Window:
        """Send a window; return the object that receives its claims."""
        known = next((number for number, one in enumerate(self._packs) if _read_alike(one, pack)), None)
        if known is None:
            known = len(self._packs)
            self._packs.append(pack)
            self._out.put(NewPack(known, pickle.dumps(replace(pack, cases=()))))  # nobody reads standard error there
        window = _Window(next(self._numbers), pack, before, episodes)
        self._windows[window.number] = window
        self._out.put(ReadRequest(window.number, known, fields_of(before), fields_of(episodes)))
        return window

    def receive(self) -> None:
        """Receive the available answers without waiting."""
        with contextlib.suppress(OSError):  # no reply is available, or the second process was ended
            while part := os.read(self._answers, PIPE_BYTES):
                self._received += part
        for read in take_replies(self._received):
            if window := self._windows.get(read.number):
                window.replies.append(read)
                window.turns += read.turns

    def stop(self, window: _Window) -> None:
        """Cancel those turns of a window that are not read yet."""
        self._windows.pop(window.number, None)
        if window.turns < len(window.episodes):
            self._out.put(Cancellation(window.number))


def _read_alike(one: Pack, other: Pack) -> bool:
    """Return whether two packs make the same claims. An unchanged pack that was loaded again is a different object."""
    return one is other or (one.reader == other.reader and one.predicates == other.predicates)


def _write(pipe: BinaryIO, out: "queue.SimpleQueue[object]") -> None:
    with contextlib.suppress(OSError), pipe:  # the second process has ended
        while (message := out.get()) is not None:
            pipe.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
            pipe.flush()


def _end(process: subprocess.Popen[bytes], owner: int, out: "queue.SimpleQueue[object]") -> None:
    if os.getpid() == owner:
        process.kill()
        process.wait()
        out.put(None)  # the thread closes the pipe that it writes to
    elif process.stdin:  # after a fork, the child has the pipes, but no thread
        process.stdin.close()
    if process.stdout:
        process.stdout.close()
