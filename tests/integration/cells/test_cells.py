"""Several databases: each tenant lives in one of them, and every verb goes there."""

import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Self

import psycopg
import pytest
from psycopg import sql
from pydantic import SecretStr

from slowwave import wiring
from slowwave.errors import Conflict, Elsewhere, SlowwaveError, Unavailable
from slowwave.memory import Memory
from slowwave.memory.operations import Access, Encryption
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store import cells as cells_store
from slowwave.store.cells import copying
from slowwave.store.cells import moving as cells_moving
from slowwave.wiring import moving
from slowwave.wiring.cells import CellsFile
from tests.faults.rig.processes import until

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


def test_numbers_that_differ_between_cells_are_translated(
    opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    for number, (_, owner_url) in enumerate(addresses.values()):
        with psycopg.connect(owner_url) as connection:
            for other in range(number):
                connection.execute("SELECT slowwave_make_space(%s, 8)", [f"other {other}"])
    memory = opened()
    scope = memory.scope("alice", tenant="acme")
    scope.push("I moved to Oslo last week", role="user", session="s1")
    scope.consolidate()
    spaces = memory.embedding_spaces(tenant="acme")
    runs = [run.run for run in memory.operator(tenant="acme").runs()]
    for to in ("two", "three", "one"):
        moving.move(parts_of(memory), "acme", to, print)
        assert memory.embedding_spaces(tenant="acme") == spaces
        assert scope.recall("where does she live?")
        scope.push(f"I now live in {to}", role="user")
        scope.consolidate()
        later = [run.run for run in memory.operator(tenant="acme").runs()]
        assert later[-len(runs) :] == runs  # newer runs have higher numbers in every cell
        runs = later


def test_an_encrypted_tenant_moves_with_its_keys(settings: Settings, heavy_parts: dict[str, object]) -> None:
    keys = SecretStr(Encryption.new_master_key())
    with closing(wiring.connect(settings.model_copy(update={"encryption_keys": keys}))) as parts:
        vars(parts).update(heavy_parts)
        memory = Memory(parts)
        memory.scope("bob", tenant="bolt").push("I moved to Rome last week", role="user")
        scope = memory.scope("alice", tenant="acme")
        scope.push("I moved to Oslo last week", role="user", session="s1")
        scope.consolidate()
        for to in ("two", "three", "one"):
            moving.move(parts, "acme", to, print)
            assert [fact.object for fact in scope.facts()] == ["Oslo"]
            key = memory.encryption.rotate(tenant="acme")
            assert key.key == max(one.key for one in memory.encryption.listing(tenant="acme"))
        assert not memory.check(rebuild=True)


def test_a_move_leaves_the_rows_of_others_alone(
    opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    assert settings.cells is not None
    for tenant in ("acme", "bolt"):
        CellsFile(settings.cells).record(tenant, "one")
    memory = opened()
    for tenant in ("acme", "bolt"):
        scope = memory.scope("alice", tenant=tenant)
        scope.push("I moved to Oslo last week", role="user")
        scope.consolidate()
    with psycopg.connect(addresses["one"][1].replace("slowwave_owner", "postgres")) as connection:
        connection.execute("UPDATE firings SET fired = fired - interval '8 days'")  # the owner may delete old rows
    before = rows_of(addresses["one"][1], "bolt")
    moving.move(parts_of(memory), "acme", "two", print)
    assert rows_of(addresses["one"][1], "bolt") == before
    assert rows_of(addresses["two"][1], "bolt") == rows_of(addresses["one"][1], "acme") == 0


WRITES = {
    "dispatch": "INSERT INTO api_buckets (key, verb, tenant, level) VALUES (%(key)s, 'push', 'acme', 1)",
    "tenant": "UPDATE api_keys SET revoked = slowwave_now() WHERE key = %(key)s",
}
"""A write of each role."""


@pytest.mark.parametrize("role", WRITES)
def test_a_move_waits_for_transactions_that_have_begun(
    role: str, opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "one")
    memory = opened()
    parts = parts_of(memory)
    key, _ = Access(parts).create("app", ["*"], tenant="acme")
    copied = threading.Event()
    mover = threading.Thread(target=moving.move, args=(parts, "acme", "two", lambda _: copied.set()))
    database = parts.of("acme").database
    with database.tenant("acme") if role == "tenant" else database.dispatch() as connection:
        connection.exec_driver_sql("SELECT 1")
        mover.start()
        copied.wait()
        mover.join(3)  # it would end soon if it did not wait
        assert connection.exec_driver_sql(WRITES[role], {"key": key.key}).rowcount == 1
    mover.join()
    with psycopg.connect(addresses["two"][1].replace("slowwave_owner", "postgres")) as there:
        assert there.execute("SELECT count(*) FROM api_buckets").fetchone() == (int(role == "dispatch"),)
        assert there.execute("SELECT count(revoked) FROM api_keys").fetchone() == (int(role == "tenant"),)


@pytest.mark.parametrize("to", ["two", "three"])
def test_a_mover_that_lost_its_lock_gives_way(
    to: str, opened: Callable[[], Memory], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "one")
    opened().scope("alice", tenant="acme").push("I moved to Oslo", role="user")
    monkeypatch.setattr(cells_moving, "alone", lambda *_: nullcontext())
    parts, said = parts_of(opened()), list[str]()

    def second(text: str) -> None:
        said.append(text)
        if len(said) == 1:  # the first mover has copied, and did not switch
            moving.move(parts, "acme", to, said.append)
            opened().scope("alice", tenant="acme").push("I moved to Rome", role="user")

    with pytest.raises(Conflict, match="another move"):
        moving.move(parts, "acme", "two", second)
    memory = opened()
    assert moving.known(parts_of(memory)).cell_of("acme") == to
    assert memory.operator(tenant="acme").overview().episodes == 2


def test_the_old_cell_refuses_a_tenant_that_left(
    opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "one")
    memory = opened()
    memory.scope("alice", tenant="acme").push("I moved to Oslo", role="user", key="a")
    old = parts_of(memory).of("acme")
    moving.move(parts_of(memory), "acme", "two", print)
    with pytest.raises(Elsewhere), old.database.tenant("acme") as connection:
        connection.exec_driver_sql("SELECT 1")
    for role in ("slowwave_app", "slowwave_dispatch"):  # a process of whatever version, or a statement by hand
        with psycopg.connect(addresses["one"][0]) as connection:
            connection.execute(f"SET ROLE {role}".encode())
            connection.execute("SET slowwave.tenant = 'acme'")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("INSERT INTO api_buckets (key, verb, tenant, level) "
                    "VALUES (gen_random_uuid(), 'push', 'acme', 1)")  # fmt: skip
    CellsFile(settings.cells).record("acme", "one")  # a host whose file is old follows the tenant
    other = opened()
    with pytest.raises(Unavailable):
        other.scope("alice", tenant="acme").push("I moved to Rome", role="user", key="b")
    other.scope("alice", tenant="acme").push("I moved to Rome", role="user", key="b")
    assert other.operator(tenant="acme").overview().episodes == 2


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
        until(lambda: len(self.acknowledged) > before or bool(self.errors), "one more push is acknowledged")

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
                except SlowwaveError as error:
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
            "SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid WHERE polname = 'present'"
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
    names = names[(names.index(start) + 1) :] + names[: names.index(start) + 1]
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


def test_a_killed_move_is_finished_or_taken_back_while_nobody_uses_the_tenant(
    opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "one")
    opened().scope("alice", tenant="acme").push("I moved to Oslo", role="user")
    parts = parts_of(opened())
    _, secret = Access(parts).create("app", ["*"], tenant="acme")
    _, events = run_move(settings, "two")

    assert run_move(settings, "one", events.index("drop_mark") + 1, 1)[0] == -signal.SIGKILL  # the switch happened
    with pytest.raises(Unavailable, match="maybe the one of this key"):
        Access(parts_of(opened())).admit(secret, "push")
    assert Access(parts_of(opened())).admit(secret, "push").tenant == "acme"  # the first attempt finished the move
    moving.move(parts, "acme", "one", print)
    assert opened().operator(tenant="acme").overview().episodes == 1

    assert run_move(settings, "three", events.index("set_mark") + 1, 400)[0] == -signal.SIGKILL
    moving.move(parts, "acme", "one", print)  # where it still is
    assert opened().operator(tenant="acme").overview().episodes == 1
    assert [rows_of(addresses[name][1], "acme") > 0 for name in ("one", "two", "three")] == [True, False, False]


def test_an_unfinished_move_must_be_finished_before_an_erasure(
    opened: Callable[[], Memory], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "one")
    memory = opened()
    memory.scope("alice", tenant="acme").push("I moved to Oslo last week", role="user")
    for broken, owner in (("pass_numbers", cells_store), ("delete_rows", copying)):  # before and after the switch
        with monkeypatch.context() as patched:
            patched.setattr(owner, broken, lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                moving.move(parts_of(memory), "acme", "two", print)
        with pytest.raises(Conflict, match="a move of acme is unfinished") as refused:
            memory.forget(user="alice", tenant="acme")
        assert memory.scope("alice", tenant="acme").recent()
        assert "cells move acme --to CELL" in str(refused.value.hint)

    moving.move(parts_of(memory), "acme", "two", print)

    assert memory.forget(user="alice", tenant="acme", rewrite=False).erased


def test_a_move_is_refused_while_a_process_without_cells_is_connected(
    opened: Callable[[], Memory], settings: Settings, addresses: dict[str, tuple[str, str]]
) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "one")
    memory = opened()
    memory.scope("alice", tenant="acme").push("I moved to Oslo last week", role="user")
    alone = settings.model_copy(update={"url": SecretStr(addresses["one"][0]), "cells": None})
    with closing(wiring.connect(alone)) as parts:
        vars(parts.database)["_id_key_fits"] = True  # it began before the database became a cell
        with parts.database.tenant("acme") as connection:
            connection.exec_driver_sql("SELECT 1")
        with pytest.raises(Conflict, match=r"without SLOWWAVE_CELLS are connected to the cell one \(sessions: 1\)"):
            moving.move(parts_of(memory), "acme", "two", print)
    moving.move(parts_of(memory), "acme", "two", print)
