"""People with one name: whether a belief may be about another person than a claim depends on no order."""

import itertools
import uuid
from collections.abc import Sequence
from dataclasses import replace

import pytest

from slowwave.core.beliefs.identity import BeliefKey
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.namesakes import may_be_another
from slowwave.core.predicates import Predicate, Predicates
from slowwave.core.time_spans import Span
from tests.unit.core.histories import DAY, NOON, claim, version

PEOPLE = Predicates([Predicate("partner", single_valued=True, object="person"), Predicate("sister", object="person")])


def role(subject: str, predicate: str, object_: str, begins: int, ends: int = 1000) -> Version:
    """Return a belief that is true from the day *begins* to the day *ends*."""
    one = version(object_, subject=subject, predicate=predicate, single_valued=predicate != "sister")
    return replace(one, fact=uuid.uuid4(), valid=Span(NOON + begins * DAY, NOON + ends * DAY))


def held(roles: Sequence[Version]) -> dict[BeliefKey, list[Version]]:
    found: dict[BeliefKey, list[Version]] = {}
    for role in roles:
        found.setdefault(role.key, []).append(role)
    return found


@pytest.mark.parametrize(
    ("begins", "another"), [(55, True), (70, False), (20, True), (10, True)],
    ids=["after both roles began", "when the sister was named", "when the partner was named", "before the sister"],
)  # fmt: skip
def test_a_role_that_began_several_times_gives_one_answer_in_every_order(begins: int, another: bool) -> None:
    roles = [
        role("user", "partner", "Ann", 10, 15),
        role("user", "partner", "Ann", 20, 30),
        role("user", "partner", "Ann", 90),
        role("user", "sister", "Ann", 70 if begins == 70 else 40),
    ]
    home = role("Ann", "lives_in", "Ghent", begins)
    said = replace(claim("Lima", subject="Ann", day=100), role="sister")

    answers = {may_be_another(home, "Ann", said, held(order), PEOPLE) for order in itertools.permutations(roles)}

    assert answers == {another}


def test_a_person_with_one_role_is_no_other_person_however_often_the_role_began() -> None:
    roles = [role("user", "partner", "Ann", 10, 15), role("user", "partner", "Ann", 20)]
    said = claim("Lima", subject="Ann", day=100)

    assert not may_be_another(role("Ann", "lives_in", "Ghent", 12), "Ann", said, held(roles), PEOPLE)
