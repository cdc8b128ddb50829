"""The desk at a glance: requests that wait for a model, their cost, and the state of its providers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.brief import brief, many, since


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider: calls *under_way*, how many may be (*width*), *failures* in a row.

    Nobody asks before *open_until*, where it is set: the breaker is open.
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
    """A claim of a model that was dropped: about whose episode at which position, and why.

    *said* is the claim as the model made it, None where it was erased.
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
"""Of fewer replies nothing is said: some talk has no news in it."""


@dataclass(frozen=True, slots=True)
class DeskOverview:
    """Requests of a tenant that wait (*pending*) or are being *asked*, windows that wait for them, and today's cost.

    *paused_until* is when the next day's budget begins, where today's does not take the oldest request any more. Of
    the *replies* read within a day so many were *silent*: no claim of theirs stood against the words.
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
        """True if a model answers and next to nothing it says can be believed: it may not follow the prompt at all."""
        return self.replies >= ENOUGH_REPLIES and self.silent >= MOST_SILENT * self.replies

    def __repr__(self) -> str:
        return brief(self, many(self.pending, "request"), many(self.windows, "window"), f"{self.spent_tokens} tokens")
