"""An agent's attempt at a task: a sequence of tools between two outcomes of a session, and how it ended."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.claim import Source


@dataclass(frozen=True, slots=True)
class Way:
    """A way of doing a kind of *task*: tools in their order, repeats in a row counted as one.

    Names are compared as beliefs are: without case, white space collapsed. An empty task is an unnamed one.
    """

    task: str
    tools: tuple[str, ...]

    @property
    def name(self) -> str:
        """The tools in words. One whose name holds the arrow itself is quoted."""
        return " → ".join(f'"{tool}"' if "→" in tool else tool for tool in self.tools)

    @property
    def subject(self) -> str:
        """The subject of a belief about this way."""
        return f"task {self.task}" if self.task else "any task"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way that was tried, known from the episode that says how it ended.

    *named* is set where the outcome names the strategy it is about instead of following its calls; *way* is None
    until that is looked up. *description* and *context_pattern* are the agent's own words, where it gave any.
    *local* is the same instant by the clock of whom it was told by. *outcome* and *calls* are the episodes behind it.
    """

    way: Way | None
    success: bool
    at: datetime
    local: datetime
    session: str
    outcome: Source
    calls: tuple[Source, ...] = ()
    named: uuid.UUID | None = None
    description: str = ""
    context_pattern: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool: whether it succeeded and how long it took, in milliseconds."""

    tool: str
    task: str
    success: bool
    latency_ms: float
    at: datetime
