"""Statistics of an installation, for one tenant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from slowwave.domain.embedding_spaces import SpaceMove
from slowwave.formatting import brief, counted, many, seconds


@dataclass(frozen=True, slots=True)
class Share:
    """Hits and misses, and the *rate* of hits, which is hits / (hits + misses), or None if both are zero."""

    hits: int
    misses: int

    @property
    def rate(self) -> float | None:
        """The hits as a share of hits and misses, or None if both are zero."""
        total = self.hits + self.misses
        return self.hits / total if total else None


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of recall times in milliseconds (median, 95th and 99th). All are None if there was no recall."""

    count: int
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True)
class Lag:
    """The times from the end of conversations to their consolidation.

    *unread* is the age of the oldest unread episode.
    """

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
    """The number of memories on each tier, and the number of moves between tiers in the last hour.

    *promotions_last_hour* counts moves to a hotter tier, and *demotions_last_hour* counts moves to a colder tier.
    *hit_rate* is the share of recalls that found something, or None without recalls.
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
    """The cache's memory in bytes: the *used* memory, and its limit *most* (None without a limit).

    *evicted* counts keys. *policy* is the `maxmemory-policy` of the cache. The server reports these values for all
    tenants, since the start of the server.
    """

    used: int
    most: int | None
    policy: str
    evicted: int

    def __repr__(self) -> str:
        return brief(self, f"{self.used} bytes", self.policy, f"{self.evicted} evicted")


@dataclass(frozen=True, slots=True)
class Stats:
    """Statistics of one tenant. Counts of events cover the last *hours*; sizes are current.

    *nodes* and *relationships* count the current memory by kind. *unlearned* is the number of newest episodes that the
    job `detect_patterns` has not read yet; their tools and strategies are not counted. *decayed* has the decay job's
    counts per day. A hit of *recalls* is a recall that found something. A hit of *cache* is a read of working memory
    that found something. A hit of *anticipated* is a prefetched memory that a later context of its conversation used.
    *cache_memory* is None if no cache reports its memory. *moves* has the scopes that are being moved to another
    embedding space.
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
