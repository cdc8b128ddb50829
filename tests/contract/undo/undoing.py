"""Episodes told to a scope in several runs, to be undone."""

import uuid
from collections.abc import Sequence
from typing import Any

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.ports import Plan
from tests.contract.harness import Harness
from tests.contract.late_arrivals.test_late_episodes import episodes


def tell(harness: Harness, scope: Scope, said: Sequence[str], *, silent: int | None = None) -> list[int]:
    """Consolidate the episodes one by one; the pack proposes nothing for the *silent* one. Return the runs."""
    return tell_all(harness, scope, episodes(said), silent=silent)


def tell_all(
    harness: Harness, scope: Scope, told: Sequence[Episode], *, silent: int | None = None, drained: bool = True
) -> list[int]:
    """Consolidate whole episodes one by one; do no other jobs unless all due work is *drained*."""
    runs = []
    for number, episode in enumerate(told, 1):
        runs.append(read(harness, scope, [episode], silent=number == silent))
        if drained:
            harness.drain()
    return runs


def tell_without(harness: Harness, scope: Scope, told: Sequence[Episode], number: int) -> None:
    """Consolidate the episodes in at most three windows; the pack proposes nothing for the one of this *number*."""
    for window in (told[: number - 1], told[number - 1 : number], told[number:]):
        if window:
            read(harness, scope, window, silent=window[0] is told[number - 1])
    harness.drain()


def read(harness: Harness, scope: Scope, window: Sequence[Episode], *, silent: bool = False) -> int:
    """Push the episodes of a *window* and consolidate them; a *silent* pack proposes nothing. Return the run."""
    harness.parts.push(scope, window)
    due_work.fire(harness.parts, scope.id)
    run = harness.claimed(scope=scope, jobs=[CONSOLIDATE])
    plan = harness.think(run)
    harness.parts.runs.settle(run, Plan(episodes=len(window)) if silent else plan)
    return run.run


def wrote(harness: Harness, run: int) -> bool:
    """Return whether a run added a delta or a review."""
    asked = (
        "SELECT count(*) FROM runs r JOIN dead_letters l USING (scope, pack) "
        "WHERE run = %s AND position = lo AND category = 'conflict'"
    )
    return bool(harness.value("SELECT count(*) FROM deltas WHERE run = %s", run) or harness.value(asked, run))


def texts(harness: Harness, scope: Scope) -> list[str]:
    """Return the texts of current facts without an end."""
    return harness.column(
        "SELECT text FROM facts WHERE scope = %s AND upper_inf(recorded) AND upper_inf(valid) ORDER BY text", scope.id
    )


def counted(harness: Harness, scope: Scope) -> list[list[tuple[Any, ...]]]:
    """Return the weights of believed edges, the frequencies of entities, and how often each fact was repeated."""
    asked = (
        "SELECT f.text, max(e.weight) FROM edges e JOIN facts f USING (scope, fact) "
        "WHERE scope = %s AND upper_inf(f.recorded) GROUP BY f.fact, f.text",
        "SELECT name, frequency FROM entities WHERE scope = %s AND frequency > 0",
        "SELECT f.text, max(s.frequency) FROM standing s JOIN facts f ON (f.scope, f.fact) = (s.scope, s.memory) "
        "WHERE s.scope = %s AND upper_inf(f.recorded) GROUP BY f.fact, f.text",
    )
    return [sorted(harness.rows(query, scope.id)) for query in asked]


def fact_of(harness: Harness, scope: Scope, object_: str) -> uuid.UUID:
    """Return the current fact with the object *object_*."""
    found = harness.value(
        "SELECT fact FROM facts WHERE scope = %s AND object = %s AND upper_inf(recorded) ORDER BY lower(valid) LIMIT 1",
        scope.id, object_,
    )  # fmt: skip
    assert isinstance(found, uuid.UUID)
    return found
