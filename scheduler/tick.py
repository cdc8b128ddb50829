"""One tick of the beat process, which never raises an error, and the log messages of the tick about problems."""

import logging
import uuid
from collections.abc import Callable, Collection, Sequence

from slowwave import wiring
from slowwave.domain.overview import Due
from slowwave.errors import Unavailable
from slowwave.memory import due_work
from slowwave.runtime import clock
from slowwave.wiring import Parts

log = logging.getLogger("slowwave.scheduler")
LONGEST_WAIT_SECONDS = 30.0
"""The longest time between two ticks, also while the database is unreachable."""
RING_AGAIN_SECONDS = 30.0
"""The number of seconds before workers are woken again for the same work. The pause prevents that wake-ups pile up. If
a wake-up is lost, polling workers find the work.
"""
SILENT_SECONDS = 15.0
"""The number of seconds without wake-ups after a failure of the broker. If a broker does not respond, each attempt
costs a timeout.
"""
Ring = Callable[[uuid.UUID, str], None]


class Announcements:
    """The sentences that were logged last on each topic."""

    def __init__(self) -> None:
        self._sentences: dict[str, list[str]] = {}

    def now(self, topic: str, sentences: Collection[str] = (), *, cause: Exception | None = None) -> None:
        """Log the *sentences* that are new on a *topic*. If there are no sentences, log that the problems have ended.

        *cause* is an exception, which is logged with its traceback.
        """
        before = self._sentences.pop(topic, [])
        for sentence in sentences:
            if sentence not in before:
                log.warning("%s: %s", topic, sentence, exc_info=cause)
        if sentences:
            self._sentences[topic] = list(sentences)
        elif before:
            log.warning("%s: well again", topic)


class Ticker:
    """A scheduler. *ring* wakes a worker for a scope and a job. *ring* is None without a broker; then workers poll."""

    def __init__(
        self, parts: Parts, *, by: str, ring: Ring | None, seconds: Callable[[], float] = clock.monotonic
    ) -> None:
        self._parts = parts
        self._by = by
        self._ring = ring
        self._seconds = seconds
        self._announcements = Announcements()
        self._unregistered = True
        self._failures = 0
        self._ring_at = 0.0
        self._woken_at: dict[Due, float] = {}

    def tick(self) -> float:
        """Register changed packs, fire due schedules and wake workers; return the seconds until the next tick."""
        wait = self._parts.settings.tick_seconds
        try:
            self._register()
            tick = due_work.tick(self._parts, by=self._by)
        except Unavailable:
            return self._back_off("the database does not answer; trying again until it does")
        except Exception as error:  # noqa: BLE001  the edge of the process reports; a beat that exits helps nobody
            return self._back_off(f"a tick failed with {type(error).__name__}; trying again", error)
        self._failures = 0
        self._announcements.now("tick")
        self._announcements.now("schedules", tick.problems)
        self._announce(tick.due)
        return wait

    def close(self) -> None:
        """Close every connection."""
        self._parts.close()

    def _register(self) -> None:
        watched = self._parts.watched
        if self._unregistered and watched.trust_if(lambda: wiring.is_registered(self._parts)):
            self._unregistered = False
        try:
            self._unregistered |= watched.look()
        except OSError as error:
            self._announcements.now("rule packs", [f"their folders cannot be read: {error.strerror}"])
            return
        if self._unregistered:
            wiring.register_watched(self._parts)
            self._unregistered = False
        text = "the last valid version stays in force"
        self._announcements.now("rule packs", [f"{problem}\n  {text}" for problem in watched.problems.values()])

    def _back_off(self, sentence: str, cause: Exception | None = None) -> float:
        self._announcements.now("tick", [sentence], cause=cause)
        self._failures += 1
        return float(min(self._parts.settings.tick_seconds * 2 ** min(self._failures, 10), LONGEST_WAIT_SECONDS))

    def _announce(self, due: Sequence[Due]) -> None:
        now = self._seconds()
        if self._ring is None or now < self._ring_at:
            return
        self._woken_at = {one: at for one, at in self._woken_at.items() if now - at < RING_AGAIN_SECONDS}
        try:
            for one in due:
                if one not in self._woken_at:
                    self._ring(one.scope, one.job)
                    self._woken_at[one] = now
        except Unavailable as error:
            self._ring_at = self._seconds() + SILENT_SECONDS
            self._announcements.now("broker", [f"{error.message}; workers find their work by polling"])
        else:
            self._announcements.now("broker")
