"""Commands that list told episodes, and facts in sections and pages."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from slowwave.cli.bench.sample_data import fill
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.store.statements import sql
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.integration.command import Run
from tests.integration.steps import learn
from tests.plans import explained, touched

WHOSE = ("--user", "alice", "--agent", "concierge")


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    scope = Memory(parts).scope("alice", agent="concierge")
    for n in range(6):
        at = NOON + timedelta(minutes=n)
        scope.push(f"turn {n}", key=f"k{n}", session=f"s{n % 2}", speaker="Ann", occurred_at=at)
    return scope


def keys(told: Any) -> list[str]:
    return [one["key"] for one in told]


def test_recent_episodes_are_listed_and_paged(alice: MemoryScope, run: Run) -> None:
    first = run("recent", *WHOSE, "--limit", "2", "--json").json
    then = run("recent", *WHOSE, "--limit", "2", "--before", first[-1]["id"], "--json").json

    assert (keys(first), keys(then)) == (["k5", "k4"], ["k3", "k2"])
    assert keys(run("recent", *WHOSE, "--session", "s1", "--until", "2026-03-02T12:03", "--json").json) == ["k1"]
    assert keys(run("recent", *WHOSE, "--after", "k3", "--json").json) == ["k5", "k4"]
    assert "turn 5" in run("recent", *WHOSE).out
    assert run("recent", "--user", "nobody").out.startswith("no episodes here")


def test_conversations_are_listed_and_shown(alice: MemoryScope, run: Run) -> None:
    listed = run("conversations", *WHOSE, "--json").json

    assert [(one["session"], one["episodes"], one["archived"]) for one in listed] == [("s1", 3, None), ("s0", 3, None)]
    assert [one["session"] for one in run("conversations", *WHOSE, "--after", "s1", "--json").json] == ["s0"]
    assert run("conversations", *WHOSE, "--archived", "--json").json == []
    assert keys(run("conversations", "show", "s1", *WHOSE, "--json").json) == ["k1", "k3", "k5"]
    assert keys(run("conversations", "show", "s1", *WHOSE, "--around", "k3", "--limit", "2", "--json").json) == [
        "k1", "k3",
    ]  # fmt: skip
    assert "turn 3" in run("conversations", "show", "s1", *WHOSE).out
    assert run("conversations", "show", "s7", *WHOSE).status == 1


def test_an_episode_is_shown_word_for_word(alice: MemoryScope, run: Run) -> None:
    assert run("episode", "k2", *WHOSE, "--json").json["content"] == "turn 2"
    assert run("episode", str(alice.episode("k2").id)[:8], *WHOSE).out.startswith("turn 2\n")
    assert run("episode", "k9", *WHOSE).status == 1


def test_calls_of_tools_are_listed(alice: MemoryScope, run: Run) -> None:
    alice.tools.record_invocation("s1", "t1", "search", {"q": "flights"}, ["LH 1"], True, 12.5)
    alice.tools.record_invocation("s1", "t2", "book", {"n": 1}, None, False, 80, error="sold out", task="fly")
    alice.push("done in 8 s", kind="tool_call", role="tool", metadata={"tool": "build"})

    calls = run("tool-calls", *WHOSE, "--json").json
    told = [
        (one["tool"], one["input"], one["output"], one["success"], one["latency_ms"], one["error"]) for one in calls
    ]
    assert told == [
        ("build", None, "done in 8 s", None, None, None),
        ("book", {"n": 1}, None, False, 80, "sold out"),
        ("search", {"q": "flights"}, ["LH 1"], True, 12.5, None),
    ]
    assert [(one.turn, one.task, one.session) for one in alice.tools.calls(tools=["book"])] == [("t2", "fly", "s1")]
    assert [one["tool"] for one in run("tool-calls", *WHOSE, "--failed", "--json").json] == ["book"]
    assert [one["tool"] for one in run("tool-calls", *WHOSE, "--succeeded", "--json").json] == ["search"]
    assert [one.tool for one in alice.tools.calls(1, before=calls[1]["id"])] == ["search"]
    assert "sold out" in run("tool-calls", *WHOSE, "--tool", "book").out


def test_a_profile_is_shown_part_by_part(parts: Parts, run: Run) -> None:
    scope = Memory(parts).scope("nora")
    scope.push_many(["I like hiking.", "I live in Oslo."])
    scope.consolidate()

    shown = run("profile", "--user", "nora").out.splitlines()
    assert [line.split("  strength")[0] for line in shown] == [
        "preferences", "  The user likes hiking", "metadata", "  The user lives in Oslo",
    ]  # fmt: skip
    told = run("profile", "--user", "nora", "--json").json
    assert [one["value"] for one in told["preferences"]] == ["hiking"]
    assert run("profile", "--user", "nobody").out.startswith("no profile for this user")


def test_facts_show_their_strength_where_it_has_fallen(parts: Parts, run: Run, superuser: psycopg.Connection) -> None:
    learn(Memory(parts).scope("nora"), "I like hiking.")

    assert "strength" not in run("facts").out
    superuser.execute(
        "UPDATE standing SET source = 'inferred', base = 0.7, created = created - interval '27.027 days' "
        "WHERE kind = 'semantic'"
    )
    shown = run("facts").out
    assert "strength" in shown
    assert " 0.35 " in shown
    (told,) = run("facts", "--json").json
    assert told["strength"] == pytest.approx(0.35, abs=1e-3)


def test_remember_prints_all_related_memories_by_kind(parts: Parts, run: Run) -> None:
    scope = learn(Memory(parts).scope("nora"), "Anna lives in Oslo.")
    scope.goals.add("Visit Oslo")

    shown = [line.rsplit("  ", 1)[0] for line in run("remember", "Where is Anna?", "--user", "nora").out.splitlines()]
    assert shown[:4] == ["turns", "  Anna lives in Oslo.", "facts", "  Anna lives in Oslo"]
    assert "strategies: none" in shown
    told = run("remember", "Where is Anna?", "--user", "nora", "--hours", "1", "--json").json
    assert [one["text"] for one in told["turns"]] == ["Anna lives in Oslo."]
    assert [one["description"] for one in told["goals"]] == ["Visit Oslo"]


def test_turns_that_speak_of_an_entity_are_listed_and_paged(alice: MemoryScope, run: Run) -> None:
    alice.graph.upsert_entity("Oslo", type="place")
    for n in range(3):
        alice.push(f"Oslo, day {n}", key=f"o{n}", session="s2")

    first = run("graph", "mentions", "Oslo", *WHOSE, "--limit", "2", "--json").json
    then = run("graph", "mentions", "Oslo", *WHOSE, "--limit", "1", "--before", "o1", "--json").json

    assert [one["episode"]["key"] for one in [*first, *then]] == ["o2", "o1", "o0"]
    assert first[0]["spans"] == [[0, 4]]
    assert "Oslo, day 2" in run("graph", "mentions", "Oslo", *WHOSE).out


def test_an_entity_is_described_with_its_facts(alice: MemoryScope, run: Run) -> None:
    alice.graph.create_relationship("Ada", "Acme", "WORKS_FOR")

    told = run("graph", "describe", "Ada", *WHOSE, "--json").json
    assert (told["text"], told["entity"]["type"]) == ("Ada works at Acme.", "person")
    assert run("graph", "describe", "Ada", *WHOSE).out.startswith("Ada (person): Ada works at Acme.\n")


MANY = 2_500


@pytest.fixture
def rich(parts: Parts) -> MemoryScope:
    """A scope with more beliefs than one page returns or counts."""
    (scope,) = fill(parts, scopes=1, facts=MANY, channel=GLOBAL_CHANNEL)
    return MemoryScope(parts, scope)


def test_many_facts_are_returned_once_in_order_with_one_scope_object(rich: MemoryScope) -> None:
    held = rich.facts()

    assert sorted(int(one.object.removeprefix("thing ")) for one in held) == list(range(1, MANY + 1))
    assert [one.object for one in held] == sorted(one.object for one in held)
    assert len({id(one.scope) for one in held}) == 1


def test_many_accesses_are_written_in_several_transactions(
    parts: Parts, rich: MemoryScope, superuser: psycopg.Connection
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


def test_the_page_after_the_last_fact_is_empty(parts: Parts, run: Run) -> None:
    alice = learn(Memory(parts).scope("alice"), "I like tea.")
    (only,) = alice.facts()

    assert run("facts", "--after", str(only.id)).out == "there are no facts after it\n"
