"""The time of a recall in a scope, next to that of the one statement that reads the scope's memories."""

import statistics
import time
from collections.abc import Callable

from slowwave import wiring
from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.talk import episodes
from slowwave.core.recall.scoring import Weights
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope, work
from slowwave.ports import Vectors
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Settings

BATCH = 100
ROUNDS = 100
CANDIDATES = 100
QUESTION = "Where did I move to last month?"


def measure(url: str, owner_url: str, most: int) -> Figures:
    """Return the milliseconds of a recall among *most* memories and a tenth of them, and the ratio to the bare scan."""
    wiring.migrate_database(owner_url)
    parts = wiring.connect(Settings.load(url=url))
    wiring.register(parts)
    figures = Figures("recall")
    try:
        for count in (most // 10, most):
            _among(parts, count, figures)
    finally:
        parts.close()
    return figures


def _among(parts: wiring.Parts, count: int, figures: Figures) -> None:
    scope = Scope("default", f"user-{count}", "bench")
    talk = list(episodes(count))
    for start in range(0, count, BATCH):
        parts.push(scope, talk[start : start + BATCH])
    work.drain(parts, scope.id, 600)
    memory = MemoryScope(parts, scope)
    own = _milliseconds(lambda: memory.recall(QUESTION))
    vector = parts.embedder.embed([QUESTION])[0]
    scan = _milliseconds(lambda: _scan(parts, scope, vector))
    figures.add(f"recall among {count:,} episodes, median", statistics.median(own), "ms")
    figures.add("  95 of 100", statistics.quantiles(own, n=20)[18], "ms")
    figures.add("  the bare scan, median", statistics.median(scan), "ms")
    figures.add("  ratio to the bare scan", statistics.median(own) / statistics.median(scan))


def _scan(parts: wiring.Parts, scope: Scope, vector: Vectors) -> None:
    with Memories(parts.database).reading(scope.tenant) as memories:
        memories.candidates(
            [scope.id], QUESTION, vector, space=parts.embedder.space, most=CANDIDATES, now=None, weights=Weights()
        )


def _milliseconds(act: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - started))
    return times
