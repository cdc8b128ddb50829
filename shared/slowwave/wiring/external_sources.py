"""External sources that the settings name, asked concurrently.

A slow source delays neither the other sources nor the answer.
"""

import functools
import logging
import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slowwave.ports.recall import ExternalEntry, Source
from slowwave.runtime import clock
from slowwave.runtime.extras import entry_point_names, load_plugin, unknown
from slowwave.settings import Settings

SOURCES = "slowwave.sources"
"""The group of entry points for sources. Each maps a name to a function without arguments that returns a `Source`."""
AT_ONCE = 4
"""The maximum number of concurrent questions to one source. A source that hangs blocks at most as many threads."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SourceAnswers:
    """The entries that sources returned (*found*), and why other sources *failed*, by name of the source."""

    found: Mapping[str, Sequence[ExternalEntry]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


def ask_sources(settings: Settings, question: str, *, user: str, limit: int) -> SourceAnswers:
    """Return what the sources of *settings* find within the time limit. Raises `Incorrect` for an unknown source."""
    names = [name for name in map(str.strip, settings.sources.split(",")) if name]
    asked = {name: _Asked(_source(name)) for name in dict.fromkeys(names)}
    for name, one in asked.items():
        one.begin(name, question, user, limit)
    end = clock.monotonic() + settings.source_seconds
    answers = {name: one.wait(end - clock.monotonic(), limit) for name, one in asked.items()}
    failed = {name: answer for name, answer in answers.items() if isinstance(answer, _Why)}
    for name, why in failed.items():
        _LOG.warning("the source %s %s", name, why.partition(":")[0])  # the text after the colon may quote the question
    return SourceAnswers({name: answer for name, answer in answers.items() if not isinstance(answer, _Why)}, failed)


class _Why(str):
    """The reason why a source has no answer.

    The separate type distinguishes a reason from a text that a source returns.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Open:
    """A source, and the number of further questions that may be sent to the source now (*free*)."""

    source: Source
    free: threading.BoundedSemaphore


@functools.cache
def _source(name: str) -> _Open:
    """Return the source named *name*. A source is made once per process, because it may hold a connection."""
    if name not in entry_point_names(SOURCES):
        raise unknown("source", name, entry_point_names(SOURCES))
    return _Open(load_plugin(SOURCES, "source", name, does="search"), threading.BoundedSemaphore(AT_ONCE))


@dataclass(slots=True)
class _Asked:
    """A question to one source.

    A separate thread asks the source, so that a caller never waits longer than the time limit.
    """

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

    def wait(self, seconds: float, limit: int) -> list[ExternalEntry] | _Why:
        """Return the answer, or the reason why there is no answer."""
        try:
            answer = self.answers.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return _Why("did not answer in time")
        if isinstance(answer, _Why):
            return answer
        if isinstance(answer, Sequence) and all(isinstance(one, ExternalEntry) for one in answer):
            return list(answer)[:limit]
        return _Why(f"answered with {type(answer).__name__} instead of entries")
