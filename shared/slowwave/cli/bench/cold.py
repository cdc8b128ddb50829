"""Benchmark of a cold start: the first recall of a new process, with empty caches and nothing loaded."""

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from typing import NamedTuple

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.retrieval.recall import recall
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Settings


class Cold(NamedTuple):
    """Milliseconds until a process is *ready* with its model loaded, then for its *first* and *next* question."""

    ready: float
    first: float
    next: float


def ask(url: str, scope: Scope, questions: Sequence[str]) -> list[Cold]:
    """Return the times of fresh processes in *scope*, one process for each of *questions*, run sequentially."""
    context = multiprocessing.get_context("spawn")
    times = []
    for question in questions:
        with ProcessPoolExecutor(1, mp_context=context) as process:
            times.append(process.submit(_ask, url, scope, question).result())
    return times


def _ask(url: str, scope: Scope, question: str) -> Cold:
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
