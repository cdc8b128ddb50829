"""The capture of tool calls: the rules of the settings, and the number of calls per scope captured in this minute."""

import threading
import uuid
from collections import Counter
from dataclasses import dataclass, field

from slowwave.core.capture import CaptureRules, Minute, Passed, names
from slowwave.runtime import clock
from slowwave.settings import Settings

MOST_MINUTES = 1_000
"""The maximum number of scopes whose counts of the minute are kept. Beyond it, counts of idle scopes are dropped."""


@dataclass(slots=True)
class Capture:
    """The capture of one process. *passed_over* has the number of calls that were not captured, by reason."""

    rules: CaptureRules
    passed_over: Counter[Passed] = field(default_factory=Counter)
    _minutes: dict[uuid.UUID, Minute] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admits(self, scope: uuid.UUID, tool: str) -> bool:
        """Return whether to capture a call of *tool* now.

        A captured call counts against the scope's limit per minute.
        """
        reason = self.rules.passes_over(tool)
        now = clock.monotonic()
        with self._lock:
            if reason is None and not self._minute(scope, now).admits(now):
                reason = "too many"
            if reason is not None:
                self.passed_over[reason] += 1
        return reason is None

    def _minute(self, scope: uuid.UUID, now: float) -> Minute:
        if len(self._minutes) >= MOST_MINUTES:
            self._minutes = {id_: minute for id_, minute in self._minutes.items() if not minute.idle(now)}
        return self._minutes.setdefault(scope, Minute(self.rules.most_per_minute))


def capture(settings: Settings) -> Capture:
    """Return the capture of tool calls for a process with these *settings*."""
    return Capture(
        CaptureRules(
            settings.capture_enabled,
            names(settings.capture_tools),
            names(settings.capture_skip_tools),
            settings.capture_max_per_minute,
        )
    )
