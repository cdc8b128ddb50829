"""Sources that the settings name, asked all at once: none waits for another, and none keeps the answer from coming."""

import functools
import logging
import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slowwave import clock
from slowwave.plugins import brought, made, unknown
from slowwave.ports.sources import Foreign, Source
from slowwave.settings import Settings

SOURCES = "slowwave.sources"
"""The entry points by which a package brings one: a name, and a function that takes nothing and gives a `Source`."""
AT_ONCE = 4
"""Questions that one source is asked at a time: one that hangs holds so many threads, and no more."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """The entries that sources found, by the name of each; and of those that *failed*, in words why."""

    found: Mapping[str, Sequence[Foreign]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


def ask_sources(settings: Settings, question: str, *, user: str, limit: int) -> Told:
    """Return what the sources of *settings* find, each within its seconds. Raises `Incorrect` for one there is not."""
    names = [name for name in map(str.strip, settings.sources.split(",")) if name]
    asked = {name: _Asked(_source(name)) for name in dict.fromkeys(names)}
    for name, one in asked.items():
        one.begin(name, question, user, limit)
    end = clock.monotonic() + settings.source_seconds
    answers = {name: one.wait(end - clock.monotonic(), limit) for name, one in asked.items()}
    failed = {name: answer for name, answer in answers.items() if isinstance(answer, _Why)}
    for name, why in failed.items():
        _LOG.warning("the source %s %s", name, why.partition(":")[0])  # what follows may quote the question
    return Told({name: answer for name, answer in answers.items() if not isinstance(answer, _Why)}, failed)


class _Why(str):
    """The words that say why a source has no answer: a text that it gives itself is no such thing."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Open:
    """A source, and how many more questions it is asked meanwhile."""

    source: Source
    free: threading.BoundedSemaphore


@functools.cache
def _source(name: str) -> _Open:
    """Made once a process: a source may hold a connection."""
    if name not in brought(SOURCES):
        raise unknown("source", name, brought(SOURCES))
    return _Open(made(SOURCES, "source", name, does="search"), threading.BoundedSemaphore(AT_ONCE))


@dataclass(slots=True)
class _Asked:
    """A question to one source, in a thread of its own: nobody waits for it longer than is said."""

    open: _Open
    answers: queue.SimpleQueue[object] = field(default_factory=queue.SimpleQueue)

    def begin(self, name: str, question: str, user: str, limit: int) -> None:
        if not self.open.free.acquire(blocking=False):
            return self.answers.put(_Why(f"is still busy with {AT_ONCE} earlier questions"))

        def ask() -> None:
            try:
                self.answers.put(self.open.source.search(question, user=user, limit=limit))
            except Exception as error:  # noqa: BLE001  # the edge to a package that somebody else wrote
                self.answers.put(_Why(f"failed with {type(error).__name__}: {error}"))
            finally:
                self.open.free.release()

        threading.Thread(target=ask, name=f"slowwave-source-{name}", daemon=True).start()

    def wait(self, seconds: float, limit: int) -> list[Foreign] | _Why:
        """Return the answer, or why there is none."""
        try:
            answer = self.answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return _Why("did not answer in time")
        if isinstance(answer, _Why):
            return answer
        if isinstance(answer, Sequence) and all(isinstance(one, Foreign) for one in answer):
            return list(answer)[:limit]
        return _Why(f"answered with {type(answer).__name__}, and not with entries")
