"""A trial of a pack compares two sets of beliefs."""

from datetime import UTC, datetime

from slowwave.core.dry_run import Belief, compare_beliefs
from slowwave.core.predicates import Predicate, Predicates

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
KNOWN = Predicates([Predicate("lives_in", single_valued=True), Predicate("likes")])


def belief(predicate: str, object: str) -> Belief:
    return Belief("user", predicate, object, "typed", f"user {predicate} {object}", NOON, "odd/rule@1")


def test_values_of_many_valued_predicates_are_gained_and_lost() -> None:
    difference = compare_beliefs(
        [belief("likes", "tea"), belief("likes", "Jazz")], [belief("likes", "jazz"), belief("likes", "go")], KNOWN
    )

    assert [one.object for one in difference.gained] == ["go"]
    assert [one.object for one in difference.lost] == ["tea"]
    assert (difference.changed, difference.same) == ((), 1)


def test_the_comparison_ignores_the_order_of_beliefs() -> None:
    old, new = [belief("likes", name) for name in "abc"], [belief("likes", name) for name in "cde"]

    assert compare_beliefs(old, new, KNOWN) == compare_beliefs(old[::-1], new[::-1], KNOWN)
