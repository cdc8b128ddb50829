"""An episode that was buried and is read late leaves what it would have left in time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import work
from slowwave.store.beliefs.rebuild import rebuilt
from slowwave.store.dead_letters import dead_letters
from tests.contract.harness import Harness, somebody

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
STORIES = {
    "a home told before another": ["I live in Lisbon", "I just moved to Oslo", "I just moved to Rome"],
    "a home confirmed since": ["I live in Lisbon", "I just moved to Rome", "I live in Lisbon", "I live in Rome"],
    "what is corrected since": ["I live in Lisbon", "I like tea", "No, I meant coffee", "I just moved to Oslo"],
    "a correction": ["I like tea", "No, I meant coffee", "I like tea", "I like milk"],
    "what is forgotten since": ["I like tea", "I like milk", "Forget that I like milk", "I like milk"],
    "what is to be forgotten": ["I like tea", "Forget that I like tea", "I like tea", "I like milk"],
    "what ends": ["I like tea", "I don't like tea any more", "I like tea", "No, I meant milk"],
}


def episodes(said: Sequence[str]) -> list[Episode]:
    """Return what somebody said, a minute apart."""
    return [
        Episode(content=one, key=f"k{number}", session="s1", occurred_at=NOON + number * timedelta(minutes=1))
        for number, one in enumerate(said, 1)
    ]


def tell(harness: Harness, scope: Scope, said: Sequence[str], *, buried: int | None = None) -> None:
    """Consolidate what was said episode by episode, of which one is *buried* by a fault."""
    for number, episode in enumerate(episodes(said), 1):
        harness.parts.push(scope, [episode])
        work.fire(harness.parts, scope.id)
        if number == buried:
            run = harness.claimed(scope=scope, jobs=[CONSOLIDATE])
            harness.parts.runs.bury(run, category="fault", reason="LookupError at nowhere.py:1")
        harness.drain()


def retry(harness: Harness, scope: Scope) -> None:
    """Read every open letter's episode once more."""
    with harness.parts.database.tenant(scope.tenant) as connection:
        letters = [letter for letter in dead_letters.letters(connection, state="open") if letter.category == "fault"]
        dead_letters.ask_again(connection, letters)
    harness.drain()


def believed(harness: Harness, scope: Scope) -> list[tuple[Any, ...]]:
    """Return the open beliefs, whichever facts and times of recording they have."""
    return harness.rows(
        "SELECT subject, predicate, object, valid, confidence, form, text, tense, position, session, rule FROM facts "
        "WHERE scope = %s AND upper_inf(recorded) ORDER BY subject, predicate, object, valid, text",
        scope.id,
    )


def reviews(harness: Harness, scope: Scope) -> list[tuple[Any, ...]]:
    """Return the reviews that wait."""
    return harness.rows(
        "SELECT position, reason, item ->> 'object' FROM dead_letters WHERE scope = %s AND category = 'conflict' "
        "AND state = 'open' ORDER BY position, reason",
        scope.id,
    )


def sound(harness: Harness, scope: Scope) -> None:
    """Look whether the ledger folds to the facts, and all that must hold, holds."""
    with harness.parts.database.tenant(scope.tenant) as connection:
        ledger, table = rebuilt(connection, scope.id)
    assert ledger == table
    found = wiring.checks(harness.parts.database).findings(folds=None)
    assert [one for one in found if one.invariant not in ("job-unscheduled", "buried-together")] == []


def test_an_episode_read_late_leaves_what_it_would_have_left_in_time(harness: Harness) -> None:
    for story, said in STORIES.items():
        timely = somebody()
        tell(harness, timely, said)
        for late in range(1, len(said) + 1):
            scope = somebody()
            tell(harness, scope, said, buried=late)

            retry(harness, scope)

            assert (story, late, believed(harness, scope)) == (story, late, believed(harness, timely))
            assert reviews(harness, scope) == reviews(harness, timely)
            sound(harness, scope)
