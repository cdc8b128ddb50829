"""`slowwave stats`: what is counted."""

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import in_words, print_json, seconds
from slowwave.domain.stats import Lag, Latency, Share, Stats
from slowwave.memory import Memory


@click.command
@click.option("--hours", type=click.IntRange(1, 24 * 365), default=24, show_default=True, help="How far back to count.")
@tenant_option
@json_option
def command(hours: int, tenant: str | None, as_json: bool) -> None:
    """Say how much there is, how fast recall answers, how far behind the work is, and where memories stand."""
    with opened(tenant) as parts:
        stats = Memory(parts).stats(hours=hours)
    if as_json:
        return print_json(_plain(stats))
    for name, text in _lines(stats).items():
        click.echo(f"{name:<17}{text}")


def _lines(stats: Stats) -> dict[str, str]:
    lag, tiering = stats.lag, stats.tiering
    surprise = tiering.avg_surprise_score
    return {
        "nodes": in_words(stats.nodes),
        "relationships": in_words(stats.relationships),
        "recall": _latency(stats.latency) or f"none in {stats.hours} h",
        "found something": _share(stats.recalls),
        "cache": _share(stats.cache),
        "lag": _lag(lag) or f"nothing was consolidated in {stats.hours} h",
        "waiting": f"{seconds(lag.waiting)}, the oldest episode" if lag.waiting else "nothing",
        "tiers": ", ".join(f"{count} {tier}" for tier, count in tiering.tier_counts.items()) or "none",
        "last hour": f"{tiering.promotions_last_hour} up, {tiering.demotions_last_hour} down",
        "surprise": "none yet" if surprise is None else f"{surprise:.3f} on average",
        "decayed": "; ".join(f"{day}: {in_words(counts)}" for day, counts in stats.decayed.items()) or "nothing",
    }


def _latency(latency: Latency) -> str:
    if latency.p50 is None or latency.p95 is None or latency.p99 is None:
        return ""
    return f"{latency.p50:.0f} ms at P50, {latency.p95:.0f} at P95, {latency.p99:.0f} at P99, of {latency.count}"


def _lag(lag: Lag) -> str:
    if not lag.conversations:
        return ""
    told = f"{seconds(lag.median)} from a conversation's end at P50, {seconds(lag.longest)} at most"
    return f"{told}, of {lag.conversations}"


def _share(share: Share) -> str:
    return "never asked" if share.rate is None else f"{share.rate:.1%} of {share.hits + share.misses}"


def _plain(stats: Stats) -> dict[str, object]:
    return {
        "hours": stats.hours,
        "nodes": stats.nodes,
        "relationships": stats.relationships,
        "latency_ms": stats.latency,
        "lag_seconds": stats.lag,
        "recalls": {"hits": stats.recalls.hits, "misses": stats.recalls.misses, "rate": stats.recalls.rate},
        "cache": {"hits": stats.cache.hits, "misses": stats.cache.misses, "rate": stats.cache.rate},
        "decayed": {str(day): counts for day, counts in stats.decayed.items()},
        "tiering": stats.tiering,
    }
