"""Benchmark of model calls without a model: planning requests, reading prepared replies, and applying their claims."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slowwave import wiring
from slowwave.cli.bench.bare import Bare
from slowwave.cli.bench.consolidate import push, write_bare
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import episodes, installed
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PLAN
from slowwave.domain.model_calls import Answer, Chunk
from slowwave.domain.run import Report
from slowwave.errors import Fault
from slowwave.memory import due_work

TENANT = "default"
Answered = tuple[str, Chunk, str]
"""A pack's name, its request, and the reply."""
_CLAIMS = (
    ("lives_in", re.compile(r"I moved to (\w+)")),
    ("likes", re.compile(r"I like ([^.]+)")),
    ("works_at", re.compile(r"I work at ([^;]+?) now")),
    ("sat through", re.compile(r"The (meeting went on for three hours)")),
    ("thinks", re.compile(r"(the film was better than the book)")),
)
"""The kinds of statements.

Five in eight turns state a fact, because a model finds the same share in talk between friends.
"""


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return the episodes per second of each step, of all steps and of a bare pipeline, and the claims per episode.

    The steps are planning, reading and applying. Reading checks a reply against the words of the episodes. Applying
    writes the result, as for any pack. Raises `Fault` if reading rejects a part of a reply, because every prepared
    reply fits the words.
    """
    talk = list(episodes(count))
    figures = Figures("model")
    with installed(url, owner_url, model="bench") as parts:
        parts.embedder.embed(["warm"])
        push(parts, talk, "bench")
        answered: list[Answered] = []
        seconds, claims = _read(parts, answered)
        bare_seconds = _bare(owner_url, parts, talk, claims)
        ceiling = figures.add("bare pipeline that writes as many facts", count / bare_seconds, "episodes/s")
        reading = _reading(parts, answered)
        figures.add("requests planned", count / seconds[PLAN], "episodes/s")
        figures.add("replies read and verified", count / reading, "episodes/s")
        figures.add("planned and read (target 1 000)", count / (seconds[PLAN] + reading), "episodes/s")
        figures.add("replies read, verified and applied", count / seconds[CONSOLIDATE], "episodes/s")
        own = figures.add("planned, read and applied", count / sum(seconds.values()), "episodes/s")
        figures.add("ratio to the bare pipeline", own / ceiling)
        figures.add("claims per episode", claims / count)
    return figures


def _bare(owner_url: str, parts: wiring.Parts, talk: Sequence[Episode], facts: int) -> float:
    """Return the seconds a bare pipeline takes to write *talk* with *facts* facts."""
    with Bare.over(owner_url, parts.embedder, "tight") as bare:
        return timed(lambda: write_bare(bare, talk, facts=facts, deltas=facts))[0]


def _read(parts: wiring.Parts, answered: list[Answered]) -> tuple[dict[str, float], int]:
    """Do all due work, and answer each model request at once; return the seconds by job, and the number of claims.

    Only runs of packs that need a model are timed. The answered requests are added to *answered*.
    """
    seconds = {PLAN: 0.0, CONSOLIDATE: 0.0}
    claims = 0
    while True:
        taken, report = timed(lambda: due_work.run_next(parts, owner="bench"))
        if report is not None:
            if report.pack in parts.models:
                seconds[report.job] += taken
                claims += _sound(report).deltas.total()
        elif not (more := _answer(parts)):
            return seconds, claims
        else:
            answered += more


def _reading(parts: wiring.Parts, answered: Sequence[Answered]) -> float:
    """Return the seconds that only the reading of the replies in *answered* takes."""
    started = time.perf_counter()
    for pack, chunk, reply in answered:
        parts.models[pack].read(chunk, reply)
    return time.perf_counter() - started


def _sound(report: Report) -> Report:
    if report.outcome != "ok" or report.counts.get("rejected"):
        raise Fault(f"{report} with {dict(report.counts)}", hint="please report this")
    return report


def _answer(parts: wiring.Parts) -> list[Answered]:
    """Write a reply to every pending request; return the replies."""
    answered = list[Answered]()
    for one in parts.batches.pending(TENANT, most=1000):
        call = parts.batches.call_for(one.request)
        taken = call and parts.calls.words(call[0], one.request, call[1])
        if not taken:
            raise Fault("a request disappeared before it was answered", hint="please report this")
        reply = json.dumps({"claims": [*_claims(taken.chunk)]})
        parts.clerk.bring(taken, Answer(reply))
        answered.append((taken.pack, taken.chunk, reply))
    return answered


def _claims(chunk: Chunk) -> Iterator[Mapping[str, Any]]:
    """Yield the claims that a careful model would make from a chunk."""
    numbers = {position: number for number, position in enumerate(chunk.words.noted["turns"], 1)}
    for turn in chunk.episodes:
        for predicate, words in _CLAIMS:
            if turn.role == "user" and (found := words.search(turn.content)):
                yield {"n": numbers[turn.position], "s": "user", "p": predicate, "o": found[1], "q": found[0]}
