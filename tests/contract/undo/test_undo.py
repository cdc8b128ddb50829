"""Undo of a run leaves the beliefs of the same history in which the run's pack proposed nothing."""

import random
import uuid
from collections.abc import Sequence

import pytest

from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory, work
from slowwave.ports import Plan
from tests.contract.harness import Harness, somebody
from tests.contract.late.comparing import believed, reviews, sound
from tests.contract.late.test_late_episodes import STORIES, episodes, retry
from tests.contract.late.test_late_news import STORIES as NEWS
from tests.contract.news.telling import life


def tell(harness: Harness, scope: Scope, said: Sequence[str], *, silent: int | None = None) -> list[int]:
    """Consolidate what was said episode by episode; for the *silent* one the pack proposes nothing. Return the runs."""
    runs = []
    for number, episode in enumerate(episodes(said), 1):
        harness.parts.push(scope, [episode])
        work.fire(harness.parts, scope.id)
        run = harness.claimed(scope=scope, jobs=[CONSOLIDATE])
        plan = harness.parts.jobs[CONSOLIDATE].think(run, harness.parts.runs)
        harness.parts.runs.settle(run, Plan(episodes=1) if number == silent else plan)
        harness.drain()
        runs.append(run.run)
    return runs


def wrote(harness: Harness, run: int) -> bool:
    """Return whether a run decided anything, or asked a person."""
    asked = "SELECT count(*) FROM runs r JOIN dead_letters l USING (scope, pack) WHERE run = %s AND position = lo"
    return bool(harness.value("SELECT count(*) FROM deltas WHERE run = %s", run) or harness.value(asked, run))


@pytest.mark.parametrize("story", [*STORIES, *NEWS])
def test_undo_of_any_run_leaves_a_history_in_which_it_proposed_nothing(harness: Harness, story: str) -> None:
    said, memory = {**STORIES, **NEWS}[story], Memory(harness.parts)
    for number in range(1, len(said) + 1):
        scope, never = somebody(), somebody()
        runs = tell(harness, scope, said)
        tell(harness, never, said, silent=number)
        before = believed(harness, scope)
        if not wrote(harness, runs[number - 1]):
            continue

        done = memory.undo(runs[number - 1], by="Anna", reason="misread")

        assert (number, believed(harness, scope)) == (number, believed(harness, never))
        assert reviews(harness, scope) == reviews(harness, never)
        sound(harness, scope)

        assert done.id is not None
        memory.undo(done.id)

        assert (number, believed(harness, scope)) == (number, before)
        sound(harness, scope)
