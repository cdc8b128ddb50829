"""The near side: what is begun in the process that reads ahead, and the claims that it has found by now."""

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
from slowwave.rules.ahead.frames import Asked, Read, Stopped, Taught, cut, told, unpacked
from slowwave.rules.pack import Pack
from slowwave.runtime import clock
from slowwave.sandbox.process import environment
from slowwave.threads import Lock

WORTH = 400
"""The turns that wait to be read before a second process is started, which takes as long as reading thousands."""
MOST_AHEAD = 12
"""The windows that are held ahead at most; another worker may take some of them meanwhile."""
STALE_SECONDS = 60.0
"""How long a window is held: by then another worker has taken it, or its turns may have been erased."""
MOST_DEATHS = 3
"""How often the second process may die before this one does without."""
PIPE_BYTES = 256 * 1024
"""The answers that wait in the pipe at most, where the system allows that many; the other process then pauses."""
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Window:
    """A window that the far side reads: what it was sent, and what came back, turn by turn."""

    number: int
    pack: Pack
    before: Sequence[StoredEpisode]
    episodes: Sequence[StoredEpisode]
    since: float = field(default_factory=clock.monotonic)
    turns: int = 0
    replies: list[Read] = field(default_factory=list)

    def claims(self, turns: int) -> list[Claim]:
        """Return the claims of the first *turns*."""
        found: list[list[Claim]] = []
        for reply in self.replies:
            if len(found) < turns:
                found += unpacked(reply.claims)
        return [claim for claims in found[:turns] for claim in claims]

    def shared(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> int:
        """Return how many of *episodes*, from the first on, are the turns that were sent."""
        if list(before) != list(self.before):
            return 0
        pairs = zip(self.episodes, episodes, strict=False)
        return next(
            (at for at, (one, other) in enumerate(pairs) if one != other), min(len(self.episodes), len(episodes))
        )


class ReadingAhead:
    """An `Ahead` for rule packs, with a process of its own: nothing waits for it, and it changes no answer.

    A window is read from its end by this process, and from its beginning by the other, until they meet.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun: dict[Place, _Window] = {}
        self._far: _Far | None = None
        self._offered = self._deaths = 0

    def begun(self) -> list[Place]:
        """Return the windows that are being read, by where they begin; drop those held for long."""
        oldest = clock.monotonic() - STALE_SECONDS
        with self._lock:
            far = self._own()
            if far is None:
                return []
            far.receive()  # or it would pause with a full pipe
            for place, window in list(self._begun.items()):
                if window.since < oldest:
                    far.stop(self._begun.pop(place))
            return list(self._begun)

    def begin(self, upcoming: Upcoming, reader: Proposes) -> None:
        """Have a window read by the other process, if that is worth starting it."""
        if not isinstance(reader, Pack) or not reader.reads_by_turn:
            return
        with self._lock:
            self._offered += len(upcoming.episodes)
            if self._offered < WORTH or not (far := self._ready()):
                return
            while len(self._begun) >= MOST_AHEAD:
                far.stop(self._begun.pop(next(iter(self._begun))))
            self._begun[upcoming.place] = far.ask(reader, upcoming.before, upcoming.episodes)

    def claims(self, window: Upcoming, reader: Proposes) -> list[Claim]:
        """Return the claims of a window, as if *reader* had read it alone."""
        with self._lock:
            far = self._own()
            begun = self._begun.pop(window.place, None)
        if begun is None or far is None or not (isinstance(reader, Pack) and _read_alike(begun.pack, reader)):
            return proposed(reader, window.before, window.episodes)
        before, ordered = window.before, sorted(window.episodes, key=lambda episode: episode.position)
        shared, at = begun.shared(before, ordered), len(ordered)
        read: Callable[[StoredEpisode], list[Claim]] | None = None
        own: list[list[Claim]] = []
        while at > min(shared, self._arrived(far, begun)):
            read = read or reader.by_turn(before, ordered)
            at -= 1
            own.append(read(ordered[at]))
        far.stop(begun)
        return [*begun.claims(at), *(claim for claims in reversed(own) for claim in claims)]

    def close(self) -> None:
        """End the other process."""
        with self._lock:
            self._forget()

    def _arrived(self, far: "_Far", window: _Window) -> int:
        """Return how many turns of *window* have come back."""
        if window.turns < len(window.episodes):
            with self._lock:
                far.receive()
        return window.turns

    def _ready(self) -> "_Far | None":
        """Return the other process, started again if it ended; None once it has died too often."""
        far = self._own()
        if far is not None and (status := far.status()) is not None:
            self._forget()
            if status:
                self._deaths += 1
                _LOG.warning("the process that reads ahead ended with status %d; this one reads alone", status)
        if self._far is None and self._deaths < MOST_DEATHS:
            try:
                self._far = _Far()
            except (OSError, RuntimeError) as error:  # no process, or no thread, is to be had
                self._deaths += 1
                _LOG.warning(
                    "no process to read ahead could be started (%s); this one reads alone", type(error).__name__
                )
        return self._far

    def _own(self) -> "_Far | None":
        """Return the other process, unless it is that of the process from which this one was forked."""
        if self._far is not None and not self._far.mine:
            self._forget()
        return self._far

    def _forget(self) -> None:
        if self._far is not None:
            self._far.end()
            self._far = None
        self._begun.clear()


class _Far:
    """The other process, with a thread that writes to it. Its answers wait in the pipe until somebody looks."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "slowwave.rules.ahead"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment(),
            start_new_session=True,  # a terminal's signals are meant for this process, whose end is its end
            pipesize=PIPE_BYTES,
        )
        assert self._popen.stdin  # both are pipes
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
        """True if this process started it, and not the one it was forked from."""
        return self._owner == os.getpid()

    def status(self) -> int | None:
        """Return how it ended; None while it runs."""
        return self._popen.poll()

    def ask(self, pack: Pack, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> _Window:
        """Have a window read; return where its claims will be."""
        known = next((number for number, one in enumerate(self._packs) if _read_alike(one, pack)), None)
        if known is None:
            known = len(self._packs)
            self._packs.append(pack)
            self._out.put(Taught(known, pickle.dumps(replace(pack, cases=()))))  # which nobody reads there
        window = _Window(next(self._numbers), pack, before, episodes)
        self._windows[window.number] = window
        self._out.put(Asked(window.number, known, told(before), told(episodes)))
        return window

    def receive(self) -> None:
        """Take in the answers that have come, without waiting for more."""
        with contextlib.suppress(OSError):  # nothing more has come, or it was ended meanwhile
            while part := os.read(self._answers, PIPE_BYTES):
                self._received += part
        for read in cut(self._received):
            if window := self._windows.get(read.number):
                window.replies.append(read)
                window.turns += read.turns

    def stop(self, window: _Window) -> None:
        """Have no more of a window read."""
        self._windows.pop(window.number, None)
        if window.turns < len(window.episodes):
            self._out.put(Stopped(window.number))


def _read_alike(one: Pack, other: Pack) -> bool:
    """Return whether two packs make the same claims: one that was loaded again, without a change, is another object."""
    return one is other or (one.reader == other.reader and one.predicates == other.predicates)


def _write(pipe: BinaryIO, out: "queue.SimpleQueue[object]") -> None:
    with contextlib.suppress(OSError), pipe:  # it ended, or was ended
        while (message := out.get()) is not None:
            pipe.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
            pipe.flush()


def _end(process: subprocess.Popen[bytes], owner: int, out: "queue.SimpleQueue[object]") -> None:
    if os.getpid() == owner:
        process.kill()
        process.wait()
        out.put(None)  # the thread closes its pipe
    elif process.stdin:  # a fork has the pipes, too, and no thread
        process.stdin.close()
    if process.stdout:
        process.stdout.close()
