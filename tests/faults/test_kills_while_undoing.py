"""kill -9 at every end of a transaction of an undo and a replay leaves nothing half done; a repetition finishes it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import Memory
from slowwave.memory.undoing.canaries import Canaries
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.replay.packs import deaf, declare, install
from tests.contract.undo.undoing import tell_all
from tests.faults.rig.killed import dies, heavy

BEFORE = ["I live in Lisbon", "I like tea"]
SINCE = ["I just moved to Oslo", "I like milk", "I don't like tea any more", "I live in Oslo"]
TOLD = [*BEFORE, *SINCE[:-1]]


Beliefs = list[tuple[Any, ...]]


def undo(parts: wiring.Parts, since: datetime) -> None:
    Memory(parts).undo(since=since, by="Anna")


def replay_all(parts: wiring.Parts) -> None:
    Memory(parts).replay("everyday", by="Anna")


def roll_back(parts: wiring.Parts) -> None:
    Canaries(parts).roll_back("everyday", by="Anna", reason="it is deaf")


def read_deaf(parts: wiring.Parts) -> None:
    """Let the pack drop all claims about Oslo."""
    install(parts, deaf("Oslo"))


def killed_to_the_end(
    harness: Harness,
    work: Callable[..., None],
    scopes: Sequence[Scope],
    old: Beliefs,
    new: Beliefs,
    *arguments: object,
    before: Callable[[wiring.Parts], None] | None = None,
) -> None:
    """Repeat *work* until it is not killed; each scope has *old* or *new* beliefs, and in the end *new* ones."""
    ends, mixed, done = 1, 0, 0
    while dies(work, harness.parts.url, ends, *arguments, before=before):
        ends += 1
        left = [believed(harness, scope) for scope in scopes]
        assert all(one in (old, new) for one in left), f"half done after a kill at end {ends - 1}"
        assert left.count(new) >= done, "once it is done it stays done"
        done = left.count(new)
        mixed += 0 < done < len(scopes)

    assert ends > 8
    assert mixed
    assert [believed(harness, scope) for scope in scopes] == [new] * len(scopes)
    for scope in scopes:
        sound(harness, scope)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_undo_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    scopes, never, told = [somebody() for _ in range(3)], somebody(), episodes([*BEFORE, *SINCE])
    for scope in (*scopes, never):
        tell_all(harness, scope, told[: len(BEFORE)])
    since = harness.value("SELECT slowwave_now()")
    for scope in scopes:
        tell_all(harness, scope, told[len(BEFORE) :])
    full, without = believed(harness, scopes[0]), believed(harness, never)
    assert full != without

    killed_to_the_end(harness, undo, scopes, full, without, since)

    assert [(one.state, len(one.runs)) for one in Memory(harness.parts).undos()] == [("done", 3)]


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_replay_of_a_tenant_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, always, scopes = harness.parts, somebody(), [somebody() for _ in range(3)]
    vars(parts).update(heavy())
    for scope in scopes:
        tell_all(harness, scope, episodes(TOLD))
    old = believed(harness, scopes[0])
    read_deaf(parts)
    tell_all(harness, always, episodes(TOLD))
    new = believed(harness, always)
    assert old != new

    killed_to_the_end(harness, replay_all, scopes, old, new, before=read_deaf)

    assert believed(harness, always) == new
    orders = Memory(parts).undos()
    assert sorted(run for one in orders for run in one.runs) == sorted({run for one in orders for run in one.runs})
    assert sum(len(one.runs) for one in orders) == 3, "each scope is replayed once"
    for one in orders:
        Memory(parts).undo(one.id)
    assert [believed(harness, scope) for scope in (*scopes, always)] == [old, old, old, new]
    for scope in scopes:
        sound(harness, scope)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_roll_back_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, never, scopes = harness.parts, somebody(), [somebody() for _ in range(3)]
    vars(parts).update(heavy())
    tell_all(harness, never, episodes(TOLD))
    declare(parts, deaf("Oslo"), version=2001)
    for scope in scopes:
        tell_all(harness, scope, episodes(TOLD))
    declare(parts)
    deaf_ones, without = believed(harness, scopes[0]), believed(harness, never)
    assert deaf_ones != without

    killed_to_the_end(harness, roll_back, scopes, deaf_ones, without)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_roll_back_of_replays_leaves_whole_scopes_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, never, scopes = harness.parts, somebody(), [somebody() for _ in range(3)]
    vars(parts).update(heavy())
    for scope in (never, *scopes):
        tell_all(harness, scope, episodes(TOLD)[:2])
    tell_all(harness, never, episodes(TOLD)[2:])
    declare(parts, deaf("Oslo", "tea"), version=2002)
    for scope in scopes:
        tell_all(harness, scope, episodes(TOLD)[2:])
        Memory(parts).scope(scope.user, agent=scope.agent).replay("everyday")
    declare(parts)
    deaf_ones, without = believed(harness, scopes[0]), believed(harness, never)
    assert deaf_ones != without

    killed_to_the_end(harness, roll_back, scopes, deaf_ones, without)
