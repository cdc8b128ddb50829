"""Aragora, continuum: entries are stored on a tier and retrieved from tiers before, during and after a debate."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.audit import AuditFilter
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.continuum import ContinuumMemory
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.contract.harness import at_once

TIERS = ["fast", "medium", "slow", "glacial"]
PRESETS = ["default", "agentx", "grampus_f3", "aragora_hope", "stargraph_v1", "reploid_0x68"]
IMPORTANCES = (0.9, 0.6, 0.4, 0.1)
"""An importance in the middle of each tier's range."""


Living = Callable[[str], MemoryScope]


@pytest.fixture
def agent(connected: Callable[..., wiring.Parts], scope: Scope) -> MemoryScope:
    """An agent with the document's tiers."""
    return MemoryScope(connected(preset="aragora_hope"), scope)


@pytest.fixture
def continuum(agent: MemoryScope) -> ContinuumMemory:
    return agent.continuum


def contents(entries: list[MemoryEntry]) -> list[str]:
    return [entry.content for entry in entries]


@pytest.mark.requirement("S3.8")
def test_an_entry_is_stored_with_tier_importance_source_topic_and_metadata(
    agent: MemoryScope, continuum: ContinuumMemory
) -> None:
    defaults = {
        name: parameter.default for name, parameter in inspect.signature(ContinuumMemory.store).parameters.items()
    }
    assert list(defaults)[1:7] == ["content", "tier", "importance", "source", "topic", "metadata"]
    assert [defaults[name] for name in list(defaults)[2:7]] == [None, None, "", "", None]
    slow = continuum.store("Where nothing is said of it")
    assert (slow.tier, slow.importance) == ("slow", 0.5)

    entry, again = (
        continuum.store("Rate limits need a burst", "fast", 0.9, "round 2", "rate limiting", {"votes": 3}, key="k")
        for _ in range(2)
    )

    assert again == entry
    assert len(continuum.context(tiers=TIERS)) == 2
    assert (entry.content, entry.tier, entry.importance) == ("Rate limits need a burst", "fast", 0.9)
    assert (entry.source, entry.topic, entry.metadata) == ("round 2", "rate limiting", {"votes": 3})
    standing = agent.standing(entry.id)
    assert (standing.kind, standing.tier, standing.base) == ("episodic", "fast", 0.9)


@pytest.mark.requirement("S3.8", "S3.36", "S3.38")
@pytest.mark.parametrize("preset", PRESETS)
def test_the_continuum_defaults_work_with_each_preset(living: Living, preset: str) -> None:
    agent = living(preset)
    begins = parts_of(agent).lifecycle.policies.everybody.tiers.entry

    entry = agent.continuum.store("Rate limits need a burst")
    ended = agent.continuum.outcome("The gateway held", success=True, references=[entry])

    assert [entry.tier, ended.tier, agent.standing(entry.id).tier] == [begins] * 3
    assert set(contents(agent.continuum.context())) == {"Rate limits need a burst", "The gateway held"}
    assert "Rate limits need a burst" in contents(agent.continuum.retrieve("rate limits"))
    assert due_work.is_due(parts_of(agent), agent.scope.id)


@pytest.mark.parametrize(
    ("preset", "tiers"),
    [("default", ["hot", "hot", "warm", "cold"]), ("aragora_hope", ["fast", "medium", "slow", "glacial"])],
)
def test_importance_chooses_the_first_tier_of_an_entry(living: Living, preset: str, tiers: list[str]) -> None:
    continuum = living(preset).continuum

    placed = [continuum.store(f"worth {worth}", importance=worth) for worth in (0.9, 0.7, 0.4, 0.1)]

    assert [entry.tier for entry in placed] == tiers
    assert [entry.importance for entry in placed] == [0.9, 0.7, 0.4, 0.1]


def test_an_entry_and_its_tier_are_stored_in_one_transaction(
    agent: MemoryScope, continuum: ContinuumMemory, superuser: psycopg.Connection
) -> None:
    superuser.execute("REVOKE INSERT ON standing FROM slowwave_app")

    with pytest.raises(SlowwaveError):
        continuum.store("Rate limits need a burst", key="k")
    assert superuser.execute("SELECT count(*) FROM episodes").fetchone() == (0,)

    superuser.execute("GRANT INSERT ON standing TO slowwave_app")
    assert continuum.store("Rate limits need a burst", "fast", key="k").tier == "fast"


@pytest.mark.parametrize(("tier", "importance"), [("hot", 0.5), ("slow", 1.1), ("slow", -0.1), ("", 2)])
def test_an_invalid_entry_is_refused_completely(continuum: ContinuumMemory, tier: str, importance: float) -> None:
    with pytest.raises(Incorrect, match=r"store has|the entry has"):
        continuum.store("x", tier, importance)

    assert continuum.context(tiers=TIERS) == []


@pytest.mark.requirement("S3.9")
def test_an_entry_of_a_tier_is_found_among_many_of_other_tiers(agent: MemoryScope, continuum: ContinuumMemory) -> None:
    agent.push_many([Episode(content=f"The rate limiter of the gateway, case {n}", key=f"f{n}") for n in range(90)])
    continuum.store("A limiter of rates", "glacial", 0.1)
    Memory(parts_of(agent)).drain()
    parts_of(agent).push(agent.scope, [Episode(content="Never used, so it is in the entry tier", key="new")])

    (found,) = continuum.retrieve("the rate limiter of the gateway", tiers=["glacial"])

    assert (found.content, found.tier) == ("A limiter of rates", "glacial")
    assert len(continuum.retrieve("the rate limiter of the gateway", tiers=["slow"], limit=7)) == 7
    assert continuum.retrieve("the rate limiter of the gateway", tiers=["fast"], min_similarity=-1) == []
    with pytest.raises(Incorrect):
        continuum.retrieve("anything", tiers=["hot"])


@pytest.mark.requirement("S3.9")
def test_retrieve_returns_five_entries_with_similarity_of_0_3_by_default(continuum: ContinuumMemory) -> None:
    defaults = inspect.signature(ContinuumMemory.retrieve).parameters
    assert [defaults[name].default for name in ("tiers", "limit", "min_similarity")] == [None, 5, 0.3]
    for number in range(7):
        continuum.store(f"The rate limiter, case {number}", "fast", 0.9)
    continuum.store("Tulips are red")

    assert len(continuum.retrieve("the rate limiter")) == 5
    assert len(continuum.retrieve("the rate limiter", limit=7)) == 7
    assert "Tulips are red" not in contents(continuum.retrieve("the rate limiter", limit=50))
    assert "Tulips are red" in contents(continuum.retrieve("the rate limiter", limit=50, min_similarity=-1))


@pytest.mark.requirement("S3.36")
def test_a_context_begins_with_the_memories_of_the_slow_and_medium_tiers(continuum: ContinuumMemory) -> None:
    for tier, importance in zip(TIERS, IMPORTANCES, strict=True):
        continuum.store(f"known for a while, {tier}", tier, importance)

    assert contents(continuum.context()) == ["known for a while, medium", "known for a while, slow"]
    assert contents(continuum.context(1)) == ["known for a while, medium"]


@pytest.mark.requirement("S3.37")
def test_a_critique_is_stored_in_the_fast_tier_and_usefulness_sets_its_surprise(
    agent: MemoryScope, continuum: ContinuumMemory
) -> None:
    """Similarity to the question is the expected usefulness: a dissimilar critique of no help is no surprise."""
    critique = continuum.store("Proposals forget how they fail", "fast", 0.8, topic="critique")

    (found,) = continuum.retrieve("proposals of marriage in Oslo", min_similarity=-1)

    assert found.similarity is not None
    assert 0 < found.similarity < 0.5
    assert (agent.standing(critique.id).surprise, agent.standing(critique.id).access_count) == (0, 1)

    continuum.outcome("The gateway held", success=True, references=[found])
    after = agent.standing(critique.id).surprise
    assert after == pytest.approx(0.3 * (1 - found.similarity))

    continuum.outcome("The gateway fell", success=False, references=[found])
    assert agent.standing(critique.id).surprise == pytest.approx(0.7 * after)


@pytest.mark.requirement("S3.38")
@pytest.mark.parametrize(("success", "successes", "surprise"), [(True, 1, 0.15), (False, 0, 0.0)])
def test_an_outcome_is_stored_in_the_slow_tier_credits_its_references_and_asks_for_consolidation(
    agent: MemoryScope, continuum: ContinuumMemory, success: bool, successes: int, surprise: float
) -> None:
    reference = continuum.store("Rate limits need a burst", "fast", 0.8)
    Memory(parts_of(agent)).drain()

    ended = continuum.outcome("The gateway held", success=success, references=[reference])

    assert (ended.tier, ended.metadata) == ("slow", {"success": success})
    standing = agent.standing(reference.id)
    assert standing.successes == successes
    assert standing.surprise == pytest.approx(surprise)
    assert due_work.is_due(parts_of(agent), agent.scope.id)
    jobs = {report.job for report in Memory(parts_of(agent)).drain()}
    assert "consolidate" in jobs


@pytest.mark.requirement("S3.24")
def test_similarity_is_the_cosine_of_embeddings(agent: MemoryScope, continuum: ContinuumMemory) -> None:
    words, question = "Rate limits need a burst", "how do we limit the rate?"
    continuum.store(words)
    Memory(parts_of(agent)).drain()

    (entry,) = continuum.retrieve(question)

    stored, asked = parts_of(agent).embedder.embed([words, question]).astype(np.float64)
    cosine = float(stored @ asked) / float(np.linalg.norm(stored) * np.linalg.norm(asked))
    assert entry.similarity == pytest.approx(cosine, abs=1e-6)
    assert 0.3 < cosine < 1
    with parts_of(agent).database.tenant(agent.scope.tenant) as connection:
        kept = connection.exec_driver_sql(
            "SELECT 1 - (embedding <=> %(asked)s::vector) FROM episode_vectors", {"asked": str(asked.tolist())}
        ).scalar_one()
    assert kept == pytest.approx(cosine, abs=1e-6)


@pytest.mark.requirement("S3.39")
def test_concurrent_processes_write_and_read_all_tiers(
    agent: MemoryScope, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    """The writers share only the database, as processes do."""

    def live(tier: str) -> list[str]:
        parts = wiring.connect(settings.model_copy(update={"preset": "aragora_hope"}))
        vars(parts).update(heavy_parts)
        with Memory(parts) as memory:
            mine = MemoryScope(parts_of(memory), agent.scope).continuum
            for number in range(6):
                mine.store(f"The rate limiter of {tier}, {number}", tier, key=f"{tier}-{number}")
                mine.retrieve("the rate limiter", limit=20)
            return contents(mine.context(100, tiers=TIERS))

    seen = at_once([lambda tier=tier: live(tier) for tier in TIERS])  # type: ignore[misc]  # bound now

    entries = {f"The rate limiter of {tier}, {number}" for tier in TIERS for number in range(6)}
    assert all(isinstance(each, list) and set(each) <= entries for each in seen), seen
    assert sorted(contents(agent.continuum.context(100, tiers=TIERS))) == sorted(entries)


def test_storing_and_feedback_and_pinning_leave_audit_rows(agent: MemoryScope, continuum: ContinuumMemory) -> None:
    entry = continuum.store("Rate limits need a burst", "fast", 0.8)
    (found,) = agent.recall("rate limits")
    agent.pin(found)
    agent.feedback(found, useful=1)

    def told(**detail: Any) -> list[Any]:
        rows = parts_of(agent).records.audit("default", AuditFilter(user=agent.scope.user), most=50)
        return [row.affected for row in rows if row.detail.items() >= detail.items()]

    assert told(tier="fast", importance=0.8) == told(pinned=True) == told(useful=1) == [[entry.id]]
