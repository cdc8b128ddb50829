"""Reach: the scopes that recall, facts and strategies look in, and the names of the user."""

import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest

from slowwave import wiring
from slowwave.domain.audit import AuditFilter
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.integration.command import Run
from tests.integration.steps import learn

GUIDE = Scope("default", "nora", "guide")
RENTAL = Scope("default", "nora", "rental", "trip")
DESK = Scope("default", "nora", "desk", "flat")
QUESTION = "where do I live?"
TOOLS = ["search", "book"]


@pytest.fixture
def nora(parts: wiring.Parts) -> Memory:
    """Three agents' memories of Nora, in three channels; one of another user and one of another tenant."""
    memory = Memory(parts)
    strangers = [Scope("default", "ned", "guide"), Scope("globex", "nora", "guide")]
    homes = ["Lisbon", "Oslo", "Oslo", "Riga", "Rome"]
    for scope, home in zip([GUIDE, RENTAL, DESK, *strangers], homes, strict=True):
        known = memory.scope(scope.user, agent=scope.agent, channel=scope.channel, tenant=scope.tenant)
        learn(known, f"I live in {home}", key="home")
        known.strategies.learn_strategy(f"Search, then book in {home}", "book a flight", TOOLS, "s1", True)
    return memory


EVERYTHING = [(DESK, "Oslo"), (GUIDE, "Lisbon"), (RENTAL, "Oslo")]
NAMED: list[tuple[dict[str, str], list[tuple[Scope, str]]]] = [
    ({}, EVERYTHING),
    ({"channel": "trip"}, [(GUIDE, "Lisbon"), (RENTAL, "Oslo")]),
    ({"channel": "_global"}, [(GUIDE, "Lisbon")]),
    ({"agent": "rental"}, []),
    ({"agent": "rental", "channel": "trip"}, [(RENTAL, "Oslo")]),
    ({"agent": "guide", "channel": "trip"}, [(GUIDE, "Lisbon")]),
    ({"agent": "default"}, []),
]


def test_each_read_searches_the_same_scopes_and_names_the_owner(nora: Memory) -> None:
    for named, known in NAMED:
        scope = nora.scope("nora", **named)

        recalled = scope.recall(QUESTION, limit=50)
        facts = [(one.scope, one.text.split()[-1]) for one in recalled if one.scope and one.kind == "fact"]
        said = [(one.scope, one.text.split()[-1]) for one in recalled if one.scope and one.text.startswith("I live in")]
        homes = [(fact.scope, fact.object) for fact in scope.facts() if fact.predicate == "lives_in"]
        ways = [
            [(one.scope, one.description.split()[-1]) for one in found]
            for found in (scope.strategies.all(), scope.strategies.find_strategies("book a flight"))
        ]
        assert (named, [sorted(found) for found in (facts, said, homes, *ways)]) == (named, [known] * 5)


def test_the_command_line_looks_in_the_same_places(nora: Memory, run: Run) -> None:
    for named, _ in NAMED:
        scope = nora.scope("nora", **named)
        options = ["--user", "nora", *(part for name, value in named.items() for part in (f"--{name}", value))]

        answers = run("recall", QUESTION, "--limit", "50", *options, "--json").json
        facts, ways = (run(command, *options, "--json").json for command in ("facts", "strategies"))

        assert [
            {one["id"]: one["scope"] for one in answers},
            {one["fact"]["id"]: one["scope"] for one in facts},
            {one["strategy"]["id"]: one["scope"] for one in ways},
        ] == [
            {str(one.id): _plain(one.scope) for one in found}
            for found in (scope.recall(QUESTION, limit=50), scope.facts(), scope.strategies.all())
        ], named


def test_writes_without_an_agent_use_the_default_agent(nora: Memory) -> None:
    scope = nora.scope("nora")
    own = Scope("default", "nora", "default")

    learn(scope, "I live in Bergen", key="home")
    strategy = scope.strategies.learn_strategy("Ask", "book a table", ["ask"], "s1", True)

    assert {fact.object: fact.scope for fact in scope.facts()}["Bergen"] == own
    assert [fact.object for fact in nora.scope("nora", agent="default").facts()] == ["Bergen"]
    assert scope.strategies.get(strategy).scope == own
    (theirs,) = nora.scope("nora", agent="guide").strategies.all()
    assert scope.strategies.get(theirs.id) == theirs
    with pytest.raises(NotFound, match="there is no strategy"):
        scope.strategies.reinforce_strategy(theirs.id, success=True)


def test_a_fact_in_two_channels_is_returned_twice_unless_promoted(nora: Memory) -> None:
    trip, home, clerk = RENTAL, replace(RENTAL, channel="home"), Scope("default", "nora", "clerk")
    for scope in (home, clerk, replace(RENTAL, channel="_global")):
        learn(nora.scope("nora", agent=scope.agent, channel=scope.channel), "I live in Oslo", key="home")

    found = [one.scope for one in nora.scope("nora").recall(QUESTION, limit=50) if one.text == "The user lives in Oslo"]

    assert sorted(scope for scope in found if scope) == [clerk, DESK, home, trip]


def test_the_audit_of_a_read_over_agents_names_the_crossings_of_each(url: str, nora: Memory) -> None:
    with Memory.connect(url, audit="reads") as memory:
        scope = memory.scope("nora", channel="trip")
        found = scope.recall(QUESTION, limit=50)
        (row,) = parts_of(memory).records.audit("default", AuditFilter(operation="retrieve"), most=5)

    def ids(agent: str) -> set[uuid.UUID]:
        return {one.id for one in found if one.scope and one.scope.agent == agent}

    assert (row.user_id, row.source_channel, row.target_channels) == ("nora", "trip", ["trip", "_global"])
    assert set(row.affected) == {one.id for one in found} == ids("guide") | ids("rental")
    assert {name: set(map(uuid.UUID, of)) for name, of in row.detail["crossed"].items()} == {"_global": ids("guide")}
    assert {name: set(map(uuid.UUID, of)) for name, of in row.detail["crossed_agents"].items()} == {
        "guide": ids("guide"), "rental": ids("rental"),
    }  # fmt: skip


def test_each_line_names_its_owner_if_no_agent_is_given(nora: Memory, run: Run) -> None:
    assert "as rental knows it in trip" in run("recall", QUESTION, "--user", "nora").out
    assert "as desk knows it in flat" in run("recall", QUESTION, "--user", "nora").out
    for command in ("facts", "strategies"):
        lines = run(command, "--user", "nora").out.splitlines()
        whose = [line.strip() for line in lines if line.startswith("nora, as ")]
        assert whose == [f"nora, as {one.agent} knows them in {one.channel}" for one in (DESK, GUIDE, RENTAL)]
        assert "ned, as guide knows them in _global" in run(command).out


def _plain(scope: Scope | None) -> dict[str, str] | None:
    return {name: getattr(scope, name) for name in ("tenant", "user", "agent", "channel")} if scope else None


ASKED = ["Where does Alice live?", "Where do I live?", "Where does the user live?"]
FRIENDS = ("My friend Bob lives in Rome.", "My sister lives in Porto.", "Kari lives in Bergen.")


def held(parts: Parts, name: str, *told: str, speaker: str | None = None) -> MemoryScope:
    scope = Memory(parts).scope(name)
    for sentence in told:
        scope.push(sentence, speaker=speaker)
    scope.consolidate()
    return scope


def by_speaker(parts: Parts) -> MemoryScope:
    return held(parts, "speaker", *FRIENDS, "I live in Oslo.", speaker="Alice")


def by_name(parts: Parts) -> MemoryScope:
    return held(parts, "name", "My name is Alice.", *FRIENDS, "I live in Oslo.")


def by_later_name(parts: Parts) -> MemoryScope:
    return held(parts, "later", *FRIENDS, "I live in Oslo.", "My name is Alice.")


@pytest.mark.parametrize("known", [by_speaker, by_name, by_later_name])
@pytest.mark.parametrize("question", ASKED)
def test_the_users_own_fact_ranks_above_a_friends(
    parts: Parts, known: Callable[[Parts], MemoryScope], question: str
) -> None:
    first, *others = (one for one in known(parts).recall(question, kinds=["fact"], limit=9) if "lives in" in one.text)

    assert first.text.endswith("lives in Oslo")
    assert len(others) == 3
    assert first.reasons["speaker"] == 1.0


def test_a_third_person_is_found_by_their_own_name(parts: Parts) -> None:
    known = held(parts, "nora", "My name is Alice.", "I live in Oslo.", "Nora lives in Rome.", "Kari lives in Bergen.")

    first, *_ = known.recall("Where does Nora live?", kinds=["fact"], limit=5)

    assert first.text == "Nora lives in Rome"


def test_a_question_about_a_relative_returns_the_relatives_fact(parts: Parts) -> None:
    first, *_ = by_speaker(parts).recall("Where does Alice's sister live?", kinds=["fact"], limit=5)

    assert first.text == "Alice's sister lives in Porto"
