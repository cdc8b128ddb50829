"""Benchmark of reading with a model: requests planned, replies at hand read and believed. Nobody is asked."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slowwave import wiring
from slowwave.cli.bench.bare import Bare
from slowwave.cli.bench.consolidate import SCOPES
from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.talk import episodes
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PLAN
from slowwave.domain.model.chunk import Answer, Chunk
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.errors import Fault
from slowwave.memory import work
from slowwave.wiring import Settings

TENANT = "default"
Answered = tuple[str, Chunk, str]
"""Pack, what it asked, and the reply."""
_TOLD = (
    ("lives_in", re.compile(r"I moved to (\w+)")),
    ("likes", re.compile(r"I like ([^.]+)")),
    ("works_at", re.compile(r"I work at ([^;]+?) now")),
    ("sat through", re.compile(r"The (meeting went on for three hours)")),
    ("thinks", re.compile(r"(the film was better than the book)")),
)
"""Five of eight turns tell something: about as many claims as a model makes of talk between friends."""


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return episodes a second of planning and reading, of reading and applying, and of all; and how many claims stood.

    Reading is holding a reply against the words; applying writes what it comes to, as for any other pack. Raises
    `Fault` where a reply, all of which are true to the words, is not read to the end.
    """
    wiring.migrate_database(owner_url)
    parts = wiring.connect(Settings.load(url=url, model="bench"))
    wiring.register(parts)
    talk = list(episodes(count))
    figures = Figures("model")
    try:
        parts.embedder.embed(["warm"])
        _push(parts, talk)
        answered: list[Answered] = []
        seconds, claims = _read(parts, answered)
        told = _bare(owner_url, parts, talk, claims)
        ceiling = figures.add("bare pipeline that writes as many facts", count / told, "episodes/s")
        reading = _reading(parts, answered)
        figures.add("requests planned", count / seconds[PLAN], "episodes/s")
        figures.add("replies read and verified", count / reading, "episodes/s")
        figures.add("planned and read (target 1 000)", count / (seconds[PLAN] + reading), "episodes/s")
        figures.add("replies read, verified and applied", count / seconds[CONSOLIDATE], "episodes/s")
        own = figures.add("planned, read and applied", count / sum(seconds.values()), "episodes/s")
        figures.add("ratio to the bare pipeline", own / ceiling)
        figures.add("claims an episode", claims / count)
    finally:
        parts.close()
    return figures


def _bare(owner_url: str, parts: wiring.Parts, talk: Sequence[Episode], facts: int) -> float:
    """Return the seconds in which a bare pipeline writes *talk* with so many *facts*."""
    with Bare.over(owner_url, parts.embedder, "tight") as bare:
        started = time.perf_counter()
        for number in range(SCOPES):
            if own := talk[number::SCOPES]:
                bare.write(own, facts=facts // SCOPES, deltas=facts // SCOPES)
        return time.perf_counter() - started


def _push(parts: wiring.Parts, talk: Sequence[Episode]) -> None:
    for number in range(SCOPES):
        if own := talk[number::SCOPES]:
            parts.push(Scope(TENANT, f"user-{number}", "bench"), own)
    work.fire(parts)


def _read(parts: wiring.Parts, answered: list[Answered]) -> tuple[dict[str, float], int]:
    """Do everything that is due, replies written as soon as they are waited for; return seconds by job, and claims.

    Only runs of packs that need a model are timed. What was *answered* is added there.
    """
    seconds = {PLAN: 0.0, CONSOLIDATE: 0.0}
    claims = 0
    while True:
        started = time.perf_counter()
        report = work.run_next(parts, owner="bench")
        taken = time.perf_counter() - started
        if report is not None:
            if report.pack in parts.models:
                seconds[report.job] += taken
                claims += _sound(report).deltas.total()
        elif not (more := _answer(parts)):
            return seconds, claims
        else:
            answered += more


def _reading(parts: wiring.Parts, answered: Sequence[Answered]) -> float:
    """Return the seconds it takes to read what was *answered*, with nothing else done."""
    started = time.perf_counter()
    for pack, chunk, reply in answered:
        parts.models[pack].read(chunk, reply)
    return time.perf_counter() - started


def _sound(report: Report) -> Report:
    if report.outcome != "ok" or report.counts.get("rejected"):
        raise Fault(f"{report} with {dict(report.counts)}", hint="please report this")
    return report


def _answer(parts: wiring.Parts) -> list[Answered]:
    """Write a reply to every request that waits; return them."""
    answered = list[Answered]()
    for one in parts.batches.pending(TENANT, most=1000):
        call = parts.batches.call_for(one.request)
        taken = call and parts.calls.words(call[0], one.request, call[1])
        if not taken:
            raise Fault("a request went away that nobody has answered", hint="please report this")
        reply = json.dumps({"claims": [*_claims(taken.chunk)]})
        parts.clerk.bring(taken, Answer(reply))
        answered.append((taken.pack, taken.chunk, reply))
    return answered


def _claims(chunk: Chunk) -> Iterator[Mapping[str, Any]]:
    """Give what a careful model would say of a chunk."""
    numbers = {position: number for number, position in enumerate(chunk.words.noted["turns"], 1)}
    for turn in chunk.episodes:
        for predicate, words in _TOLD:
            if turn.role == "user" and (found := words.search(turn.content)):
                yield {"n": numbers[turn.position], "s": "user", "p": predicate, "o": found[1], "q": found[0]}
