"""The stored tree equals the tree rebuilt from the summaries after every change; `slowwave check` compares them."""

import random
import uuid
from collections import Counter
from datetime import timedelta

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.fact import Fact
from slowwave.domain.job_table import GROW, SUMMARISE, pack_of
from slowwave.domain.queries.tree import TreeNode
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.conftest import NOON
from tests.contract.harness import withdraw

MATTERS = [
    ["My dog Rex eats fish.", "Rex barked at the cat.", "The vet gave Rex a pill."],
    ["I flew to Oslo in May.", "The hotel in Bergen was full.", "My flight to Rome was late."],
    ["I play the cello.", "The concert was Bach.", "My violin needs strings."],
    ["I bake bread on Sundays.", "The soup needs salt.", "We cooked pasta with figs."],
]


@pytest.fixture
def alice(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    return MemoryScope(parts, scope)


def say(alice: MemoryScope, sessions: range, *, start: int = 0) -> None:
    """Push one session per text, each about one of four topics."""
    alice.push_many(
        Episode(
            content=f"{sentence} Number {number}.", key=f"{number}/{start}/{place}", session=f"s{number}",
            occurred_at=NOON + timedelta(days=number, minutes=place),
        )
        for number in sessions
        for place, sentence in enumerate(MATTERS[number % 4])
    )  # fmt: skip


def night(alice: MemoryScope) -> Counter[str]:
    """Do all due work on summaries and the tree; return the number of successful runs by job."""
    parts = parts_of(alice)
    reports = Memory(parts).drain()
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=pack_of(SUMMARISE))
    reports += Memory(parts).drain()
    parts.schedule.fire_job(GROW, pack_of(GROW), by="test")
    reports += Memory(parts).drain()
    return Counter(report.job for report in reports if report.outcome == "ok")


def shape(alice: MemoryScope) -> set[tuple[uuid.UUID, uuid.UUID | None, str]]:
    return {(node.id, node.parent, node.text) for node in alice.tree.nodes(1_000)}


def summary_of(alice: MemoryScope, session: str) -> Fact:
    (fact,) = [fact for fact in alice.facts() if (fact.predicate, fact.session) == ("summary", session)]
    return fact


def findings(alice: MemoryScope) -> list[str]:
    return [each.invariant for each in wiring.checks(parts_of(alice).database).findings(folds=None)]


def above(nodes: list[TreeNode], leaf: uuid.UUID) -> set[uuid.UUID]:
    """Return a leaf with all nodes above it."""
    parents = {node.id: node.parent for node in nodes}
    found, at = set[uuid.UUID](), uuid.UUID(str(leaf)) if leaf in parents else None
    while at is not None:
        found.add(at)
        at = parents[at]
    return found


def test_a_new_turn_rebuilds_only_the_nodes_above_it(alice: MemoryScope) -> None:
    say(alice, range(16))
    night(alice)
    before = alice.tree.nodes()
    say(alice, range(5, 6), start=1)
    alice.push("Rex is old. Number 77.", session="s5", key="new")
    night(alice)
    after = alice.tree.nodes()

    new = {node.id for node in after} - {node.id for node in before}
    assert above(after, summary_of(alice, "s5").id) <= new
    assert len(new) < len(after) / 2
    assert findings(alice) == []


def test_forgetting_a_summary_removes_its_words_from_all_nodes_above(alice: MemoryScope) -> None:
    say(alice, range(10))
    night(alice)
    before = alice.tree.nodes()
    gone = summary_of(alice, "s3")
    withdraw(alice, gone)

    assert {node.id for node in before} - {node.id for node in alice.tree.nodes()} == above(before, gone.id)
    assert not any("Number 3." in node.text for node in alice.tree.nodes(max_tokens=10_000))
    assert findings(alice) == [], "a new one is asked for"
    assert [report.job for report in Memory(parts_of(alice)).drain()] == [GROW]
    assert Counter(node.level for node in alice.tree.nodes()) == {0: 9, 1: 3, 2: 1}
    assert not any("Number 3." in node.text for node in alice.tree.nodes(max_tokens=10_000))
    assert findings(alice) == []


def test_an_archived_conversation_leaves_the_tree_and_a_restored_one_returns(alice: MemoryScope) -> None:
    say(alice, range(7))
    night(alice)
    before = shape(alice)
    alice.archive("s2")
    assert not any("Number 2." in text for _, _, text in shape(alice))
    Memory(parts_of(alice)).drain()
    assert {node.session for node in alice.tree.nodes() if not node.level} == {f"s{n}" for n in (0, 1, 3, 4, 5, 6)}
    assert findings(alice) == []

    alice.restore("s2")
    Memory(parts_of(alice)).drain()
    assert shape(alice) == before


@pytest.mark.parametrize("seed", range(3))
def test_the_tree_does_not_depend_on_how_runs_were_split_or_killed(
    alice: MemoryScope, parts: wiring.Parts, seed: int
) -> None:
    """The same sessions, once in pieces with runs that were killed before they wrote, and once in one night."""
    chance, other = random.Random(seed), MemoryScope(parts, Scope("default", "bob", "concierge"))
    say(other, range(11))
    night(other)

    for number in range(11):
        say(alice, range(number, number + 1))
        if chance.random() < 0.4:
            Memory(parts).drain()
            parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=pack_of(SUMMARISE))
            wanted = chance.choice([[SUMMARISE], [SUMMARISE, GROW]])
            run = parts.runs.claim(owner="ann", scope=alice.scope.id, jobs=wanted, overdue_seconds=0)
            if run is not None:
                parts.jobs[run.job].think(run, parts.runs)
                parts.runs.give_back(run, "unavailable", wait_seconds=0, error="killed")
            if chance.random() < 0.5:
                Memory(parts).drain()
                parts.schedule.fire_job(GROW, pack_of(GROW), by="test")
    night(alice)

    assert told(alice) == told(other)
    once = shape(alice)
    assert alice.tree.grow() == len(once)
    assert shape(alice) == once
    assert findings(alice) == []


def told(alice: MemoryScope) -> set[tuple[int, str]]:
    return {(node.level, node.text) for node in alice.tree.nodes(1_000, max_tokens=10_000)}


def test_summaries_changed_during_a_run_are_a_conflict(alice: MemoryScope, parts: wiring.Parts) -> None:
    say(alice, range(4))
    Memory(parts).drain()
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=pack_of(SUMMARISE))
    while True:
        run = parts.runs.claim(owner="ann", scope=alice.scope.id, jobs=[SUMMARISE, GROW], overdue_seconds=0)
        assert run is not None
        plan = parts.jobs[run.job].think(run, parts.runs)
        if run.job == GROW:
            break
        parts.runs.settle(run, plan)
        parts.schedule.fire_job(GROW, pack_of(GROW), by="test")
    with parts.database.tenant("default") as connection:
        connection.exec_driver_sql(
            "UPDATE conversations SET archived = slowwave_now() WHERE scope = %(scope)s AND session = 's1'",
            {"scope": alice.scope.id},
        )

    with pytest.raises(Conflict, match="summaries have changed"):
        parts.runs.settle(run, plan)


def test_a_tree_that_was_tampered_with_is_found(alice: MemoryScope, superuser: psycopg.Connection) -> None:
    say(alice, range(5))
    night(alice)
    superuser.execute("UPDATE tree_nodes SET text = 'nobody said this' || text WHERE level = 1")

    assert findings(alice) == ["tree-differs"]
    assert alice.tree.grow() == 8
    assert findings(alice) == []


def test_a_night_that_changes_no_summary_makes_no_node(alice: MemoryScope, parts: wiring.Parts) -> None:
    say(alice, range(6))
    alice.push_many(Episode(content=f"Ann{n} left Town{n} with Bob{n}.", session="full") for n in range(12))
    night(alice)
    before = shape(alice)
    alice.push("well, well", session="full", key="last")
    Memory(parts).drain()
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=pack_of(SUMMARISE))

    Memory(parts).drain()
    assert parts.schedule.fire_job(GROW, pack_of(GROW), by="test") == 1
    made = [report.counts for report in Memory(parts).drain() if report.job == GROW]
    assert made == [{}]
    assert shape(alice) == before
