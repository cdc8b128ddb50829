"""Reviews: a claim that the rules cannot decide waits for a person, and the decision is a delta with their name."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.dead_letter import Review
from slowwave.domain.scope import Scope
from slowwave.errors import FactConflictError, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.integration.steps import learn, process
from tests.ledger import rebuilt

SHIPPED = Path(__file__).parents[3] / "rules"
ASKING = "lives_in: {single_valued: true, policy: flag_review}\nworks_at: {single_valued: true, policy: flag_review}\n"


@pytest.fixture
def known(settings: Settings, scope: Scope, tmp_path: Path) -> Iterator[MemoryScope]:
    """An installation in which a person decides about a new home."""
    shutil.copytree(SHIPPED, tmp_path / "rules")
    (tmp_path / "rules" / "policies" / "predicates.yaml").write_text(ASKING)
    with process(settings, {}, rules=tmp_path / "rules" / "packs") as parts:
        yield MemoryScope(parts, scope)


def asked(known: MemoryScope, *texts: str, **fields: str) -> Review:
    """Push texts one after the other, and return the open review."""
    (waiting,) = learn(known, *texts, **fields).review()
    return waiting


def moved(known: MemoryScope) -> Review:
    """Push two homes, and return the open review."""
    return asked(known, "I live in Lisbon", "I live in Oslo")


def homes(known: MemoryScope) -> list[str]:
    return [fact.object for fact in known.facts()]


def test_a_contradiction_waits_as_a_review_with_its_words_and_candidates(known: MemoryScope) -> None:
    waiting = moved(known)

    assert (waiting.subject, waiting.predicate, waiting.object, waiting.content) == (
        "user", "lives_in", "Oslo", "I live in Oslo",
    )  # fmt: skip
    assert waiting.among == tuple(fact.id for fact in known.facts())
    assert homes(known) == ["Lisbon"]


def test_an_accepted_review_is_valid_from_its_own_time(known: MemoryScope) -> None:
    waiting = moved(known)

    delta = known.decide(waiting.number, "accept", by="Ann")

    assert homes(known) == ["Oslo"]
    step = known.why(delta).steps[0]
    assert (step.kind, step.rule) == ("update", "review/accept")
    assert step.reason == f"accepted by Ann: {waiting.reason}"
    assert [one.words for one in step.evidence] == ["I live in Oslo"]
    (fact,) = known.facts()
    assert fact.valid_from == waiting.valid_from
    assert known.review() == []


def test_a_rejected_review_leaves_only_a_noop_delta(known: MemoryScope) -> None:
    waiting = moved(known)

    known.decide(waiting.number, "reject", by="Ann")

    assert homes(known) == ["Lisbon"]
    assert known.deltas()[-1].delta.reason == f"rejected by Ann: {waiting.reason}"
    assert known.review() == []


def test_an_edited_review_stores_the_given_value(known: MemoryScope) -> None:
    known.decide(moved(known).number, "edit", by="Ann", object="Bergen")

    assert homes(known) == ["Bergen"]


def test_a_review_is_decided_once(known: MemoryScope) -> None:
    waiting = moved(known)
    known.decide(waiting.number, "reject", by="Ann")

    with pytest.raises(NotFound, match="there is no review"):
        known.decide(waiting.number, "accept", by="Ben")


def test_two_reviews_of_one_episode_both_wait(known: MemoryScope) -> None:
    learn(known, "I live in Lisbon. I work at Google.", "I live in Oslo. I work at Spotify.")

    assert [one.object for one in known.review()] == ["Oslo", "Spotify"]


def test_a_correction_that_could_mean_several_is_decided_by_naming_one(known: MemoryScope) -> None:
    waiting = asked(known, "I like tea and I like coffee", "No, I meant cocoa.", session="s1")
    (coffee,) = (fact for fact in known.facts() if fact.object == "coffee")

    with pytest.raises(Incorrect, match="could mean any of") as caught:
        known.decide(waiting.number, "accept", by="Ann")
    known.decide(waiting.number, "accept", by="Ann", replaces=coffee.id)

    assert str(coffee.id) in str(caught.value)
    assert sorted(fact.object for fact in known.facts()) == ["cocoa", "tea"]


def test_a_review_whose_fact_is_gone_is_not_accepted_but_edited(known: MemoryScope) -> None:
    waiting = moved(known)
    learn(known, "Forget where I live.")

    with pytest.raises(FactConflictError):
        known.decide(waiting.number, "accept", by="Ann")

    assert [one.number for one in known.review()] == [waiting.number]
    known.decide(waiting.number, "edit", by="Ann", object="Bergen")

    assert homes(known) == ["Bergen"]
    assert known.review() == []


def test_an_accepted_claim_ends_where_a_later_accepted_claim_begins(known: MemoryScope) -> None:
    learn(known, "I live in Lisbon", "I live in Oslo", "I live in Rome")
    oslo, rome = known.review()

    known.decide(rome.number, "accept", by="Ann")
    known.decide(oslo.number, "accept", by="Ann")

    assert homes(known) == ["Rome"]
    assert [fact.object for fact in known.facts(as_of=oslo.valid_from)] == ["Oslo"]


def test_a_claim_about_a_fact_that_has_ended_meanwhile_is_accepted(known: MemoryScope) -> None:
    waiting = moved(known)
    learn(known, "I don't live in Lisbon any more.")

    known.decide(waiting.number, "accept", by="Ann")

    assert homes(known) == ["Oslo"]


CARS = ("I drive a Honda", "I drive a Toyota", "I sold my car")


@pytest.mark.parametrize("gone", [("Honda",), ("Honda", "Toyota")], ids=["one", "both"])
@pytest.mark.parametrize("how", ["I sold the {}", "Forget that I drive a {}"], ids=["ended", "forgotten"])
def test_an_end_of_a_fact_that_ended_meanwhile_is_accepted(known: MemoryScope, gone: tuple[str, ...], how: str) -> None:
    waiting = asked(known, *CARS, *(how.format(one) for one in gone))
    honda = waiting.among[0]

    known.decide(waiting.number, "accept", by="Ann", replaces=str(honda)[:8])

    assert known.review() == []
    assert [fact.object for fact in known.facts() if fact.predicate == "drives"] == ["Toyota"][: 2 - len(gone)]


def test_a_review_of_facts_that_an_undo_closed_and_opened_again_is_decided(known: MemoryScope) -> None:
    waiting = asked(known, *CARS)
    (run,) = {delta.run for delta in known.deltas() if delta.id == waiting.among[0]}
    known.undo(known.undo(run).id)
    (again,) = known.review()

    known.decide(again.number, "accept", by="Ann", replaces=again.among[0])

    assert again.among != waiting.among
    assert [fact.object for fact in known.facts() if fact.predicate == "drives"] == ["Toyota"]


def test_an_edit_of_a_correction_with_nothing_left_to_correct_says_what_to_do(known: MemoryScope) -> None:
    forget = "Forget that I like tea. Forget that I like coffee."
    waiting = asked(known, "I like tea and I like coffee", "No, I meant cocoa.", forget, session="s1")

    with pytest.raises(Incorrect, match="is believed any more") as caught:
        known.decide(waiting.number, "edit", by="Ann", object="cocoa")
    known.decide(waiting.number, "accept", by="Ann")

    assert "reject it, and push what is right" in str(caught.value)
    assert known.review() == []


def test_any_caller_of_the_tenant_can_decide_a_review(known: MemoryScope) -> None:
    waiting = moved(known)
    memory = Memory(wiring.connect(parts_of(known).settings))

    with memory:
        assert [one.number for one in memory.review()] == [waiting.number]
        memory.decide(waiting.number, "accept", by="Ann")

    assert homes(known) == ["Oslo"]


def test_review_decisions_rebuild_from_the_ledger(known: MemoryScope) -> None:
    known.decide(moved(known).number, "accept", by="Ann")

    folded, table = rebuilt(parts_of(known), known.scope)
    assert folded == table
