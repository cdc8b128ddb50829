"""A night: the day from noon to noon, UTC, named for the morning it ends with; and what happened in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from slowwave.brief import brief, many
from slowwave.domain.metrics.overview import PastRun
from slowwave.domain.metrics.stats import Lag, Latency
from slowwave.domain.scope import Scope

NIGHTS = 14
"""Nights of which a report shows the trend; its own is the last of them."""


def night_of(moment: datetime) -> date:
    """Return the night in which *moment* lies.

    >>> str(night_of(datetime(2026, 3, 2, 3, tzinfo=UTC))), str(night_of(datetime(2026, 3, 2, 12, tzinfo=UTC)))
    ('2026-03-02', '2026-03-03')
    """
    return (moment.astimezone(UTC) + timedelta(hours=12)).date()


def noon_before(night: date) -> datetime:
    """Return the instant at which a night begins; the one before the next night is its end."""
    return datetime.combine(night - timedelta(days=1), time(12), UTC)


@dataclass(frozen=True, slots=True)
class Example:
    """A delta as a report shows it: the *text* it decided about and, of a change, what was believed *before*.

    *ended* says that this is not believed any more, *words* what somebody said that changed it. Texts are empty where
    they were erased.
    """

    what: str
    ended: bool
    text: str
    before: str
    scope: Scope
    rule: str
    confidence: float
    recorded: datetime
    words: str = ""

    def __repr__(self) -> str:
        return brief(self, self.what, self.text)


@dataclass(frozen=True, slots=True)
class Cost:
    """The calls to models of a night: how many ended, with how many tokens, for how much money."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """One night of the trend: what jobs counted in it, what models cost, and how many recalls there were.

    *counts* are by job and by what it counted, a job's `runs` and `milliseconds` among them.
    """

    night: date
    counts: Mapping[str, Mapping[str, int]]
    cost: Cost = Cost()
    recalls: int = 0

    def total(self, name: str, *jobs: str) -> int:
        """Return what *jobs*, or all of them, counted under *name*."""
        return sum(counts.get(name, 0) for job, counts in self.counts.items() if not jobs or job in jobs)

    def __repr__(self) -> str:
        return brief(self, str(self.night), many(self.total("runs"), "run"))


@dataclass(frozen=True, slots=True)
class NightReport:
    """A night of a tenant's memory: what happened from *since* to *until*; *seen* is when it was looked at.

    *decided* counts deltas by what they came to: changed, learned, promoted, faded, archived, withdrawn,
    confirmed. It is of the last `most` of them where *more* is True. *letters* are dead letters by category: those
    written in the night, and those open now. *recalls* are of the night's hours.
    """

    tenant: str
    night: date
    since: datetime
    until: datetime
    seen: datetime
    decided: Mapping[str, int]
    more: bool
    examples: Mapping[str, Sequence[Example]]
    trend: Sequence[Trend]
    slowest: Sequence[PastRun]
    letters: Mapping[str, tuple[int, int]]
    lag: Lag
    recalls: Latency

    @property
    def tonight(self) -> Trend:
        """The night itself, as the last of the trend."""
        return self.trend[-1]

    def __repr__(self) -> str:
        return brief(self, str(self.night), *(f"{count} {what}" for what, count in self.decided.items()))
