"""The type of an entity, the facts that describe it, and the turns that mention it."""

import pytest

from slowwave.errors import NotFound
from slowwave.memory import MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from tests.contract.graph.telling import encyclopaedia, known, tell
from tests.contract.harness import Harness

__all__ = ["encyclopaedia", "known"]


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


def test_a_pack_defines_the_types_of_its_objects(encyclopaedia: MemoryScope) -> None:
    tell(encyclopaedia, "Per Lind is a citizen of Norway.", "The capital of Norway is Bergen.")

    kinds = {node.label: node.type for node in encyclopaedia.graph.load().nodes.values()}
    assert (kinds["Norway"], kinds["Bergen"]) == ("country", "city")


def spoken(known: MemoryScope, entity: str, **how: object) -> list[tuple[str, tuple[str, ...]]]:
    """Return the turns that mention an entity, each with the words of the mention."""
    return [(one.episode.content, one.words) for one in known.graph.mentions(entity, **how)]  # type: ignore[arg-type]


def test_mentions_are_turns_that_name_an_entity_or_support_its_facts(known: MemoryScope) -> None:
    tell(known, "My sister Anna lives in Riga.", "Rain all week.", "I love rowing.")
    known.push("anna called, and anna's dog barked", session="s2")

    assert spoken(known, "Anna") == [
        ("anna called, and anna's dog barked", ("anna", "anna")),
        ("My sister Anna lives in Riga.", ("Anna",)),
    ]
    assert spoken(known, "rowing") == [("I love rowing.", ("rowing",))]
    (first, _) = known.graph.mentions("Anna")
    assert first.facts == ()
    turns = spoken(known, "user")
    assert [turn for turn, _ in turns] == ["I love rowing.", "My sister Anna lives in Riga."]
    held = {fact.id for fact in known.facts()}
    assert all(set(one.facts) <= held and one.facts for one in known.graph.mentions("user"))


@pytest.mark.parametrize(
    ("turn", "speaks"),
    [
        ("ANNA, come!", False),
        ("Annabel came", False),
        ("Ann-Anna came", False),
        ("It is Anna's", True),
        ("anna?", True),
    ],
)
def test_a_name_is_whole_words_as_they_are_written(known: MemoryScope, turn: str, speaks: bool) -> None:
    tell(known, "Anna is my sister.")
    known.push(turn, session="s2")

    assert (turn in [content for content, _ in spoken(known, "Anna")]) == speaks


def test_aliases_and_possessives_count_as_mentions(known: MemoryScope) -> None:
    known.graph.upsert_entity("Acme", aliases=["A.C. Me+"])
    known.graph.create_relationship("user's boss", "Acme", "WORKS_FOR")
    known.push("We met at A.C. Me+ today", session="s1")
    known.push("My boss was there", session="s1")
    known.push("My boss says I", session="s1", role="assistant")

    assert spoken(known, "Acme")[0] == ("We met at A.C. Me+ today", ("A.C. Me+",))
    assert [content for content, _ in spoken(known, "user's boss")][:1] == ["My boss was there"]


def test_a_page_of_mentions_continues_after_a_turn(known: MemoryScope) -> None:
    tell(known, "Anna is my sister.")
    for number in range(5):
        known.push(f"Anna {number}", key=f"k{number}", session="s2")

    first = known.graph.mentions("Anna", 2)
    second = known.graph.mentions("Anna", 2, before=first[-1].episode.id)

    assert [one.episode.key for one in [*first, *second]] == ["k4", "k3", "k2", "k1"]
    assert len(known.graph.mentions("Anna", before="k0")) == 1


def test_archived_and_expired_turns_are_not_mentions(known: MemoryScope, harness: Harness) -> None:
    tell(known, "Anna is my sister.", session="old")
    known.archive("old")
    known.graph.upsert_entity("Anna", type="person")

    assert "Anna is my sister." not in [content for content, _ in spoken(known, "Anna")]
    assert "Anna is my sister." in [content for content, _ in spoken(known, "Anna", archived=True)]
    harness.rows("UPDATE conversations SET tombstoned = slowwave_now() WHERE session = 'old'")
    assert "Anna is my sister." not in [content for content, _ in spoken(known, "Anna", archived=True)]


def test_a_rebuild_and_a_new_fact_keep_the_mentions_of_a_turn(known: MemoryScope) -> None:
    tell(known, "I live in Oslo.")
    tell(known, "I just moved to Riga.", session="s2")
    before = spoken(known, "Oslo")

    known.graph.rebuild()

    assert spoken(known, "Oslo") == before == [("I live in Oslo.", ("Oslo",))]


def test_the_mentions_of_a_turn_include_its_entities_and_the_speaker(known: MemoryScope) -> None:
    tell(known, "My sister Anna lives in Riga.")
    receipt = known.push("I flew to Riga with Anna", session="s2")

    assert receipt.id is not None
    assert {node.label for node in known.graph.mentioned_in(receipt.id)} == {"user", "Riga", "Anna"}


def test_turns_count_as_accessed_and_an_unknown_entity_says_so(known: MemoryScope) -> None:
    tell(known, "Anna is my sister.")
    (one,) = known.graph.mentions("Anna")
    write_accesses(parts_of(known))

    assert known.standing(one.episode.id).access_count == 1
    with pytest.raises(NotFound, match="Zoe"):
        known.graph.mentions("Zoe")
