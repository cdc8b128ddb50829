"""The salience of candidates, computed by the scorer of the tenant's policy."""

import asyncio
import math
import uuid
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from slowwave.core.recall.adjustments import salient_memory
from slowwave.core.recall.candidate import Candidate
from slowwave.core.salience.terms import OWN, Salience, SalienceContext, clamped
from slowwave.domain.standing import Standing
from slowwave.errors import Incorrect, Unavailable
from slowwave.ports.recall import SalienceScorer, Scorers
from slowwave.threads import run_in_thread

SCORER_SECONDS = 2.0
"""The longest wait for a scorer, during which the question's transaction stays open."""


def saliences(
    candidates: Sequence[Candidate],
    standings: Mapping[uuid.UUID, Standing],
    question: str,
    by: Salience,
    scorers: Scorers | None = None,
) -> dict[uuid.UUID, float]:
    """Return the salience of each of *candidates*, in [0, 1], by the id of the memory.

    The values are computed concurrently. Without *scorers*, Slowwave's own scorer is used. Raises `Incorrect` for a
    scorer that fails or returns no number, and `Unavailable` for a scorer that takes longer than 2 s.
    """
    if not candidates:
        return {}
    scorer = scorers(by) if scorers else OWN[by.by](by)
    context = SalienceContext(candidates[0].occurred + candidates[0].age, question, by.tau_seconds)

    async def judged() -> list[float]:
        each = (scorer.score(salient_memory(one, standings.get(one.id)), context) for one in candidates)
        return await asyncio.wait_for(asyncio.gather(*each), SCORER_SECONDS)

    try:
        scores = [float(score) for score in run_in_thread(lambda: _result_of(judged()))]
    except TimeoutError as error:
        raise Unavailable(
            f"the scorer {by.by!r} took longer than {SCORER_SECONDS:g} s", hint="choose another scorer in the policy"
        ) from error
    except Exception as error:  # third-party code may raise anything
        raise _wrong(by, scorer, f"failed with {type(error).__name__}: {error}") from error
    if not all(map(math.isfinite, scores)):
        raise _wrong(by, scorer, "returned something that is not a number")
    return {one.id: clamped(score) for one, score in zip(candidates, scores, strict=True)}


def _wrong(by: Salience, scorer: SalienceScorer, what: str) -> Incorrect:
    module = type(scorer).__module__
    return Incorrect(
        f"the scorer {by.by!r} of {module} {what}", hint=f"fix {module}, or choose another scorer in the policy"
    )


def _result_of(judged: Coroutine[Any, Any, list[float]]) -> list[float]:
    """Return the result of *judged*; if an event loop runs in this thread, await *judged* in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(judged)
    with ThreadPoolExecutor(1, thread_name_prefix="slowwave-salience") as beside:
        return beside.submit(asyncio.run, judged).result()
