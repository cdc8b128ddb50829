"""AgentX, retrieval: by which roads memories are found, and what each kind, tense and use of them counts."""

import json
import math
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.retrieval.question import OVERFETCH
from slowwave.settings import Settings
from slowwave.testing import stop_clock
from tests.conftest import NOON

Living = Callable[[str], MemoryScope]


@pytest.fixture
def living(
    settings: Settings, heavy_parts: dict[str, object], scope: Scope, tmp_path: Path, owner_url: str
) -> Iterator[Living]:
    """An agent whose memories live by a preset of this name, or by a policy in these words."""
    opened: list[wiring.Parts] = []
    stop_clock(owner_url, NOON)
    for folder in ("packs", "policies/presets"):
        (tmp_path / folder).mkdir(parents=True)

    def live(policy: str) -> MemoryScope:
        chosen: dict[str, object] = {"preset": policy}
        if "{" in policy:
            (tmp_path / "policies" / "lifecycle.yaml").write_text("everybody: own\n")
            (tmp_path / "policies" / "presets" / "own.yaml").write_text(policy)
            chosen = {"rules": tmp_path / "packs"}
        parts = wiring.connect(settings.model_copy(update=chosen))
        vars(parts).update({"embedder": heavy_parts["embedder"]} if "{" in policy else heavy_parts)
        wiring.register(parts)
        opened.append(parts)
        return MemoryScope(parts, scope)

    yield live
    for parts in opened:
        parts.close()


def told(mine: MemoryScope) -> MemoryScope:
    for number, words in enumerate(
        ["I live in Oslo.", "In Bergen I painted the fence last week.", "The ferry to Oslo was late."]
    ):
        mine.push(words, key=f"k{number}", session=f"s{number}", occurred_at=NOON)
    mine.consolidate()
    return mine


def by_text(found: list[Recollection]) -> dict[str, Recollection]:
    return {one.text: one for one in found}


def test_recall_combines_meaning_and_graph_and_time_and_removes_duplicates(
    living: Living,
) -> None:
    mine = told(living("agentx"))
    mine.graph.store_fact("Oslo", "capital_of", "Norway")
    mine.push("The ferry to Oslo was late.", key="again", session="s9", occurred_at=NOON)

    found = mine.recall("Which country's capital is the city I live in?", limit=20)
    assert all(one.reasons["similarity"] >= 0 for one in found)
    assert max(one.reasons.get("graph", 0) for one in found) > 0
    assert sum(one.text == "The ferry to Oslo was late." for one in found) == 1
    later = mine.recall("Oslo", since=NOON + timedelta(seconds=1), kinds=["episode"])
    assert later == []
    recency = {one.text: one.reasons["recency"] for one in found}
    assert min(recency.values()) < max(recency.values()) == 1.0, "what was so a week ago is less recent"


@pytest.mark.requirement("S2.20", "S2.30")
def test_kinds_recency_salience_and_tense_have_the_documented_weights(living: Living, owner_url: str) -> None:
    mine = living("agentx")
    scoring = mine._parts.lifecycle.policies.of("default").scoring
    assert scoring.kinds == {"episodic": 0.30, "semantic": 0.25, "entity": 0.20, "procedural": 0.15}
    assert sum(scoring.kinds.values()) + scoring.weights.recency == pytest.approx(1.0)
    assert scoring.weights.recency == 0.1

    found = told(mine).recall("Where in Oslo or Bergen do I live?", limit=20, explain=True)
    facts = {one.id: one.reasons for one in found if one.kind == "fact"}
    assert [reasons["kind"] for reasons in facts.values()] == pytest.approx([0.25 / 0.3] * len(facts))
    assert {one.reasons["kind"] for one in found if one.kind == "episode"} == {1.0}
    counts = {"current": 1.2, "past": 0.7}
    told_of = {one.id: counts[one.tense] for one in mine.facts()}
    assert {id_: reasons["tense"] for id_, reasons in facts.items()} == {id_: told_of[id_] for id_ in facts}
    assert {told_of[id_] for id_ in facts} == {1.2, 0.7}
    assert all(0 <= one.reasons["salience"] <= 1 for one in found)
    assert found.explained is not None
    for one in found:
        parts = found.explained.parts[one.id]
        assert sum(part.adds for part in parts) == pytest.approx(one.match)
    used = by_text(found)["The ferry to Oslo was late."]
    stop_clock(owner_url, NOON + timedelta(days=2))
    assert (
        by_text(mine.recall("Where in Oslo or Bergen do I live?", limit=20))[used.text].reasons["salience"]
        < (used.reasons["salience"])
    )


@pytest.mark.requirement("S2.21")
def test_a_policy_can_fuse_similarity_and_words_by_rank(living: Living) -> None:
    found = told(living("scoring: {fusion: ranks}\ndecay: []\n")).recall("Where is the ferry?", limit=20)

    orders = [
        [one.id for one in sorted(found, key=lambda one: -one.reasons[by]) if one.reasons[by] > 0]
        for by in ("similarity", "keyword")
    ]
    (best, *_) = found
    assert best.text == "The ferry to Oslo was late."
    places = [order.index(best.id) + 1 for order in orders if best.id in order]
    assert best.reasons["ranks"] == pytest.approx(sum(61 / (60 + place) / 2 for place in places), abs=1e-6)


@pytest.mark.requirement("S2.67")
def test_accesses_count_logarithmically_and_decay_with_age(living: Living, owner_url: str) -> None:
    rule = {"anchor": "created", "half_life": "P7D", "familiarity": 0.1, "freshness": 0.2}
    mine = told(living(f"decay: {json.dumps([rule])}\n"))
    (fact,) = [one for one in mine.recall("Oslo", limit=20) if one.text == "The user lives in Oslo"]
    base = mine.standing(fact).base

    shown = []
    for accesses in (1, 2, 3):
        standing = mine.standing(fact)
        assert standing.access_count == accesses
        shown.append(standing.strength)
        assert fact.id in [one.id for one in mine.recall("Oslo", limit=20)]
    assert mine.standing(fact).access_count == 4
    stop_clock(owner_url, NOON + timedelta(days=10))
    late = mine.standing(fact)

    assert late.access_count == 4
    faded = base * 2 ** (-10 / 7)
    assert late.strength == pytest.approx(min(1.0, faded + 0.1 * math.log1p(4) + 0.2 * math.exp(-10)), rel=1e-3)
    assert shown == [pytest.approx(min(1.0, base + 0.1 * math.log1p(n) + 0.2)) for n in (1, 2, 3)]


def test_recall_fetches_twice_the_wanted_number(living: Living) -> None:
    assert OVERFETCH == 2
    mine = living("agentx")
    mine.push_many([f"The ferry number {number} was late." for number in range(260)])
    found = mine.recall("ferry", limit=120, explain=True)
    assert found.explained is not None
    assert {stage.name: stage.memories for stage in found.explained.stages}["scan"] == 240
