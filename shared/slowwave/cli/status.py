"""`slowwave status` and `stats`: the stored data, the pending work, and statistics of recall and work."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import click

from slowwave import wiring
from slowwave.cli.options import in_tenant, json_option
from slowwave.cli.printing import day, in_words, one_line, print_json, utc
from slowwave.cli.upkeep import of_the_installation
from slowwave.domain.embedding_spaces import SpaceMove
from slowwave.domain.overview import ModelCallsOverview, Overview, Waiting
from slowwave.domain.stats import CacheMemory, Lag, Latency, Share, Stats
from slowwave.formatting import counted, language, seconds
from slowwave.jobs.tick import Line, listing
from slowwave.memory import Memory
from slowwave.wiring import Parts

LINKS = {
    "has_turn": "from a conversation to a turn of it",
    "about": "from a fact to the person or thing it is about",
    "derived_from": "from a delta to the words behind it",
    "promoted_from": "from a fact in _global to the fact in the channel that it was promoted from",
}
"""A description of each kind of relationship."""
MOST_RETRIES = 20
"""The maximum number of pieces of waiting work that the status lists."""


@click.command
@in_tenant
@json_option
def status_command(parts: Parts, as_json: bool) -> None:
    """Show how much is stored, how much work is pending or running, and the number of dead letters.

    Pending work is requested but not started. For each job, the command prints when its earliest pending work is due.
    The line `rule packs` lists packs with problems, packs that changed without a new version, and packs
    that have run here but are not loaded now.
    """
    overview = parts.records.overview(parts.settings.tenant)
    schedules, now = listing(parts.schedule, runs=1), parts.schedule.now()
    if as_json:
        return print_json(overview)
    others, problems = of_the_installation(parts), wiring.pack_problems(parts)
    for name, text in _status_lines(overview, schedules, now):
        click.echo(f"{name:<13}{text}")
        if name == "dead letters" and others:
            click.echo(f"{'':<13}{others}")
    for number, problem in enumerate(problems):
        click.echo(textwrap.indent(problem, " " * 13) if number else f"{'rule packs':<13}{problem}")


def _status_lines(overview: Overview, schedules: Sequence[Line], now: datetime) -> Iterator[tuple[str, str]]:
    letters = sum(overview.dead_letters.values())
    unread = f"{overview.unread_episodes} of them not read yet" if overview.unread_episodes else "all of them read"
    yield "scopes", f"{overview.scopes}"
    yield "episodes", f"{overview.episodes}, {unread}"
    yield "facts", f"{overview.facts} believed now"
    yield "deltas", in_words(overview.deltas) or "none"
    yield "work", f"{overview.waiting} waiting, {overview.running} running"
    for one in overview.queue:
        yield "", f"{one.count} {one.job}, {_when(one, schedules, now)}"
    for number, retry in enumerate(overview.retries[:MOST_RETRIES]):
        of = f" of {one_line(retry.scope.user)}" if retry.scope else ""
        yield "" if number else "retries", f"{retry.job}{of} at {utc(retry.until)}, after a failure (`slowwave runs`)"
    if more := overview.retries[MOST_RETRIES:]:
        yield "", f"and {len(more)} more until {utc(more[0].until)} at the latest; --json lists them"
    yield "overdue", f"for {seconds(overview.lag)}, the oldest" if overview.lag else "nothing"
    yield "dead letters", f"{letters} open: {in_words(overview.dead_letters)}" if letters else "none"
    if overview.unread:
        yield "languages", f"within a day {_languages(overview.unread)}, which no pack reads; recall finds them"
    if (calls := overview.model_calls) is not None and (
        calls.windows or calls.pending or calls.providers or calls.replies
    ):
        yield from _model_calls(calls)
    yield "partitions", ", ".join(f"{name} until {day(until)}" for name, until in overview.partitions.items())
    yield "last tick", utc(overview.ticked) or "never: no scheduler has run here"


def _languages(unread: Mapping[str, int]) -> str:
    most = sorted(unread.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{counted(count, 'turns')} in {language(code)}" for code, count in most)


def _model_calls(overview: ModelCallsOverview) -> Iterator[tuple[str, str]]:
    waiting = counted(overview.windows, "windows")
    yield "models", f"{counted(overview.pending, 'requests')} waiting, {overview.asked} asked, for {waiting}"
    cap = f" of {overview.cap_tokens}" if overview.cap_tokens is not None else ""
    money = (
        f", {overview.spent_money:.2f} of {overview.cap_money:.2f} in money" if overview.cap_money is not None else ""
    )
    yield "", f"{overview.spent_tokens}{cap} tokens spent today{money}"
    if overview.replies:
        alarm = ": the model may not follow the prompt, see `slowwave rules rejected`" if overview.speechless else ""
        yield "", f"{overview.without_claims} of {overview.replies} replies within a day gave no valid claim{alarm}"
    if overview.paused_until:
        yield "", f"paused: budget, until {utc(overview.paused_until)}"
    for one in overview.providers:
        state = f"open, retried at {utc(one.open_until)}" if one.open_until else "closed"
        failing = f" after {counted(one.failures, 'failures')}" if one.failures else ""
        yield "", f"{one.name}: {one.under_way} of {one.width} calls under way, breaker {state}{failing}"


def _when(one: Waiting, schedules: Sequence[Line], now: datetime) -> str:
    """Return in words when a job's next work becomes due: at the due time of the oldest pending work, or when a
    schedule fires earlier.
    """
    fires = [run for line in schedules if line.schedule.job == one.job for run in line.next_runs]
    goes = min([one.first, *fires])
    return "due now" if goes <= now else f"the first at {utc(goes)}"


@click.command
@click.option("--hours", type=click.IntRange(1, 24 * 365), default=24, show_default=True, help="Hours to look back.")
@in_tenant
@json_option
def stats_command(hours: int, parts: Parts, as_json: bool) -> None:
    """Show the size of the memory, the latency of recall, the lag of the work, and the tiers of memories.

    The latencies do not include calls of `slowwave recall`, because each call first loads the embedder.
    """
    stats = Memory(parts).stats(hours=hours)
    if as_json:
        return print_json(_plain(stats))
    for name, text in _stats_lines(stats):
        click.echo(f"{name:<17}{text}")


def _stats_lines(stats: Stats) -> Iterator[tuple[str, str]]:
    tiering, unread = stats.tiering, stats.lag.unread
    yield "there are", in_words(stats.nodes)
    if stats.unlearned:
        unlearned = counted(stats.unlearned, "episodes")
        yield "", f"excluding tools and strategies of {unlearned} that detect_patterns has not read yet"
    for name, count in stats.relationships.items():
        yield "links" if name == "has_turn" else "", f"{count} {LINKS[name]}"
    yield "recall took", _latency(stats.latency) or f"nothing: no agent asked in {stats.hours} h"
    yield "recall found", _share(stats.recalls)
    yield "cache held", _share(stats.cache)
    yield "anticipated", _anticipated(stats.anticipated)
    yield "cache uses", _memory(stats.cache_memory)
    yield "consolidated", _lag(stats.lag) or f"nothing in {stats.hours} h"
    yield "unread", f"for {seconds(unread)}, the oldest episode" if unread else "nothing"
    counts = ", ".join(f"{count} {tier}" for tier, count in tiering.tier_counts.items())
    for number, move in enumerate(stats.moves):
        yield "" if number else "moving", _move(move)
    yield "tiers", f"{counts}: from the hottest tier to the coldest" if counts else "no memory has a tier"
    yield "", f"{tiering.promotions_last_hour} went up and {tiering.demotions_last_hour} down in the last hour"
    yield "surprise", _surprise(tiering.avg_surprise_score)
    yield "decayed", "; ".join(f"{day}: {in_words(counts)}" for day, counts in stats.decayed.items()) or "nothing"


def _latency(latency: Latency) -> str:
    if latency.p50 is None or latency.p95 is None or latency.p99 is None:
        return ""
    text = f"{latency.p50:.0f} ms at most for half of {latency.count}"
    return f"{text}, {latency.p95:.0f} for 95 %, {latency.p99:.0f} for 99 %"


def _lag(lag: Lag) -> str:
    if not lag.conversations:
        return ""
    text = f"{seconds(lag.median)} at most after the end of half of {counted(lag.conversations, 'conversations')}"
    return f"{text}, {seconds(lag.longest)} after all"


def _surprise(score: float | None) -> str:
    text = "how much more useful memories were than expected, from 0 to 1"
    return "none: no memory has a tier" if score is None else f"{score:.3f} on average: {text}"


def _share(share: Share) -> str:
    return "never asked" if share.rate is None else f"something in {share.rate:.1%} of {share.hits + share.misses}"


def _anticipated(share: Share) -> str:
    if share.rate is None:
        return "none: no conversation asked for a second context"
    return f"{share.rate:.1%} of {counted(share.hits + share.misses, 'memories')} anticipated for later contexts"


def _move(move: SpaceMove) -> str:
    since = f" since {move.since:%Y-%m-%d %H:%M %Z}" if move.since else ""
    made = f"{move.made} of {counted(move.episodes, 'episodes')} are embedded"
    return f"{counted(move.scopes, 'scopes')} to the space {move.name}{since}: {made}"


def _memory(memory: CacheMemory | None) -> str:
    if memory is None:
        return "unknown: no cache reports it"
    most = "no bound" if memory.most is None else f"{memory.most / 2**20:.0f} MB at most"
    return f"{memory.used / 2**20:.1f} MB ({most}, {memory.policy}), {counted(memory.evicted, 'keys')} evicted"


def _plain(stats: Stats) -> dict[str, object]:
    return {
        "hours": stats.hours,
        "nodes": stats.nodes,
        "relationships": stats.relationships,
        "latency_ms": stats.latency,
        "lag_seconds": stats.lag,
        "recalls": _plain_share(stats.recalls),
        "cache": _plain_share(stats.cache),
        "anticipated": _plain_share(stats.anticipated),
        "cache_memory": stats.cache_memory,
        "decayed": {str(day): counts for day, counts in stats.decayed.items()},
        "tiering": stats.tiering,
        "unlearned": stats.unlearned,
        "moves": list(stats.moves),
    }


def _plain_share(share: Share) -> dict[str, float | None]:
    return {"hits": share.hits, "misses": share.misses, "rate": share.rate}
