"""More facts than fit a hand: they come in parts, in pages, and are counted in parts."""

from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.bench.full_store import fill
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.store.statements import sql
from tests.integration.command import Run
from tests.plans import explained, touched

MANY = 2_500


@pytest.fixture
def rich(parts: wiring.Parts) -> MemoryScope:
    """A scope of which more is believed than is read, or counted, at a time."""
    (scope,) = fill(parts, scopes=1, facts=MANY, channel=GLOBAL_CHANNEL)
    return MemoryScope(parts, scope)


def test_many_facts_are_returned_once_in_order_with_one_scope_object(rich: MemoryScope) -> None:
    held = rich.facts()

    assert sorted(int(one.object.removeprefix("thing ")) for one in held) == list(range(1, MANY + 1))
    assert [one.object for one in held] == sorted(one.object for one in held)
    assert len({id(one.scope) for one in held}) == 1


def test_many_accesses_are_written_in_several_transactions(
    parts: wiring.Parts, rich: MemoryScope, superuser: psycopg.Connection
) -> None:
    rich.facts()
    write_accesses(parts)

    counted = superuser.execute("SELECT sum(access_count), count(DISTINCT xmin::text) FROM standing").fetchone()
    assert counted == (MANY, 2)


def test_a_page_of_facts_reads_only_its_own_sources(url: str, rich: MemoryScope, superuser: psycopg.Connection) -> None:
    superuser.execute("ANALYZE")
    nothing: dict[str, Any] = dict.fromkeys(("as_of", "known_at", "form", "facts"))
    page = {"scopes": [rich.scope.id], "everything": False, "most": 10, "after": rich.facts(limit=1)[0].id, **nothing}
    found = touched(url, sql("beliefs/as_of"), **page)

    assert [rows for table, _, rows in found if table == "delta_sources"] == [10]
    with parts_of(rich).database.tenant(rich.scope.tenant) as connection:
        plan = explained(connection, sql("beliefs/as_of"), page)
    assert "CTE believed" not in plan, "what is believed is not written down first"


def test_facts_are_paged_on_the_command_line(rich: MemoryScope, run: Run) -> None:
    whose = ("--user", rich.scope.user, "--agent", rich.scope.agent, "--limit", "1000", "--json")
    told = run("facts", *whose).json
    while page := run("facts", *whose, "--after", told[-1]["fact"]["id"]).json:
        told += page

    assert [one["fact"]["id"] for one in told] == [str(one.id) for one in rich.facts()]
    shown = run("facts", "--limit", "2").out
    third = run("facts", "--limit", "1", "--after", shown.split()[-1]).out
    assert "likes thing 1 " in shown
    assert "likes thing 100 " in third
    assert run("facts", "--after", "ffffffff").status == 1


def test_the_page_after_the_last_fact_is_empty(parts: wiring.Parts, run: Run) -> None:
    alice = Memory(parts).scope("alice")
    alice.push("I like tea.")
    alice.consolidate()
    (only,) = alice.facts()

    assert run("facts", "--after", str(only.id)).out == "there are no facts after it\n"
