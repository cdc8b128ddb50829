"""Statistics of an installation, for one tenant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from slowwave.brief import brief, many
from slowwave.domain.spaces import SpaceMove
from slowwave.words import counted, seconds


@dataclass(frozen=True, slots=True)
class Share:
    """Hits and misses of what was asked for. *rate* is hits / (hits + misses), None where nothing was asked."""

    hits: int
    misses: int

    @property
    def rate(self) -> float | None:
        """Hits out of all."""
        total = self.hits + self.misses
        return self.hits / total if total else None


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of recalls in milliseconds: half, 95 % and 99 % took no longer. None where there were none."""

    count: int
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Lag:
    """The time from a conversation's end to its consolidation; *unread* is the age of the oldest unread episode."""

    conversations: int
    median: timedelta | None
    longest: timedelta | None
    unread: timedelta

    def __repr__(self) -> str:
        return brief(
            self,
            many(self.conversations, "conversation"),
            self.longest and f"longest {seconds(self.longest)}",
            f"unread since {seconds(self.unread)}" if self.unread else None,
        )


@dataclass(frozen=True, slots=True)
class Tiering:
    """The number of memories on each tier, and how they moved in the last hour.

    *promotions_last_hour* and *demotions_last_hour* are steps up and down the ladder. *hit_rate* is the share of
    recalls that found something, None where there were none.
    """

    tier_counts: Mapping[str, int]
    promotions_last_hour: int
    demotions_last_hour: int
    hit_rate: float | None
    avg_surprise_score: float | None

    def __repr__(self) -> str:
        return brief(self, *(f"{count} {tier}" for tier, count in self.tier_counts.items()))


@dataclass(frozen=True, slots=True)
class CacheMemory:
    """The memory of the cache in bytes: *used*, and at *most*, None without a bound. What is *evicted* counts keys.

    *policy* is its `maxmemory-policy`. It is told by the server, of all tenants and since it was started.
    """

    used: int
    most: int | None
    policy: str
    evicted: int

    def __repr__(self) -> str:
        return brief(self, f"{self.used} bytes", self.policy, f"{self.evicted} evicted")


@dataclass(frozen=True, slots=True)
class Stats:
    """Everything counted of one tenant. What is not said to be of now is of the last *hours*.

    *nodes* and *relationships* are what memory consists of now, by kind; tools and strategies of the newest *unlearned*
    episodes are not among them before `detect_patterns` has read those. *decayed* says, a day, what the decay job
    counted; *recalls* are those that found something and those that did not, *cache* the reads of working memory.
    *anticipated* are the memories found for later contexts of conversations, by whether they had been looked up ahead.
    *cache_memory* is None where there is no cache that tells. *moves* are those of scopes to other embedding
    spaces that are under way now.
    """

    hours: int
    nodes: Mapping[str, int]
    relationships: Mapping[str, int]
    latency: Latency
    lag: Lag
    recalls: Share
    cache: Share
    anticipated: Share
    decayed: Mapping[date, Mapping[str, int]]
    tiering: Tiering
    unlearned: int = 0
    cache_memory: CacheMemory | None = None
    moves: Sequence[SpaceMove] = ()

    def __repr__(self) -> str:
        there_is = (counted(count, kind) for kind, count in list(self.nodes.items())[:3] if count)
        recalls = many(self.recalls.hits + self.recalls.misses, "recall")
        unread = f"unread since {seconds(self.lag.unread)}" if self.lag.unread else None
        return brief(self, *there_is, f"{recalls} in {self.hours} h", unread)
