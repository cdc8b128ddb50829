"""Stargraph: a scorer ranks memories by salience, and the latest turns are read by session."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from slowwave.domain.recollection import Recollection
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.testing import stop_clock
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.packages import install
from tests.scripts import script

USED, OTHER = "The cello stands in the hall.", "The cello stands in the hall of the house."
QUESTION = "who stands in the hall of the house with a cello?"
DAY = timedelta(days=1)

Living = Callable[..., AbstractContextManager[MemoryScope]]


@pytest.fixture
def living(connected: Callable[..., Parts], tmp_path: Path, owner_url: str) -> Iterator[Living]:
    """An agent with two memories of noon, and a policy with this salience."""
    (packs := tmp_path / "packs").mkdir()
    policies = tmp_path / "policies"
    (policies / "presets").mkdir(parents=True)
    (policies / "lifecycle.yaml").write_text("everybody: {scoring: own}\n")

    @contextmanager
    def live(salience: str) -> Iterator[MemoryScope]:
        (policies / "presets" / "own.yaml").write_text(f"scoring: {{salience: {salience}}}\n")
        with Memory(connected(rules=packs)) as memory:
            stop_clock(owner_url, NOON)
            scope = memory.scope("alice", agent="concierge")
            for number, words in enumerate((USED, OTHER)):
                scope.push(words, key=f"k{number}", session=f"s{number}", occurred_at=NOON)
            yield scope

    yield live
    sys.modules.pop("acme", None)


def salience(found: list[Recollection], words: str) -> float:
    return next(one.reasons["salience"] for one in found if one.text == words)


def used_once(alice: MemoryScope) -> None:
    alice.recall(USED, limit=1)
    write_accesses(parts_of(alice))


@pytest.mark.requirement("S4.29", "S4.30", "S4.31", "S4.32")
def test_v1_recency_falls_to_1_e_a_day_after_the_last_access(living: Living, owner_url: str) -> None:
    with living("{weight: 0.5}") as alice:
        stop_clock(owner_url, NOON + 60 * DAY)
        used_once(alice)
        stop_clock(owner_url, NOON + 61 * DAY)

        found = alice.recall(QUESTION)

    assert [one.text for one in found] == [USED, OTHER]
    assert salience(found, USED) == pytest.approx(0.3679, abs=1e-4)
    assert salience(found, OTHER) < 1e-20


@pytest.mark.requirement("S4.29")
def test_v1_multiplies_by_the_first_rule_that_a_memory_matches(living: Living) -> None:
    with living("{weight: 1, rules: [{role: assistant, factor: 1}, {kind: episodic, factor: 0.25}]}") as alice:
        alice.push("Yes, the cello stands there.", role="assistant", session="s9", occurred_at=NOON)

        found = alice.recall(QUESTION)

    assert [one.reasons["salience"] for one in found] == [1.0, 0.25, 0.25]
    assert found[0].role == "assistant"


@pytest.mark.requirement("S4.33")
def test_salience_v2_weighs_relevance_and_importance_and_v1_does_not(living: Living) -> None:
    with living("{weight: 0.5}") as alice:
        v1 = alice.recall(OTHER)
    with living("{weight: 0.5, by: embedding, recency: 0, relevance: 0.6, importance: 0.4}") as alice:
        v2 = alice.recall(OTHER)

    assert salience(v1, USED) == salience(v1, OTHER) == 1.0
    assert salience(v2, OTHER) == pytest.approx(0.6 + 0.4 * 0.5, abs=1e-3)
    assert salience(v2, USED) == pytest.approx(0.6 * v2[1].reasons["similarity"] + 0.4 * 0.5, abs=1e-6)


@pytest.mark.requirement("S4.33")
def test_v3_uses_the_learned_weights(living: Living) -> None:
    with living("{weight: 1, by: learned, learned: {bias: -1, relevance: 4}}") as alice:
        found = alice.recall(OTHER)

    assert found[0].text == OTHER
    assert salience(found, OTHER) == pytest.approx(0.9526, abs=1e-3)  # 1 / (1 + e^-3)


ACME = script(__file__, "scorers_package.txt")
POINTS = "[slowwave.scorers]\ntree = acme:Tree\nlate = acme:Late\nodd = acme:Odd\nbroken = acme:Broken\n"


@pytest.mark.requirement("S4.28", "S4.33", "S4.34")
def test_a_custom_scorer_implements_the_protocol_and_is_clamped(
    living: Living, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, POINTS, ACME.format(scored="3 if memory.similarity < 0.99 else -2"))

    with living("{weight: 1, by: tree}") as alice:
        found = alice.recall(OTHER)

        async def asked() -> list[Recollection]:
            return alice.recall(OTHER)

        assert [one.id for one in asyncio.run(asked())] == [one.id for one in found]

    assert [(one.text, one.reasons["salience"]) for one in found] == [(USED, 1.0), (OTHER, 0.0)]


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("odd", Incorrect, "'odd' of acme returned something that is not a number"),
        ("broken", Incorrect, "'broken' of acme failed with KeyError"),
        ("late", Unavailable, "'late' took longer than 0.05 s"),
    ],
)
def test_a_faulty_scorer_is_named_in_the_error(
    living: Living, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: type[Exception], said: str
) -> None:
    install(tmp_path / "site", monkeypatch, POINTS, ACME.format(scored=1))
    monkeypatch.setattr("slowwave.retrieval.salience.SCORER_SECONDS", 0.05)

    with living(f"{{weight: 1, by: {name}}}") as alice, pytest.raises(kind, match=said):
        alice.recall(QUESTION)


@pytest.mark.requirement("S4.34", "S4.35")
def test_an_older_last_use_never_raises_salience(living: Living) -> None:
    with living("{weight: 0.5, recency: 5}") as alice:
        for hours in (1, 24, 48, 72, 720):
            alice.push(USED[:-1] + f" for {hours} hours.", session=f"a{hours}", occurred_at=NOON - hours * DAY / 24)
        found = alice.recall(QUESTION)

    aged = [one.reasons["salience"] for one in sorted(found, key=lambda one: one.occurred)]
    assert len(aged) == 7
    assert aged == sorted(aged)
    assert 0 < aged[0] < 0.01 < 0.5 < aged[2] < 1.0 == aged[-1]


@pytest.mark.requirement("S4.26")
def test_reads_widen_from_a_session_to_all_sessions_to_all_agents(parts: Parts) -> None:
    memory = Memory(parts)
    for agent, session in (("rag", "s1"), ("rag", "s2"), ("planner", "s3")):
        memory.scope("Alice", agent=agent).push(f"told to {agent} in {session}", session=session)
    memory.scope("Alice2", agent="rag").push("of somebody else", session="s1")

    def told(agent: str | None, sessions: list[str] | None) -> list[str]:
        return [one.content for one in memory.scope("Alice", agent=agent).recent(sessions=sessions)]

    assert told("rag", ["s1"]) == ["told to rag in s1"]
    assert told("rag", None) == ["told to rag in s2", "told to rag in s1"]
    assert told(None, None) == ["told to planner in s3", "told to rag in s2", "told to rag in s1"]
