"""An agent's attempt at a task: the sequence of tools between two outcomes of a session, and its result."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.claim import Source


@dataclass(frozen=True, slots=True)
class Way:
    """A way of doing a kind of *task*, as tools in order. Consecutive repeats of a tool count once.

    Names that differ only in case or white space are equal, as in beliefs. An empty *task* means that the task has no
    name.
    """

    task: str
    tools: tuple[str, ...]

    @property
    def name(self) -> str:
        """The tools in words, joined by arrows. A tool name that contains an arrow is quoted."""
        return " → ".join(f'"{tool}"' if "→" in tool else tool for tool in self.tools)

    @property
    def subject(self) -> str:
        """The subject of a belief about this way."""
        return f"task {self.task}" if self.task else "any task"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, which ends with an outcome episode.

    *named* is the strategy that the outcome names, if it names one. Otherwise, *way* has the tool calls before the
    outcome. If *named* is set, *way* is None until the strategy is looked up. *description* and *context_pattern* are
    the agent's own words, if there are any. *local* is the time of the outcome by the speaker's clock. *outcome* and
    *calls* are the ids of the source episodes.
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
    """One call of a tool, with its success and its duration in milliseconds."""

    tool: str
    task: str
    success: bool
    latency_ms: float
    at: datetime
