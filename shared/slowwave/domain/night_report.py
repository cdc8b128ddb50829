"""A night and its events. A night is the 24 hours from noon to noon in UTC, and has the date of its morning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from slowwave.domain.overview import PastRun
from slowwave.domain.scope import Scope
from slowwave.domain.stats import Lag, Latency
from slowwave.formatting import brief, many

NIGHTS = 14
"""The number of nights in a report's trend. The last of these nights is the night of the report."""


def night_of(moment: datetime) -> date:
    """Return the night that contains *moment*.

    >>> str(night_of(datetime(2026, 3, 2, 3, tzinfo=UTC))), str(night_of(datetime(2026, 3, 2, 12, tzinfo=UTC)))
    ('2026-03-02', '2026-03-03')
    """
    return (moment.astimezone(UTC) + timedelta(hours=12)).date()


def noon_before(night: date) -> datetime:
    """Return the instant at which a night begins. The night ends when the next night begins."""
    return datetime.combine(night - timedelta(days=1), time(12), UTC)


@dataclass(frozen=True, slots=True)
class Example:
    """A delta as an example in a report, with its *text*. If the delta changed a belief, *before* is the earlier
    belief.

    *ended* is True if the belief is no longer held. *words* are the speaker's words that changed the belief. After an
    erasure, the texts are empty.
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
    """The model calls of a night: the number of ended calls, their tokens, and their price."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """One night of the trend: the jobs' counts, the cost of models, and the number of recalls.

    *counts* has the counts of each job by name. Two of the names are `runs` and `milliseconds`.
    """

    night: date
    counts: Mapping[str, Mapping[str, int]]
    cost: Cost = Cost()
    recalls: int = 0

    def total(self, name: str, *jobs: str) -> int:
        """Return the sum of the count *name* over *jobs*, or over all jobs."""
        return sum(counts.get(name, 0) for job, counts in self.counts.items() if not jobs or job in jobs)

    def __repr__(self) -> str:
        return brief(self, str(self.night), many(self.total("runs"), "run"))


@dataclass(frozen=True, slots=True)
class PackNight:
    """A version of a pack in a night: its scopes, runs and episodes, and the beliefs that it *learned* and *changed*.

    *changed* also counts the beliefs that it ended.
    """

    pack: str
    version: int
    scopes: int
    runs: int
    episodes: int
    learned: int
    changed: int

    def __repr__(self) -> str:
        return brief(self, self.pack, f"version {self.version}", many(self.scopes, "scope"), many(self.runs, "run"))


@dataclass(frozen=True, slots=True)
class CanaryNight:
    """A *canary* that read in a night, and the *installed* version of its pack if this read, too."""

    canary: PackNight
    installed: PackNight | None

    def __repr__(self) -> str:
        return brief(self, self.canary.pack, f"version {self.canary.version}", many(self.canary.runs, "run"))


@dataclass(frozen=True, slots=True)
class NightReport:
    """A night of a tenant's memory, from *since* to *until*; *seen* is the time when the report was made.

    *decided* counts deltas by result: changed, learned, promoted, faded, archived, withdrawn, confirmed. If *more* is
    True, the night had more deltas than a report reads, and *decided* counts only the latest. *letters* has two counts
    of dead letters by category: the dead letters of the night, and the dead letters that are open now. *recalls* counts
    the recalls in the hours of the night. *canaries* are the canaries that read in the night.
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
    canaries: Sequence[CanaryNight] = ()

    @property
    def tonight(self) -> Trend:
        """The last entry of the trend, which is the night of the report."""
        return self.trend[-1]

    def __repr__(self) -> str:
        return brief(self, str(self.night), *(f"{count} {what}" for what, count in self.decided.items()))
