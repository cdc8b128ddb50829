"""What sort of thing an entity is, as predicates and packs say, and what describes it: facts, word for word."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.contract.graph.telling import known, tell

__all__ = ["known"]


def test_an_entity_is_described_by_believed_facts_that_cite_their_turns(known: MemoryScope) -> None:
    tell(known, "My sister Anna lives in Riga.")

    told = known.graph.describe("Anna")

    assert told.text == "Anna lives in Riga. Anna is the user's sister."
    assert tuple(fact.id for fact in told.facts) == told.entity.described_by
    assert {source.position for fact in told.facts for source in fact.sources} == {1}
    node = known.graph.load().named("Anna")
    assert node is not None
    assert (node.described_by, node.description) == (told.entity.described_by, told.entity.description)
    write_accesses(parts_of(known))
    assert [known.standing(fact.id).access_count for fact in told.facts] == [1, 1]


def test_an_ended_fact_describes_no_entity(known: MemoryScope) -> None:
    tell(known, "My sister Anna lives in Riga.")
    known.graph.create_relationship("Anna", "Oslo", "LIVES_IN")

    assert known.graph.describe("Anna").text == "Anna lives in Oslo. Anna is the user's sister."


def test_a_handwritten_description_is_returned_unchanged_and_cites_its_own_fact(known: MemoryScope) -> None:
    known.graph.upsert_entity("Acme", type="company", description="makes anvils")

    told = known.graph.describe("Acme")

    assert (told.text, told.entity.type) == ("makes anvils", "company")
    assert [(fact.predicate, fact.object) for fact in told.facts] == [("description", "makes anvils")]


def test_a_description_contains_whole_facts_only(known: MemoryScope) -> None:
    for letter in "abc":
        known.graph.store_fact("Acme", f"makes_{letter}", f"{letter * 150} anvils")

    sentences = known.graph.node("Acme").description.split("; ")

    held = {fact.text for fact in known.facts()}
    assert len(sentences) == 2
    assert set(sentences) <= held


def test_predicates_define_the_types_of_their_subjects_and_objects(known: MemoryScope) -> None:
    known.graph.create_relationship("Ada", "Acme", "WORKS_FOR")

    for graph in (known.graph.load(), known.graph.query("Ada?")):
        assert {node.label: node.type for node in graph.nodes.values()} == {"Ada": "person", "Acme": "organisation"}


PACK = """
pack: boats
version: 1
says: Where boats are moored.
languages: [en]
cadence: {every: 100}
predicates:
  moored_at: {object: place, subject: boat, says: "{subject} is moored at {object}"}
rules:
  - id: moored
    says: Where a boat is moored.
    when: '^(?P<x>.+) is moored at (?P<y>.+)$'
    claim: {subject: "{x}", predicate: moored_at, object: "{y}"}
    tidy: none
"""
CASES = """
cases:
  - it: knows where a boat is moored
    told: ["Nereid is moored at Bergen"]
    believe: ["Nereid moored_at Bergen"]
"""


@pytest.fixture
def sailing(settings: Settings, heavy_parts: dict[str, object], scope: Scope, tmp_path: Path) -> Iterator[MemoryScope]:
    """A memory with a pack that says what is moored."""
    (tmp_path / "packs" / "boats").mkdir(parents=True)
    (tmp_path / "packs" / "boats" / "pack.yaml").write_text(PACK)
    (tmp_path / "packs" / "boats" / "cases.yaml").write_text(CASES)
    parts = wiring.connect(settings.model_copy(update={"rules": tmp_path / "packs"}))
    vars(parts).update({name: part for name, part in heavy_parts.items() if name == "embedder"})
    wiring.register(parts)
    yield MemoryScope(parts, scope)
    parts.close()


def test_a_pack_defines_the_types_of_its_subjects_and_objects(sailing: MemoryScope) -> None:
    tell(sailing, "Nereid is moored at Bergen")

    kinds = {node.label: node.type for node in sailing.graph.load().nodes.values()}
    assert kinds == {"Nereid": "boat", "Bergen": "place"}
