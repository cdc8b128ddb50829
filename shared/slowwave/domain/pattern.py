"""Patterns: occurrences and counts of patterns, and strategies with their results."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from slowwave.domain.attempt import Way
from slowwave.domain.claim import Source
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many

ROUTINE_SPAN = timedelta(days=365)
"""The time before an occurrence of a routine in which its earlier weeks count."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One more occurrence of a pattern. For a routine, *bucket* is the week of the occurrence.

    For a strategy, *bucket* is a number that is used again: a new occurrence replaces an older one with the same
    number.
    """

    pattern: uuid.UUID
    bucket: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A statement or confirmation of a belief in a session.

    *at* is the start of the belief's valid time, and *source* has the speaker's words.
    """

    session: str
    at: datetime
    source: Source


@dataclass(frozen=True, slots=True)
class Preference:
    """A belief about somebody's taste, with its mentions in the order of telling. The belief may have ended.

    Mentions that were undone are left out.
    """

    fact: uuid.UUID
    subject: str
    predicate: str
    object: str
    mentions: Sequence[Mention]
    ended: bool = False

    @property
    def words(self) -> str:
        """The preference in words."""
        return f"{self.predicate.replace('_', ' ')} {self.object}"


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way of doing a task, and its success counts.

    *bound* is the lower bound of the success rate, given these counts. *standing* is `learned` (believed as the fact
    *fact*), `tried` (too few uses to judge), `failing` (known to fail) or `withdrawn` (forgotten on request, or faded).
    *similarity* is the similarity to the queried task, and *score* is similarity times bound. Both are None without a
    query. *scope* has the agent and channel that learned the strategy.
    """

    id: uuid.UUID
    scope: Scope
    task: str
    description: str
    context_pattern: str
    tool_sequence: tuple[str, ...]
    success_count: int
    failure_count: int
    bound: float
    standing: Literal["learned", "tried", "failing", "withdrawn"]
    created_at: datetime
    last_used: datetime | None
    fact: uuid.UUID | None
    embedding: Sequence[float] | None = None
    similarity: float | None = None
    score: float | None = None

    @property
    def channel(self) -> str:
        """The channel in which the strategy was used."""
        return self.scope.channel

    def __repr__(self) -> str:
        return brief(
            self,
            self.description or " → ".join(self.tool_sequence),
            self.standing,
            f"bound {self.bound:.2f}",
            id=self.id,
        )


@dataclass(frozen=True, slots=True)
class ToolStats:
    """The statistics of a tool, in total and by kind of task: calls, successes, and mean duration in milliseconds."""

    name: str
    usage_count: int
    success_count: int
    avg_latency_ms: float
    last_used: datetime | None
    tasks: Mapping[str, int]

    def __repr__(self) -> str:
        return brief(self, self.name, many(self.usage_count, "call"), f"{self.success_count} succeeded")


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts that a run adds to one strategy. *taught* is True if an agent described the strategy in its own words.

    *first* and *last* are the times of the first and the last use. *fact* is the fact about the strategy, or None if
    there is no believed fact.
    """

    strategy: uuid.UUID
    way: Way
    successes: int
    failures: int
    first: datetime
    last: datetime
    description: str
    context_pattern: str
    taught: bool = False
    fact: uuid.UUID | None = None
