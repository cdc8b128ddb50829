"""kill -9 at every end of a transaction of an undo: nothing is half done, and asking again finishes it."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime

import pytest

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.undo.undoing import tell_all
from tests.faults.rig.forked import forked
from tests.faults.rig.killed import HEAVY, WAIT_SECONDS, Mortal

BEFORE = ["I live in Lisbon", "I like tea"]
SINCE = ["I just moved to Oslo", "I like milk", "I don't like tea any more", "I live in Oslo"]


@pytest.fixture
def harness(
    parts: wiring.Parts, owner_url: str, postgres_server: PostgresServer, database_name: str
) -> Iterator[Harness]:
    """The run protocol on the test's database."""
    with closing(Harness(parts, owner_url, postgres_server.url("postgres", database_name))) as harness:
        yield harness


def undo(url: str, since: datetime, ends: int) -> None:
    """Undo all since then in this process, which dies at its end of a transaction number *ends*."""
    parts = wiring.connect(Settings.load(url=url, lease_seconds=60, statements=False))
    vars(parts).update(HEAVY)
    parts.database.__class__ = Mortal
    assert isinstance(parts.database, Mortal)
    parts.database.left = ends
    Memory(parts).undo(since=since, by="Anna")
    parts.database.left = None
    os.kill(os.getpid(), signal.SIGTERM)


def killed(url: str, since: datetime, ends: int) -> bool:
    """Let an undo die at an end of a transaction; return whether it did."""
    worker = forked(undo, url, since, ends)
    worker.join(WAIT_SECONDS)
    assert worker.exitcode in (-signal.SIGTERM, -signal.SIGKILL), f"the undo ended with {worker.exitcode}"
    return worker.exitcode == -signal.SIGKILL


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

    ends, mixed = 1, 0
    while killed(harness.parts.url, since, ends):
        ends += 1
        left = [believed(harness, scope) for scope in scopes]
        assert all(one in (full, without) for one in left), f"half done after a kill at end {ends - 1}"
        mixed += full in left and without in left

    assert ends > 8
    assert mixed
    assert [believed(harness, scope) for scope in scopes] == [without] * 3
    assert [(one.state, len(one.runs)) for one in Memory(harness.parts).undos()] == [("done", 3)]
    for scope in scopes:
        sound(harness, scope)
