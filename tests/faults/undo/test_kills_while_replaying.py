"""kill -9 at every end of a transaction of a replay: nothing is half done, and asking again finishes it."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.replay.packs import deaf, install
from tests.contract.undo.undoing import tell_all
from tests.faults.rig.forked import forked
from tests.faults.rig.killed import HEAVY, WAIT_SECONDS, Mortal

SAID = ["I live in Lisbon", "I like tea", "I just moved to Oslo", "I like milk", "I don't like tea any more"]


@pytest.fixture
def harness(
    parts: wiring.Parts, owner_url: str, postgres_server: PostgresServer, database_name: str
) -> Iterator[Harness]:
    """The run protocol on the test's database."""
    with closing(Harness(parts, owner_url, postgres_server.url("postgres", database_name))) as harness:
        yield harness


def replay(url: str, scope: Scope, ends: int) -> None:
    """Replay a scope in this process, which dies at its end of a transaction number *ends*."""
    parts = wiring.connect(Settings.load(url=url, lease_seconds=60, statements=False))
    vars(parts).update(HEAVY)
    install(parts, deaf("Oslo"))
    parts.database.__class__ = Mortal
    assert isinstance(parts.database, Mortal)
    parts.database.left = ends
    Memory(parts).scope(scope.user, agent=scope.agent).replay("everyday", by="Anna")
    parts.database.left = None
    os.kill(os.getpid(), signal.SIGTERM)


def killed(url: str, scope: Scope, ends: int) -> bool:
    """Let a replay die at an end of a transaction; return whether it did."""
    worker = forked(replay, url, scope, ends)
    worker.join(WAIT_SECONDS)
    assert worker.exitcode in (-signal.SIGTERM, -signal.SIGKILL), f"the replay ended with {worker.exitcode}"
    return worker.exitcode == -signal.SIGKILL


@pytest.mark.timeout(600)
def test_a_killed_replay_leaves_old_or_new_beliefs_and_a_repeated_one_finishes(harness: Harness) -> None:
    parts, always = harness.parts, somebody()
    vars(parts).update(HEAVY)
    install(parts, deaf("Oslo"))
    tell_all(harness, always, episodes(SAID))
    install(parts)
    new, ends, seen = believed(harness, always), 1, []
    while True:
        scope = somebody()
        tell_all(harness, scope, episodes(SAID))
        old = believed(harness, scope)
        assert old != new
        died = killed(parts.url, scope, ends)
        left = believed(harness, scope)
        assert left in (old, new), f"half done after a kill at end {ends}"
        seen.append(left == new)
        if died:
            assert not killed(parts.url, scope, 1000)
        assert believed(harness, scope) == new
        assert [(one.state, len(one.runs)) for one in Memory(parts).scope(scope.user, agent=scope.agent).undos()] == [
            ("done", 1)
        ]
        sound(harness, scope)
        if not died:
            break
        ends += 1

    assert seen == sorted(seen), "once it is done it stays done"
    assert ends > 8
    assert not seen[0]
