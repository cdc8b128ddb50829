"""Benchmark of recall in a growing scope and at a cold start, compared with a full scan."""

import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

from slowwave import wiring
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import installed
from slowwave.cli.demo.sample import sample
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE
from slowwave.domain.recollection import Recollections
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.ports import Vectors
from slowwave.ports.recall import embed_questions
from slowwave.retrieval.recall import recall
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Settings

BATCH = 500
QUESTIONS = 50
COMPARED = 25
"""The number of questions that a full scan also answers.

The number is small, because a scan of 100 000 episodes takes a second.
"""
FRESH = 3
"""The number of new processes whose first question is timed.

The number is small, because each process loads the model.
"""
OTHERS = 1_000
"""The number of episodes in each scope that no question searches."""
STATEMENTS = 1_000
"""The number of different statements that are made. Each is repeated, as people repeat themselves."""
_SPEAKERS = ("Nora", "Tariq", "Mei", "Ingrid")
_BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
_STATEMENTS = (
    "I {did} the {thing} {when}, and {whom} said it was {how}.",
    "{whom} asked whether the {thing} is still {how}; I {did} another one {when}.",
    "Did you see the {thing} that {whom} {did} {when}? It looked {how} to me.",
    "When we {did} the {thing} {when}, it was {how}, and {whom} laughed about it.",
)
_ASKED = ("Who {did} the {thing} {when}?", "Was the {thing} of {whom} {how}?", "What did {whom} say about the {thing}?")
_SPOKEN_OF = {
    "did": "sold,painted,lost,repaired,found,borrowed,photographed,cleaned,bought,carried,hid,measured",
    "thing": "piano,kayak,bakery,oven,lantern,camera,violin,tent,bicycle,carpet,telescope,boat,ladder,greenhouse,stove,"
    "clock,motorbike,statue,map,sofa,fence,mirror,engine,harp,kettle,garden",
    "when": "yesterday,last summer,on Monday,in March,after lunch,before the trip,at dawn,that evening",
    "whom": "Nora,my sister,the neighbour,Tariq,our teacher,Mei,the plumber,my boss,Ingrid,the doctor",
    "how": "broken,heavy,lovely,strange,expensive,noisy,tiny,dusty,perfect,cheap,slow,bright",
}


class Cold(NamedTuple):
    """The milliseconds that a new process takes to load its model (*ready*), and to answer its *first* and its *next*
    question.
    """

    ready: float
    first: float
    next: float


def ask(url: str, scope: Scope, questions: Sequence[str]) -> list[Cold]:
    """Return the times of new processes, one process per question in *scope*, run one after another."""
    context = multiprocessing.get_context("spawn")
    times = []
    for question in questions:
        with ProcessPoolExecutor(1, mp_context=context) as process:
            times.append(process.submit(_ask_in_new_process, url, scope, question).result())
    return times


def _ask_in_new_process(url: str, scope: Scope, question: str) -> Cold:
    times = [time.perf_counter()]
    parts = wiring.connect(Settings.load(url=url))
    try:
        store = Memories(parts.database)
        parts.embedder.embed(["hello"])
        times.append(time.perf_counter())
        for _ in range(2):
            recall(question, [scope], store=store, embedder=parts.embedder)
            times.append(time.perf_counter())
    finally:
        parts.close()
    ready, first, following = (1000 * (after - before) for before, after in pairwise(times))
    return Cold(ready, first, following)


def measure(url: str, owner_url: str, sizes: Sequence[int], *, store: int = 0, fresh: bool = False) -> Figures:
    """Return the milliseconds of a recall in a scope that grows to each of *sizes* episodes, and how far recall and a
    full scan agree.

    The database has *store* episodes in total, most of them in other scopes. With *fresh*, the benchmark also times the
    first question of new processes.
    """
    figures = Figures("recall")
    with installed(url, owner_url) as parts:
        if store > max(sizes):
            _fill_other_scopes(parts, store - max(sizes), figures)
        filled = 0
        for count in sorted(sizes):
            _among(parts, filled, count, figures, fresh=fresh)
            filled = count
    return figures


def _fill_other_scopes(parts: wiring.Parts, count: int, figures: Figures) -> None:
    """Fill other scopes, which no question searches, with *count* episodes in total."""
    scopes = -(-count // OTHERS)
    for number in range(scopes):
        scope = Scope("default", f"other-{number}", "bench")
        _push(parts, scope, _talk(0, min(OTHERS, count - number * OTHERS)))
        while due_work.run_next(parts, owner="bench", only=[PREPARE], scope=scope.id):
            pass
    figures.add("episodes in scopes that are not queried", count)
    figures.add("  number of those scopes", scopes)


def _push(parts: wiring.Parts, scope: Scope, talk: Iterator[Episode]) -> None:
    while batch := list(islice(talk, BATCH)):
        parts.push(scope, batch)


def _among(parts: wiring.Parts, filled: int, count: int, figures: Figures, *, fresh: bool) -> None:
    """Let the scope grow from *filled* to *count* episodes, and measure its recalls."""
    scope = Scope("default", "user", "bench")
    _push(parts, scope, _talk(filled, count))
    due_work.drain(parts, scope.id, 3_600)
    asked = [_made(random.Random(number), _ASKED) for number in range(QUESTIONS)]
    chosen, whole = Memories(parts.database), Memories(parts.database, whole=True)
    for question in asked[:5]:  # warm up: fill caches, and prepare frequent statements
        _ask(parts, scope, question, chosen)

    began = time.process_time()
    own, found = _timed([partial(_ask, parts, scope, q, chosen) for q in asked])
    used = 1000 * (time.process_time() - began) / len(asked)
    exact, all_found = _timed([partial(_ask, parts, scope, q, whole) for q in asked[:COMPARED]])
    vectors = embed_questions(parts.embedder, asked[:COMPARED])
    bare, _ = _timed([partial(_scan, parts, scope, vector) for vector in vectors])
    alike = [_ids(one) == _ids(other) for one, other in zip(found, all_found, strict=False)]

    figures.add(f"recall among {count:,} episodes, median", statistics.median(own), "ms")
    figures.add("  95 of 100", statistics.quantiles(own, n=20)[18], "ms")
    figures.add("  processor time of this process, mean", used, "ms")
    figures.add("  reading everything, median", statistics.median(exact), "ms")
    figures.add("  the same first ten", statistics.mean(alike))
    figures.add("  the bare scan of the vectors, median", statistics.median(bare), "ms")
    figures.add("  ratio to the bare scan", statistics.median(own) / statistics.median(bare))
    if fresh:
        _cold(parts, scope, asked[:FRESH], statistics.median(bare), figures)


def _cold(parts: wiring.Parts, scope: Scope, asked: Sequence[str], bare: float, figures: Figures) -> None:
    times = ask(parts.url, scope, asked)
    first = statistics.median(one.first for one in times)
    figures.add("  a fresh process is ready, median", statistics.median(one.ready for one in times), "ms")
    figures.add("    its first question, empty caches, median", first, "ms")
    figures.add("    ratio to the bare scan", first / bare)
    figures.add("    the same question again, median", statistics.median(one.next for one in times), "ms")


def _talk(first: int, count: int) -> Iterator[Episode]:
    """Yield the episodes from number *first* to *count*, the same episodes each time.

    The talk repeats itself, with the number behind each text: turns of the sample, and made statements. So memories are
    nearly alike, and rules find facts and statements in them.
    """
    texts = [
        *(str(line.episode["content"]) for line in sample() if line.episode["role"] == "user"),
        *(_made(random.Random(-number), _STATEMENTS) for number in range(STATEMENTS)),
    ]
    for number in range(first, count):
        dice = random.Random(-number)
        yield Episode(
            content=f"{dice.choice(texts)} {number}",
            key=f"e{number}",
            session=f"s{number // 30}",
            role="user",
            speaker=dice.choice(_SPEAKERS),
            occurred_at=_BEGINNING + timedelta(minutes=number),
        )


def _made(dice: random.Random, sentences: Sequence[str]) -> str:
    return dice.choice(sentences).format(**{name: dice.choice(words.split(",")) for name, words in _SPOKEN_OF.items()})


def _ask(parts: wiring.Parts, scope: Scope, question: str, store: Memories) -> Recollections:
    return recall(question, [scope], store=store, embedder=parts.embedder)


def _ids(found: Recollections) -> list[object]:
    return [one.id for one in found]


def _scan(parts: wiring.Parts, scope: Scope, vector: Vectors) -> Recollections:
    with parts.database.tenant(scope.tenant) as connection:
        connection.exec_driver_sql(
            "SELECT position FROM episode_vectors WHERE scope = %(scope)s ORDER BY embedding <=> %(vector)s LIMIT 60",
            {"scope": scope.id, "vector": vector},
        ).all()
    return Recollections([])


def _timed(acts: Sequence[Callable[[], Recollections]]) -> tuple[list[float], list[Recollections]]:
    """Return the milliseconds of each act, and the results."""
    came = [timed(act) for act in acts]
    return [1000 * seconds for seconds, _ in came], [found for _, found in came]
