"""kill -9 at every end of a transaction of an erasure: no scope is half done, and asking again finishes it."""

import os
import signal

import psycopg
import pytest

from slowwave import wiring
from slowwave.memory import Memory
from slowwave.wiring import Settings
from tests.faults.rig.forked import forked
from tests.faults.rig.killed import HEAVY, WAIT_SECONDS, Mortal

CANARY = "Quixelburg"
CHANNELS = ("one", "two", "three")


def tell(memory: Memory, user: str) -> None:
    """Let *user* tell where they live in three channels."""
    for channel in CHANNELS:
        scope = memory.scope(user, agent="a", channel=channel)
        scope.push(f"I live in {CANARY}.", key=f"{user}-{channel}", session="s")
        scope.consolidate()


def forget(url: str, ends: int) -> None:
    """Forget in this process, which dies at its end of a transaction number *ends*."""
    parts = wiring.connect(Settings.load(url=url, lease_seconds=60, statements=False))
    vars(parts).update(HEAVY)
    parts.database.__class__ = Mortal
    assert isinstance(parts.database, Mortal)
    parts.database.left = ends
    Memory(parts).forget(user="ann", rewrite=False)
    parts.database.left = None
    os.kill(os.getpid(), signal.SIGTERM)


def killed(url: str, ends: int) -> bool:
    """Let an erasure die at an end of a transaction; return whether it did."""
    worker = forked(forget, url, ends)
    worker.join(WAIT_SECONDS)
    assert worker.exitcode in (-signal.SIGTERM, -signal.SIGKILL), f"the erasure ended with {worker.exitcode}"
    return worker.exitcode == -signal.SIGKILL


def left(admin: psycopg.Connection) -> dict[str, set[str]]:
    """Return in which tables the canary stands, by scope, of those that show the scope."""
    found: dict[str, set[str]] = {}
    for table, column in (("episodes", "content"), ("facts", "text"), ("entities", "name")):
        asked = f"SELECT DISTINCT scope::text FROM {table} WHERE {column} LIKE '%{CANARY}%' AND tenant = 'default'"
        for (scope,) in admin.execute(asked.encode()).fetchall():
            found.setdefault(scope, set()).add(table)
    return found


@pytest.mark.timeout(600)
def test_a_killed_erasure_leaves_whole_scopes_and_a_repeated_one_finishes(
    parts: wiring.Parts, superuser: psycopg.Connection
) -> None:
    memory = Memory(parts)
    tell(memory, "ann")
    tell(memory, "bob")
    whole = left(superuser)
    assert set(map(len, whole.values())) == {3}
    of_bob = {str(memory.scope("bob", agent="a", channel=channel).scope.id) for channel in CHANNELS}

    ends, seen = 1, []
    while killed(parts.url, ends):
        ends += 1
        now = left(superuser)
        assert all(tables == whole[scope] for scope, tables in now.items()), f"half done after end {ends - 1}"
        assert of_bob <= now.keys()
        seen.append(len(now))

    assert ends > 6
    assert {6, 5, 4} <= set(seen), "killed before, between and after the scopes"
    assert left(superuser).keys() == of_bob
    (receipt,) = memory.erasures()
    assert receipt.erased is not None
    assert receipt.scopes == 4
    assert memory.verify_erasure(receipt)
    assert [str(one) for one in wiring.checks(parts.database).findings(folds=None)] == []
    memory.drain()
    assert [str(one) for one in wiring.checks(parts.database).findings(folds=None)] == []
