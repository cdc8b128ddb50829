"""An overview of model calls: pending requests, their cost, and the state of the providers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.formatting.summary_lines import brief, many, since


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider: calls *under_way*, their limit (*width*), and consecutive *failures*.

    If *open_until* is set, the circuit breaker is open: no calls are made before then.
    """

    name: str
    under_way: int
    width: int
    failures: int
    open_until: datetime | None

    def __repr__(self) -> str:
        return brief(self, self.name, f"{self.under_way} of {self.width}", since(self.open_until, "open until"))


@dataclass(frozen=True, slots=True)
class RejectedClaim:
    """A rejected claim of a model: the scope and position of its episode, and the reason.

    *said* is the claim in the model's form, None if it was erased.
    """

    at: datetime
    user: str
    pack: str
    request: str
    position: int
    reason: str
    said: Mapping[str, Any] | None


MOST_SILENT = 0.8
ENOUGH_REPLIES = 5
"""The fewest replies by which to judge a model, since some conversations contain no facts."""


@dataclass(frozen=True, slots=True)
class DeskOverview:
    """A tenant's model requests: the numbers *pending* and *asked*, the windows that wait for them, and today's cost.

    *paused_until* is the start of the next day, if today's remaining budget cannot pay for the oldest request. Of the
    *replies* read within a day, *silent* ones had no claim that the turns support.
    """

    pending: int
    asked: int
    windows: int
    spent_tokens: int
    spent_money: float
    cap_tokens: int | None
    cap_money: float | None
    paused_until: datetime | None
    replies: int = 0
    silent: int = 0
    providers: Sequence[ProviderState] = ()

    @property
    def speechless(self) -> bool:
        """True if a model answers, but almost no reply has a supported claim: the model may not follow the prompt."""
        return self.replies >= ENOUGH_REPLIES and self.silent >= MOST_SILENT * self.replies

    def __repr__(self) -> str:
        return brief(self, many(self.pending, "request"), many(self.windows, "window"), f"{self.spent_tokens} tokens")
