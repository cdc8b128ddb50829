"""What reconsideration ended, denied or merged because of news holds again once the news is undone."""

from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from slowwave.settings import Settings
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, sound

FLAKY = "The flaky test test_invoice_rounding is driving me crazy at the end of every sprint"
FIXED = "I finally finished test_invoice_rounding, it was DST"


@pytest.fixture(scope="session")
def heavy_parts() -> dict[str, object]:
    """The shipped packs, statements among what they read, and the embedder."""
    parts = wiring.connect(Settings.load(url="postgresql://nobody@/nowhere"))
    return {"packs": parts.packs, "embedder": parts.embedder}


@pytest.fixture
def settings(url: str, owner_url: str, tmp_path: Path) -> Settings:
    """Settings that reach the test's database; statements are read too."""
    return Settings.load(url=url, owner_url=owner_url, home=tmp_path, lease_seconds=2, window=50)


def say(harness: Harness, scope: Scope, said: str, number: int) -> int:
    """Say something as Kofi, learn it and reconsider; return the last run that learned something."""
    here = Memory(harness.parts).scope(scope.user, agent=scope.agent)
    here.push(said, speaker="Kofi", session=f"s{number}", key=f"k{number}")
    due_work.fire(harness.parts, scope.id)
    harness.drain()
    asked = "SELECT max(run) FROM runs WHERE scope = %s AND job = %s AND counts ? 'add'"
    return int(harness.value(asked, scope.id, CONSOLIDATE))


def test_undoing_news_restores_the_belief_that_it_ended(harness: Harness) -> None:
    scope = somebody()
    say(harness, scope, FLAKY, 1)
    before = believed(harness, scope)
    run = say(harness, scope, FIXED, 2)
    ended = "SELECT count(*) FROM deltas WHERE scope = %s AND pack = '_reconsider' AND kind = 'delete'"
    assert harness.value(ended, scope.id) == 1

    done = Memory(harness.parts).undo(run)

    assert believed(harness, scope) == before
    assert len(done.changed) == 1
    sound(harness, scope)

    Memory(harness.parts).undo(done.id)

    assert harness.value(
        "SELECT count(*) FROM facts WHERE scope = %s AND upper_inf(recorded) AND upper_inf(valid) AND position = 1",
        scope.id,
    ) == 0  # fmt: skip
    sound(harness, scope)
