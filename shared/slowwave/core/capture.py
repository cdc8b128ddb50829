"""The rules of capture: the tool calls that become episodes, their number per minute, and the stored part of a call."""

import json
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Passed = Literal["off", "not allowed", "skipped", "too many"]
"""The reason why a call is not captured."""
CAPTURED = "tool_usage"
"""The `type` in the metadata of a captured call."""
EVERY = "*"
MINUTE_SECONDS = 60.0
DEEPEST = 32
"""The number of nesting levels that are kept of a tool's input and output."""


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """Rules of capture: allowed tools (`*` means all), skipped tools, and the maximum number of calls per scope and
    minute.
    """

    enabled: bool = False
    tools: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()
    most_per_minute: int = 120

    def passes_over(self, tool: str) -> Passed | None:
        """Return the reason why calls of *tool* are not captured, or None if calls are captured.

        Names are compared without case.

        >>> CaptureRules(True, frozenset({"read"}), frozenset({"grep"})).passes_over("Read") is None
        True
        """
        name = tool.casefold()
        if not self.enabled:
            return "off"
        if name in self.skip:
            return "skipped"
        return None if {name, EVERY} & self.tools else "not allowed"


def names(text: str) -> frozenset[str]:
    """Return the names in a comma-separated list.

    >>> sorted(names("Read, Edit,"))
    ['edit', 'read']
    """
    return frozenset(name.strip().casefold() for name in text.split(",") if name.strip())


@dataclass(slots=True)
class Minute:
    """A rate limit of *most* calls in any 60 seconds."""

    most: int
    _times: deque[float] = field(default_factory=deque)

    def admits(self, now: float) -> bool:
        """Return whether one more call is admitted at *now*, in seconds of a monotonic clock.

        An admitted call is counted.
        """
        while self._times and self._times[0] <= now - MINUTE_SECONDS:
            self._times.popleft()
        if len(self._times) >= self.most:
            return False
        self._times.append(now)
        return True

    def idle(self, now: float) -> bool:
        """Return whether all counted calls are more than a minute old at *now*."""
        return not self._times or self._times[-1] <= now - MINUTE_SECONDS


def plain(value: Any, depth: int = 0) -> Any:
    """Return *value*, which may be any value from a tool, as JSON that Postgres can store.

    >>> plain({"a": (1, float("nan"), b"x"), 2: "a\\0b"})
    {'a': [1, 'nan', "b'x'"], '2': 'a�b'}
    """
    if depth > DEEPEST:
        return "…"
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else _words(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {plain(_words(key)): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    return plain(_words(value))


def _words(value: Any) -> str:
    """Return *value* as text, or its type if it cannot be converted (such as an integer of 5 000 digits)."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - a tool's object may raise anything
        return f"<{type(value).__name__}>"


def clipped(value: Any, *, most_bytes: int) -> Any:
    """Return a plain *value*, or the beginning of its JSON if the JSON takes more than *most_bytes*."""
    text = json.dumps(value, ensure_ascii=False)
    encoded = text.encode()
    return value if len(encoded) <= most_bytes else encoded[:most_bytes].decode("utf-8", "ignore") + "…"
