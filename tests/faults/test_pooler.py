"""Slowwave behind a real PgBouncer, whose sessions serve one transaction at a time, of any tenant."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from slowwave import AsyncMemory, Episode, wiring
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.runtime import clock
from slowwave.settings import Settings
from slowwave.store.engine import IDLE_MS, LOCK_MS, STATEMENT_MS
from tests.faults.rig.postgres.pooler import pooler
from tests.folders import open_folder

pytestmark = pytest.mark.accept
HOMES = {"anna": "Lima", "ben": "Oslo", "cleo": "Lyon", "dan": "Bern"}
"""The home of each tenant's user."""


@pytest.fixture(scope="module")
def address(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """The address of a migrated database through a pooler with two sessions per role."""
    with (
        open_folder("pooler") as folder,
        pooler(folder, postgres_server, template, sessions=2) as address,
    ):
        yield address


@pytest.fixture(scope="module")
def parts(address: str) -> Iterator[wiring.Parts]:
    """The parts of a process that reaches Postgres through the pooler."""
    with closing(wiring.connect(Settings.load(url=address, pooler=True))) as parts:
        wiring.register(parts)
        yield parts


def test_tenants_that_share_sessions_at_the_same_time_learn_recall_and_undo_only_their_own_facts(
    parts: wiring.Parts,
) -> None:
    memory = Memory(parts)

    def live(tenant: str) -> tuple[set[str], set[str], set[str]]:
        scope, began = memory.scope("nora", agent="concierge", tenant=tenant), clock.now()
        for day in range(5):
            scope.push(Episode(content=f"I live in {HOMES[tenant]}", key=f"home{day}", role="user"))
            scope.consolidate()
        believed = {fact.object for fact in scope.facts(form="typed")}
        recalled = {found.text for found in scope.recall("Where does Nora live?")}
        scope.undo(since=began)
        return believed, recalled, {fact.object for fact in scope.facts(form="typed")}

    with ThreadPoolExecutor(len(HOMES)) as pool:
        lives = dict(zip(HOMES, pool.map(live, HOMES), strict=True))

    for tenant, (believed, recalled, left) in lives.items():
        assert believed == {HOMES[tenant]}
        assert {home for home in HOMES.values() for text in recalled if home in text} == {HOMES[tenant]}
        assert left == set()


def test_async_verbs_work_through_the_pooler(address: str) -> None:
    async def live() -> list[str]:
        async with AsyncMemory.connect(address, pooler=True) as memory:
            scope = memory.scope("leo", agent="concierge")
            await scope.push(Episode(content="I live in Oslo", key="home", role="user"))
            await scope.consolidate()
            return [fact.object for fact in await scope.facts(form="typed")]

    assert asyncio.run(live()) == ["Oslo"]


@pytest.mark.parametrize("role", ["slowwave_app", "slowwave_dispatch"])
def test_every_transaction_has_the_role_and_the_time_limits_of_a_session(parts: wiring.Parts, role: str) -> None:
    database = parts.database
    for _ in range(4):
        with database.tenant("anyone") if role == "slowwave_app" else database.dispatch() as connection:
            values = connection.exec_driver_sql(
                "SELECT current_user, current_setting('timezone'), "
                "(SELECT array_agg(setting::int ORDER BY name) FROM pg_settings WHERE name IN "
                "('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'))"
            ).one()
        assert tuple(values) == (role, "UTC", [IDLE_MS, LOCK_MS, STATEMENT_MS])
