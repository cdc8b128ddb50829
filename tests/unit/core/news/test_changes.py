"""What a verdict comes to: one decision about the belief it means, or none."""

import uuid
from dataclasses import replace

from slowwave.core.beliefs.identity import belief_key
from slowwave.core.fold import Fold, Version
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Source
from slowwave.jobs.reconsideration.changes import Change, decided
from tests.unit.core.histories import DAY, NOON

SOLD = Source(uuid.UUID(int=7), "k", 7, 0, 4)


def pet(object_: str, *, position: int) -> Version:
    key = belief_key("Kofi", "pet", object_, single_valued=False)
    return Version(
        uuid.uuid5(uuid.NAMESPACE_OID, object_), key, "Kofi", "pet", object_, Span(NOON), 0.95, position, "s", "r"
    )


def ended(belief: Version) -> Change:
    return Change(uuid.UUID(int=1), "ended", "", [belief], [SOLD], "s", NOON + DAY, 0.95)


def fold(*held: Version) -> Fold:
    over = Fold()
    over.hold(held)
    return over


def test_the_belief_that_is_meant_ends_and_no_other() -> None:
    rex, max_ = pet("Rex (dog)", position=1), pet("Max (dog)", position=2)
    (decision,) = decided(fold(rex, max_), [ended(rex)])

    assert (decision.kind, decision.about, decision.id) == ("delete", rex.fact, uuid.UUID(int=1))


def test_an_ambiguous_name_ends_no_belief() -> None:
    dog, rex = pet("dog", position=1), pet("Rex (dog)", position=2)

    assert list(decided(fold(dog, rex), [ended(dog)])) == []


def test_a_belief_is_ended_only_once() -> None:
    rex = pet("Rex (dog)", position=1)

    assert list(decided(fold(), [ended(rex)])) == []
    assert len(list(decided(fold(rex), [ended(rex), ended(rex)]))) == 1


def test_a_person_is_asked_about_a_belief_under_the_fact_that_holds_it_now() -> None:
    rex, max_ = pet("Rex (dog)", position=1), pet("Max (dog)", position=2)
    again = replace(rex, fact=uuid.UUID(int=9))
    unsure = replace(ended(rex), kind="unsure", beliefs=[rex, max_])

    (asked,) = decided(fold(again, max_), [unsure])

    assert asked.among == (again.fact, max_.fact)
