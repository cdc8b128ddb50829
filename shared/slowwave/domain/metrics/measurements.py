"""Measurements of an installation at one moment: counts and ages over all tenants, without names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.domain.model_calls.overview import ProviderState
from slowwave.formatting.summary_lines import brief


@dataclass(frozen=True, slots=True)
class Work:
    """The numbers of pending intents of one *job*: *due*, due for more than a minute (*late*), and *running*.

    The counting stops at a limit; see `PostgresMetrics`.
    """

    job: str
    due: int
    late: int
    running: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The runs of a *job* that ended in the last five minutes with one *outcome*, and their total *seconds*."""

    job: str
    outcome: str
    runs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Measurements:
    """An installation at one moment. Ages are in seconds, by the database's clock; None means never.

    *ended*, *deltas* (by kind), *prepared* (episodes) and *lag* (median, maximum) cover the last five minutes.
    *counted*, *took* (the histogram of recalls), *calls*, *tokens* and *money* cover the current UTC day: they restart
    at midnight. These and *letters* cover the first *counting* tenants by name, out of all *tenants*.
    """

    work: Sequence[Work]
    oldest: float
    ended: Sequence[Ended]
    deltas: Mapping[str, int]
    prepared: int
    lag: tuple[float, float] | None
    seen: Mapping[str, float]
    partitions: Mapping[str, float]
    rows: Mapping[str, float]
    bytes: int
    tenants: int
    counting: int
    requests: Mapping[str, int]
    providers: Sequence[ProviderState]
    calls: Mapping[str, int]
    tokens: int
    money: float
    counted: Mapping[str, int]
    took: Mapping[int, int]
    letters: Mapping[str, int]

    def __repr__(self) -> str:
        return brief(self, f"{sum(one.due for one in self.work)} due", f"oldest {self.oldest:.0f} s")
