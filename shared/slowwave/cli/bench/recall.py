"""Benchmark of recall in a growing scope and at a cold start, compared with a full scan."""

import json
import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from slowwave import wiring
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import installed
from slowwave.cli.demo.sample import sample
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE
from slowwave.domain.recollection import Recollections
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory import due_work
from slowwave.ports import Vectors
from slowwave.ports.recall import embed_questions
from slowwave.retrieval.recall import recall
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Settings

BATCH = 500
LARGE = 100_000
"""The size that is measured only on request, because it takes minutes."""
QUESTIONS = 60
"""The number of questions at each size. No other size asks the same questions."""
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
STATEMENTS = 5_000
"""The number of different statements that are made. Each is repeated, as people repeat themselves."""
SMALL = 1_000
"""The maximum number of episodes in the scope beside the growing one."""
_SPEAKERS = ("Nora", "Tariq", "Mei", "Ingrid")
_SMALL = Scope("default", "small", "bench")
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


@dataclass(frozen=True, slots=True)
class Talk:
    """The *texts* that a benchmark pushes again and again, and *questions* about them."""

    texts: Sequence[str]
    questions: Sequence[str]

    @classmethod
    def made(cls) -> "Talk":
        """Return invented talk: turns of the sample, and made statements. Rules find facts and statements in it."""
        turns = [str(line.episode["content"]) for line in sample() if line.episode["role"] == "user"]
        return cls(
            [*turns, *(_made(random.Random(-number), _STATEMENTS) for number in range(STATEMENTS))],
            list(dict.fromkeys(_made(random.Random(number), _ASKED) for number in range(2_000))),
        )

    @classmethod
    def read(cls, folder: Path) -> "Talk":
        """Return the talk in a folder of JSON files. Raises `NotFound` if there is none.

        A conversation is a file with `episodes`, each with `speaker` and `content`, and `questions`, each with
        `question`. Other files do not count.
        """
        files = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
        talks = [file for file in files if isinstance(file, dict) and {"episodes", "questions"} <= file.keys()]
        texts = [f"{turn['speaker']}: {turn['content']}" for talk in talks for turn in talk["episodes"]]
        questions = [one["question"] for talk in talks for one in talk["questions"]]
        if not texts or not questions:
            raise NotFound(f"{folder} has no conversations", hint="name a folder of JSON files with talk and questions")
        return cls(texts, questions)

    def episodes(self, first: int, count: int) -> Iterator[Episode]:
        """Yield the episodes from number *first* to *count*, the same episodes each time.

        The texts repeat, with a number behind each, in sessions of thirty. So many memories are nearly alike.
        """
        for number in range(first, count):
            dice = random.Random(-number)
            yield Episode(
                content=f"{dice.choice(self.texts)} {number}",
                key=f"e{number}",
                session=f"s{number // 30}",
                role="user",
                speaker=dice.choice(_SPEAKERS),
                occurred_at=_BEGINNING + timedelta(minutes=number),
            )

    def asked(self, seed: int, many: int) -> list[str]:
        """Return *many* different questions, or all if there are fewer; the same questions for the same *seed*."""
        return random.Random(seed).sample(self.questions, min(many, len(self.questions)))


def measure(
    url: str, owner_url: str, sizes: Sequence[int], *, store: int = 0, fresh: bool = False, talk: Talk | None = None
) -> Figures:
    """Return the milliseconds of a recall in a scope that grows to each of *sizes* episodes, and how far recall and a
    full scan agree.

    The database has *store* episodes in total, most of them in other scopes. With *fresh*, the benchmark also times the
    first question of new processes. *talk* defaults to invented talk.
    """
    figures, talk = Figures("recall"), talk or Talk.made()
    with installed(url, owner_url) as parts:
        if store > max(sizes):
            _fill_other_scopes(parts, talk, store - max(sizes), figures)
        _push(parts, _SMALL, talk.episodes(0, min(SMALL, min(sizes))))
        due_work.drain(parts, _SMALL.id, 3_600)
        filled = 0
        for count in sorted(sizes):
            _among(parts, talk, filled, count, figures, fresh=fresh)
            filled = count
    return figures


def _fill_other_scopes(parts: wiring.Parts, talk: Talk, count: int, figures: Figures) -> None:
    """Fill other scopes, which no question searches, with *count* episodes in total."""
    scopes = -(-count // OTHERS)
    for number in range(scopes):
        scope = Scope("default", f"other-{number}", "bench")
        _push(parts, scope, talk.episodes(0, min(OTHERS, count - number * OTHERS)))
        while due_work.run_next(parts, owner="bench", only=[PREPARE], scope=scope.id):
            pass
    figures.add("episodes in scopes that are not queried", count)
    figures.add("  number of those scopes", scopes)


def _push(parts: wiring.Parts, scope: Scope, talk: Iterator[Episode]) -> None:
    while batch := list(islice(talk, BATCH)):
        parts.push(scope, batch)


def _among(parts: wiring.Parts, talk: Talk, filled: int, count: int, figures: Figures, *, fresh: bool) -> None:
    """Let the scope grow from *filled* to *count* episodes, and measure its recalls."""
    scope = Scope("default", "user", "bench")
    pushing, _ = timed(partial(_push, parts, scope, talk.episodes(filled, count)))
    draining, _ = timed(partial(due_work.drain, parts, scope.id, 3_600))
    asked = talk.asked(count, QUESTIONS)
    chosen, whole = Memories(parts.database), Memories(parts.database, whole=True)
    for question in talk.asked(-count, 5):  # warm up: fill caches, and prepare frequent statements
        _ask(parts, scope, question, chosen)

    began = time.process_time()
    own, found = _timed([partial(_ask, parts, scope, q, chosen) for q in asked])
    used = 1000 * (time.process_time() - began) / len(asked)
    beside, _ = _timed([partial(_ask, parts, _SMALL, q, chosen) for q in asked])
    exact, all_found = _timed([partial(_ask, parts, scope, q, whole) for q in asked[:COMPARED]])
    vectors = embed_questions(parts.embedder, asked[:COMPARED])
    bare, _ = _timed([partial(_scan, parts, scope, vector) for vector in vectors])
    alike = [_ids(one) == _ids(other) for one, other in zip(found, all_found, strict=False)]

    figures.add(f"growing from {filled:,} to {count:,} episodes, push", (count - filled) / pushing, "episodes/s")
    figures.add("  preparation and consolidation", (count - filled) / draining, "episodes/s")
    figures.add("  facts believed", _facts(parts, scope))
    figures.add(f"recall among {count:,} episodes, median", statistics.median(own), "ms")
    figures.add("  95 of 100", statistics.quantiles(own, n=20)[18], "ms")
    figures.add("  processor time of this process, mean", used, "ms")
    figures.add("  in a small scope beside it, 95 of 100", statistics.quantiles(beside, n=20)[18], "ms")
    figures.add("  reading everything, median", statistics.median(exact), "ms")
    figures.add("  the same first ten", statistics.mean(alike))
    figures.add("  the bare scan of the vectors, median", statistics.median(bare), "ms")
    figures.add("  ratio to the bare scan", statistics.median(own) / statistics.median(bare))
    figures.add("  ratio of 95 of 100", statistics.quantiles(own, n=20)[18] / statistics.quantiles(bare, n=20)[18])
    if fresh:
        _cold(parts, scope, asked[:FRESH], statistics.median(bare), figures)


def _cold(parts: wiring.Parts, scope: Scope, asked: Sequence[str], bare: float, figures: Figures) -> None:
    times = ask(parts.url, scope, asked)
    first = statistics.median(one.first for one in times)
    figures.add("  a fresh process is ready, median", statistics.median(one.ready for one in times), "ms")
    figures.add("    its first question, empty caches, median", first, "ms")
    figures.add("    ratio to the bare scan", first / bare)
    figures.add("    the same question again, median", statistics.median(one.next for one in times), "ms")


def _made(dice: random.Random, sentences: Sequence[str]) -> str:
    return dice.choice(sentences).format(**{name: dice.choice(words.split(",")) for name, words in _SPOKEN_OF.items()})


def _ask(parts: wiring.Parts, scope: Scope, question: str, store: Memories) -> Recollections:
    return recall(question, [scope], store=store, embedder=parts.embedder)


def _ids(found: Recollections) -> list[object]:
    return [one.id for one in found]


def _facts(parts: wiring.Parts, scope: Scope) -> int:
    with parts.database.tenant(scope.tenant) as connection:
        count = "SELECT count(*) FROM facts WHERE scope = %(scope)s AND upper_inf(recorded)"
        return int(connection.exec_driver_sql(count, {"scope": scope.id}).scalar_one())


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
