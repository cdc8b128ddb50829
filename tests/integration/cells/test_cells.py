"""Several databases: each tenant lives in one of them, and every verb goes there."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import psycopg
import pytest
from psycopg import sql

from slowwave.errors import Unavailable
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import moving

pytestmark = pytest.mark.accept


def test_a_tenant_moves_with_everything(opened: Callable[[], Memory], settings: Settings) -> None:
    memory = opened()
    scope = memory.scope("alice", tenant="acme")
    scope.push("I moved to Oslo last week", role="user", session="s1")
    scope.consolidate()
    before = parts_of(memory).cells.cell_of("acme")  # type: ignore[union-attr]
    facts = [fact.text for fact in scope.facts()]
    assert facts
    digest = memory.digest(tenant="acme")
    for to in ("two", "three", "one"):
        moving.move(parts_of(memory), "acme", to, print)
        assert memory.digest(tenant="acme") == digest
        assert [fact.text for fact in scope.facts()] == facts
        scope.push(f"I now live in {to}", role="user")
        scope.consolidate()
        digest = memory.digest(tenant="acme")
        facts = [fact.text for fact in scope.facts()]
        assert not memory.check(rebuild=True)
    assert before


class Pusher:
    """An agent that pushes all the time, and remembers what was acknowledged."""

    def __init__(self, memory: Memory) -> None:
        self._scope = memory.scope("alice", tenant="acme")
        self.acknowledged: list[str] = []
        self.refused = 0
        self.errors: list[Exception] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._push)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def wait_for_one_more(self) -> None:
        """Return when another push was acknowledged."""
        before = len(self.acknowledged)
        while len(self.acknowledged) == before and not self.errors:
            time.sleep(0.05)

    def _push(self) -> None:
        for number in itertools.count():
            text = f"I met a person named {number}"
            while not self._stop.is_set():
                try:
                    self._scope.push(text, role="user", session="s1", key=f"k{number}")
                    self.acknowledged.append(text)
                    break
                except Unavailable as error:
                    self.refused += 1
                    self._stop.wait(error.retry_after_seconds)
                except Exception as error:  # the test shows it
                    self.errors.append(error)
                    return
            if self._stop.wait(0.01):
                return


def run_move(settings: Settings, to: str, event: int = 0, steps: int = 0) -> tuple[int, list[str]]:
    """Move the tenant in a process that is killed some steps after an event; return its status and the events."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed_move.py")), "acme", to, str(event), str(steps)],
        env={**os.environ, "SLOWWAVE_CELLS": str(settings.cells)}, stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.split()


def rows_of(url: str, tenant: str) -> int:
    """Return the number of rows of a tenant in a database, seen by a superuser."""
    with psycopg.connect(url.replace("slowwave_owner", "postgres")) as connection:
        tables = connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE polname = 'moves_with_its_tenant'"
        ).fetchall()
        count = sql.SQL("SELECT count(*) FROM {} WHERE tenant = %s")
        rows = [connection.execute(count.format(sql.Identifier(table)), [tenant]).fetchone() for (table,) in tables]
        return sum(row[0] for row in rows if row)


@pytest.mark.timeout(900)
def test_a_move_survives_kill_9_anywhere(
    opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    memory = opened()
    scope = memory.scope("alice", tenant="acme")
    scope.push("I moved to Oslo last week", role="user", session="s1")
    scope.consolidate()
    scope.push("I moved to Rome last week", role="user", session="s1")
    cells = moving.known(parts_of(memory))
    start = cells.cell_of("acme")
    names = ["two", "three", "one"]
    names = names[(names.index(start) + 1):] + names[:names.index(start) + 1]
    rounds = itertools.cycle(names)
    with Pusher(memory) as pusher:
        status, events = run_move(settings, next(rounds))
        assert status == 0
        steps = [(event, by) for event in range(1, len(events) + 1) for by in (1, 2)]
        for event, by in [*steps, (events.index("set_mark") + 1, 40), (events.index("set_mark") + 1, 400)]:
            to = next(rounds)
            assert run_move(settings, to, event, by)[0] == -signal.SIGKILL, (events, event, by)
            pusher.wait_for_one_more()
            assert run_move(settings, to)[0] == 0
            for name, (_, owner_url) in addresses.items():
                assert (rows_of(owner_url, "acme") > 0) == (name == to), (events[event - 1], by, name, to)
    assert not pusher.errors
    memory.scope("alice", tenant="acme").consolidate()
    assert not memory.check(rebuild=True)
    with parts_of(memory).of("acme").database.tenant("acme") as connection:
        found = set(connection.exec_driver_sql("SELECT content FROM episodes").scalars())
    assert set(pusher.acknowledged) <= found
