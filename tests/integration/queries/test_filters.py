"""Filters of recall by speaker, place and time: they apply before the best memories are chosen."""

from datetime import timedelta
from typing import Any

import pytest

from slowwave.domain.recollection import Recollection
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.integration.command import Run
from tests.integration.steps import learn

DAY = timedelta(days=1)
SAID = [
    ("user", "old", "I live in Lisbon.", NOON),
    ("assistant", "old", "Lisbon is lovely in May.", NOON),
    ("user", "now", "Where do I live, Lisbon or Oslo?", NOON + DAY),
    ("user", "new", "I moved to Oslo.", NOON + 2 * DAY),
    ("tool", "new", "Oslo: rain.", NOON + 2 * DAY),
]
QUESTION = "do I live in Lisbon or in Oslo?"
ALL = {content for _, _, content, _ in SAID} | {"The user lives in Oslo"}
FACT = "The user lives in Oslo"

FILTERS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "nothing left out": ({}, ALL),
    "one role, and what was learned from it": (
        {"roles": ["user"]},
        {content for role, _, content, _ in SAID if role == "user"} | {FACT},
    ),
    "a role from which nothing was learned": ({"roles": ["assistant"]}, {SAID[1][2]}),
    "one session": ({"sessions": ["old"]}, {SAID[0][2], SAID[1][2]}),
    "several sessions": ({"sessions": ["old", "now"]}, {SAID[0][2], SAID[1][2], SAID[2][2]}),
    "not the running session": ({"exclude_sessions": ["now"]}, ALL - {SAID[2][2]}),
    "what was learned there goes with a session": ({"exclude_sessions": ["new"]}, {SAID[n][2] for n in range(3)}),
    "since a time": ({"since": NOON + DAY}, ALL - {SAID[0][2], SAID[1][2]}),
    "until a time, itself left out": ({"until": NOON + DAY}, {SAID[0][2], SAID[1][2]}),
    "a window of time": ({"since": NOON + DAY, "until": NOON + 2 * DAY}, {SAID[2][2]}),
    "all at once": ({"roles": ["user"], "sessions": ["new"], "since": NOON, "kinds": ["episode"]}, {SAID[3][2]}),
    "no session at all": ({"sessions": []}, set()),
}


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    scope = Memory(parts).scope("alice", agent="concierge")
    for number, (role, session, content, at) in enumerate(SAID):
        scope.push(content, role=role, session=session, occurred_at=at, key=f"e{number}")  # type: ignore[arg-type]  # a role each
    scope.consolidate()
    return scope


def texts(found: list[Recollection]) -> set[str]:
    return {one.text for one in found}


@pytest.mark.parametrize("chosen", FILTERS)
def test_a_filter_excludes_exactly_the_non_matching_memories(alice: MemoryScope, chosen: str) -> None:
    filters, left = FILTERS[chosen]

    assert texts(alice.recall(QUESTION, limit=50, **filters)) == left


def test_a_filter_is_applied_before_the_best_are_chosen(alice: MemoryScope) -> None:
    alice.push_many([{"content": f"I live in Oslo, house {n}", "session": "noise"} for n in range(200)])
    Memory(parts_of(alice)).drain()

    (found,) = alice.recall(QUESTION, limit=1, sessions=["old"], roles=["assistant"])

    assert found.text == "Lisbon is lovely in May."


def test_a_recollection_has_its_role_and_session(alice: MemoryScope) -> None:
    told = {(one.text, one.role, one.session) for one in alice.recall(QUESTION, limit=50)}

    assert told == {(content, role, session) for role, session, content, _ in SAID} | {(FACT, None, "new")}


def test_a_promoted_fact_has_the_role_of_its_source(alice: MemoryScope) -> None:
    trip = learn(alice.in_channel("trip"), "I am allergic to cashews.", role="user", session="s1")
    (fact,) = trip.facts(form="typed")[:1]
    trip.promote(fact.id, reason="everybody should know")

    def found(role: str) -> set[str]:
        return texts(alice.recall("allergic to cashews?", roles=[role], kinds=["fact"]))  # type: ignore[list-item]  # a role

    assert fact.text in found("user")
    assert fact.text not in found("assistant")


def test_channel_and_agent_filters_replace_the_searched_scopes(parts: Parts) -> None:
    memory = Memory(parts)
    for agent, channel in (("guide", "trip"), ("guide", "home"), ("clerk", "home"), ("guide", "_global")):
        memory.scope("bob", agent=agent, channel=channel).push(f"The cello stands with {agent} in {channel}")

    def found(scope: MemoryScope, **where: Any) -> set[str]:
        return {one.text.removeprefix("The cello stands with ") for one in scope.recall("cello?", limit=50, **where)}

    trip, bob = memory.scope("bob", agent="guide", channel="trip"), memory.scope("bob")
    assert found(trip) == {"guide in trip", "guide in _global"}
    assert found(trip, channels=["home"]) == {"guide in home"}
    assert found(trip, channels=["home", "trip"]) == {"guide in home", "guide in trip"}
    assert found(trip, agents=["clerk"]) == set()
    assert found(trip, channels=["home"], agents=["clerk", "guide"]) == {"clerk in home", "guide in home"}
    assert found(bob, agents=["clerk"]) == {"clerk in home"}
    assert found(bob, channels=["home"]) == {"clerk in home", "guide in home"}
    assert found(bob, channels=["nowhere"]) == set()


def test_an_until_that_is_not_after_since_is_refused(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect, match="until: is not after since"):
        alice.recall(QUESTION, since=NOON, until=NOON)


def test_the_command_line_has_the_same_filters(alice: MemoryScope, run: Run) -> None:
    def found(*options: str) -> set[str]:
        asked = run("recall", QUESTION, "--user", "alice", "--agent", "concierge", "--limit", "50", "--json", *options)
        return {one["text"] for one in asked.json}

    assert found() == ALL
    assert found("--role", "assistant", "--role", "tool") == {SAID[1][2], SAID[4][2]}
    assert found("--session", "old") == {SAID[0][2], SAID[1][2]}
    assert found("--exclude-session", "now", "--exclude-session", "new") == {SAID[0][2], SAID[1][2]}
    assert found("--since", "2026-03-03T12:00", "--until", "2026-03-04") == {SAID[2][2]}
