"""Statistics of one tenant. They come from Postgres only, so they survive restarts and cover all processes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import Connection

from slowwave.core.histogram import quantile
from slowwave.domain.job_table import DETECT_PATTERNS, pack_of
from slowwave.domain.standing import ARCHIVE
from slowwave.domain.stats import Lag, Latency, Share, Stats, Tiering
from slowwave.store.operator import tally
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of

DAYS = 7
"""The number of days for which the statistics report decay."""
_NODES = ("episodes", "conversations", "entities", "facts", "strategies", "tools")
_RECALLS = (tally.RECALL_HIT, tally.RECALL_MISS)
_NAMES = (tally.RECALL_MS, *_RECALLS, tally.CACHE_HIT, tally.CACHE_MISS, tally.AHEAD_HIT, tally.AHEAD_MISS)


def stats(connection: Connection, tenant: str, *, hours: int) -> Stats:
    """Return the statistics of *tenant* over the last *hours*."""
    from slowwave.store.reembed import moves

    counted = _tallies(connection, tenant, hours)
    spent = counted[tally.RECALL_MS]
    recalls = Share(*(counted[name].total() for name in _RECALLS))
    nodes, relationships, unlearned = _sizes(connection, tenant)
    return Stats(
        hours=hours,
        nodes=nodes,
        relationships=relationships,
        latency=Latency(spent.total(), *(quantile(spent, share) for share in (0.5, 0.95, 0.99))),
        lag=lag(connection, tenant, hours=hours),
        recalls=recalls,
        cache=Share(counted[tally.CACHE_HIT].total(), counted[tally.CACHE_MISS].total()),
        anticipated=Share(counted[tally.AHEAD_HIT].total(), counted[tally.AHEAD_MISS].total()),
        decayed=_decayed(connection, tenant),
        tiering=_tiering(connection, tenant, recalls.rate),
        unlearned=unlearned,
        moves=moves(connection, tenant),
    )


def lag(
    connection: Connection, tenant: str, *, hours: int = 0, since: datetime | None = None, until: datetime | None = None
) -> Lag:
    """Return the lag between conversations and their consolidation, and the present number of unread episodes.

    The lag is computed for the last *hours*, or for the time from *since* to *until*.
    """
    asked = {"tenant": tenant, "hours": hours, "since": since, "until": until}
    return Lag(**execute(connection, "operator/stats_lag", **asked).mappings().one())


def _tallies(connection: Connection, tenant: str, hours: int) -> Mapping[str, Counter[int]]:
    counted: dict[str, Counter[int]] = {name: Counter() for name in _NAMES}
    rows = execute(connection, "operator/stats_tallies", tenant=tenant, hours=hours, names=list(_NAMES))
    for name, bucket, count in rows:
        counted[name][bucket] = count
    return counted


def _sizes(connection: Connection, tenant: str) -> tuple[dict[str, int], dict[str, int], int]:
    asked = {"tenant": tenant, "learner": pack_of(DETECT_PATTERNS)}
    found = dict(execute(connection, "operator/stats_sizes", **asked).mappings().one())
    relationships = {
        "has_turn": found["episodes"],
        "about": found["facts"],
        "derived_from": found["derived_from"],
        "promoted_from": found["promoted_from"],
    }
    return {name: found[name] for name in _NODES}, relationships, found["unlearned"]


def _decayed(connection: Connection, tenant: str) -> dict[date, dict[str, int]]:
    days: dict[date, dict[str, int]] = {}
    for day, what, number in execute(connection, "operator/stats_decayed", tenant=tenant, days=DAYS):
        days.setdefault(day, {})[what] = number
    return days


def _tiering(connection: Connection, tenant: str, hit_rate: float | None) -> Tiering:
    tiers = [level.name for level in policy_of(connection).tiers.levels]
    tier_counts = execute(connection, "operator/stats_tiers", tenant=tenant).all()
    memories = sum(count for _, count, _ in tier_counts)
    tiers_by_heat = [*tiers, ARCHIVE]
    up = down = 0
    for before, after, steps in execute(connection, "operator/stats_moves", tenant=tenant):
        if _height(tiers_by_heat, after) < _height(tiers_by_heat, before):
            up += steps
        else:
            down += steps
    return Tiering(
        tier_counts=dict.fromkeys(tiers, 0) | {tier: count for tier, count, _ in tier_counts},
        promotions_last_hour=up,
        demotions_last_hour=down,
        hit_rate=hit_rate,
        avg_surprise_score=sum(surprise for _, _, surprise in tier_counts) / memories if memories else None,
    )


def _height(tiers_by_heat: Sequence[str], tier: str) -> int:
    """Return the number of a tier, 0 for the hottest tier. A tier of an earlier policy comes after all other tiers."""
    return tiers_by_heat.index(tier) if tier in tiers_by_heat else len(tiers_by_heat)
