"""Situations people tell of, claim by claim: what is believed then, and what was believed before."""

import sys
from dataclasses import replace
from types import FrameType
from typing import Literal

import pytest

from slowwave.core.beliefs.identity import belief_key, normal
from slowwave.core.contradiction.references import RECENT_POSITIONS
from slowwave.core.fold import FORGOTTEN, Fold
from slowwave.core.time_spans import ALWAYS, END, Span
from slowwave.domain.claim import Claim
from tests.unit.core.histories import DAY, NOON, believed, claim, decided, held


def likes(object_: str, *, day: int = 0, position: int = 1, mode: Literal["assert", "correct"] = "assert") -> Claim:
    """Return a claim about a taste, of which there can be many."""
    return claim(object_, predicate="likes", day=day, position=position, mode=mode)


# asserting


def test_a_move_changes_the_present_and_keeps_the_past() -> None:
    fold, (_, move) = decided([claim("Lisbon"), claim("Oslo", day=3, position=2)])

    assert (believed(fold, 1), believed(fold, 3), believed(fold, 9)) == (["Lisbon"], ["Oslo"], ["Oslo"])
    assert move.kind == "update"
    assert move.reason == "lives_in holds one value at a time"


def test_a_stay_with_an_end_returns_to_the_earlier_home() -> None:
    fold, _ = decided([claim("Lisbon"), claim("Oslo", day=2, until=4, position=2)])

    assert [believed(fold, day) for day in (1, 2, 3, 4, 5)] == [["Lisbon"], ["Oslo"], ["Oslo"], ["Lisbon"], ["Lisbon"]]


def test_a_split_fact_keeps_its_identity_and_evidence() -> None:
    lisbon = claim("Lisbon", session="s7", confidence=0.5)

    fold, (first, _) = decided([lisbon, claim("Oslo", day=2, until=4, position=2)])

    pieces = [version for version in held(fold) if version.object == "Lisbon"]
    assert sorted(piece.valid for piece in pieces) == [Span(NOON, NOON + 2 * DAY), Span(NOON + 4 * DAY)]
    assert {(piece.fact, piece.session, piece.confidence, piece.position) for piece in pieces} == {
        (first.id, "s7", 0.5, 1)
    }


def test_an_old_home_told_late_lands_in_history() -> None:
    fold, _ = decided([claim("Oslo", day=5), claim("Lisbon", day=1, position=2)])

    assert (believed(fold, 2), believed(fold, 5), believed(fold, 9)) == (["Lisbon"], ["Oslo"], ["Oslo"])


def test_an_old_home_told_late_splits_the_fact_that_covered_it() -> None:
    fold, _ = decided([claim("Lisbon"), claim("Rome", day=6, position=2), claim("Oslo", day=3, position=3)])

    assert [believed(fold, day) for day in (2, 3, 5, 6)] == [["Lisbon"], ["Oslo"], ["Oslo"], ["Rome"]]


def test_an_old_home_told_late_ends_at_a_later_confirmation_of_another_home() -> None:
    fold, _ = decided([claim("Lisbon"), claim("Lisbon", day=4, position=2), claim("Oslo", day=2, position=3)])

    assert (believed(fold, 3), believed(fold, 5)) == (["Oslo"], ["Lisbon"])


def test_a_late_end_of_a_home_holds_until_its_later_confirmation() -> None:
    fold, _ = decided(
        [claim("Lisbon"), claim("Lisbon", day=4, position=2), claim("Lisbon", day=2, mode="end", position=3)]
    )

    assert (believed(fold, 1), believed(fold, 3), believed(fold, 5)) == (["Lisbon"], [], ["Lisbon"])


def test_a_late_correction_holds_until_a_later_confirmation() -> None:
    said = [claim("Lisbon"), claim("Lisbon", day=4, position=2), claim("Oslo", day=2, mode="correct", position=3)]
    fold, _ = decided(said)

    assert (believed(fold, 1), believed(fold, 3), believed(fold, 5)) == (["Oslo"], ["Oslo"], ["Lisbon"])


def test_the_later_of_two_claims_about_one_instant_is_believed() -> None:
    fold, _ = decided([claim("Lisbon"), claim("Oslo", position=2)])

    assert held(fold) == {version for version in held(fold) if version.object == "Oslo"}
    assert believed(fold, 0) == ["Oslo"]


def test_a_claim_repeated_in_other_letters_changes_nothing() -> None:
    fold, (first, again) = decided([claim("New York"), claim("  new   YORK ", day=2, position=2)])

    assert (again.kind, again.reason, again.about) == ("noop", "already known", first.id)
    assert [version.object for version in held(fold)] == ["New York"]


def test_a_repetition_within_a_turn_confirms_nothing_and_extends_the_fact() -> None:
    fold, (_, again, _) = decided([claim("Ghent"), claim("Ghent", day=9), claim("Lisbon", day=4, position=2)])

    assert (again.kind, again.reason) == ("noop", "its own turn says that it holds then, too")
    assert [believed(fold, day) for day in (3, 4, 8, 9)] == [["Ghent"], ["Lisbon"], ["Lisbon"], ["Ghent"]]


def test_a_many_valued_predicate_keeps_each_value() -> None:
    fold, decisions = decided([likes("tea"), likes("coffee", day=1, position=2)])

    assert [decision.kind for decision in decisions] == ["add", "add"]
    assert believed(fold, 2, "likes") == ["coffee", "tea"]


def test_the_homes_of_two_people_are_independent() -> None:
    fold, _ = decided([claim("Lisbon"), claim("Oslo", subject="sister", day=1, position=2)])

    assert believed(fold, 2) == ["Lisbon", "Oslo"]


# correcting


def test_a_correction_rewrites_the_past() -> None:
    fold, (_, mended) = decided([claim("Oslo"), claim("Bergen", mode="correct", day=4, position=2)])

    assert (believed(fold, 0), believed(fold, 9)) == (["Bergen"], ["Bergen"])
    assert (mended.kind, mended.reason) == ("update", "corrected: it never was so")


def test_a_correction_leaves_earlier_and_later_homes_unchanged() -> None:
    fold, _ = decided(
        [
            claim("Lisbon"),
            claim("Oslo", day=2, position=2),
            claim("Rome", day=6, position=3),
            claim("Bergen", mode="correct", day=3, position=4),
        ]
    )

    assert [believed(fold, day) for day in (1, 2, 5, 6)] == [["Lisbon"], ["Bergen"], ["Bergen"], ["Rome"]]


def test_a_correction_without_an_object_replaces_the_last_claim() -> None:
    fold, _ = decided(
        [likes("tea"), likes("coffee", position=2), claim("cocoa", predicate="*", mode="correct", position=3)]
    )

    assert believed(fold, 0, "likes") == ["cocoa", "tea"]


def test_a_correction_without_an_object_ignores_other_sessions() -> None:
    fold, (*_, last) = decided(
        [likes("coffee"), claim("cocoa", predicate="*", mode="correct", position=2, session="s2")]
    )

    assert (last.kind, last.reason) == ("noop", "nothing to correct")
    assert believed(fold, 0, "likes") == ["coffee"]


@pytest.mark.parametrize(("back", "kind"), [(RECENT_POSITIONS, "update"), (RECENT_POSITIONS + 1, "noop")])
def test_a_correction_without_an_object_looks_only_a_few_episodes_back(back: int, kind: str) -> None:
    _, (*_, last) = decided([likes("coffee"), claim("cocoa", predicate="*", mode="correct", position=1 + back)])

    assert last.kind == kind


def test_an_ambiguous_correction_becomes_a_review() -> None:
    tea = claim("tea", predicate="likes", ordinal=1)

    fold, (*_, last) = decided([likes("coffee"), tea, claim("cocoa", predicate="*", mode="correct", position=2)])

    assert (last.kind, last.reason) == ("review", "a correction that could mean any of 2 beliefs")
    assert believed(fold, 0, "likes") == ["coffee", "tea"]


def test_a_correction_that_names_the_wrong_value_replaces_only_that_value() -> None:
    said = [likes("coffee"), likes("milk", position=2), likes("tea", mode="correct", position=30)]
    coffee = replace(said[2], wrong="Coffee")
    cocoa = replace(said[2], wrong="cocoa")

    named, (*_, last) = decided([*said[:2], coffee])
    unheld, (*_, only) = decided([*said[:2], cocoa])

    assert (last.kind, last.reason) == ("update", "corrected: it never was so")
    assert believed(named, 0, "likes") == ["milk", "tea"]
    assert only.kind == "add"
    assert believed(unheld, 0, "likes") == ["coffee", "milk", "tea"]


def test_a_correction_of_many_values_replaces_the_recent_one_or_asks_between_two() -> None:
    long_ago = likes("coffee", position=1)
    one, (*_, mended) = decided([long_ago, likes("milk", position=20), likes("tea", mode="correct", position=21)])
    two, (*_, asked) = decided(
        [likes("coffee", position=18), likes("milk", position=20), likes("tea", mode="correct", position=21)]
    )

    assert (mended.kind, believed(one, 0, "likes")) == ("update", ["coffee", "tea"])
    assert (asked.kind, believed(two, 0, "likes")) == ("review", ["coffee", "milk"])
    assert asked.reason == "a correction that could mean any of 2 beliefs"


def test_a_correction_to_a_known_value_only_removes_the_wrong_one() -> None:
    fold, (*_, last) = decided(
        [likes("tea"), likes("coffee", position=2), claim("tea", predicate="*", mode="correct", position=3)]
    )

    assert (last.kind, last.reason) == ("delete", "corrected: the right value is already known")
    assert believed(fold, 0, "likes") == ["tea"]


def test_a_correction_with_nothing_before_it_is_an_assertion() -> None:
    fold, (only,) = decided([claim("Oslo", mode="correct")])

    assert only.kind == "add"
    assert believed(fold, 0) == ["Oslo"]


# ending


def test_an_ended_fact_holds_until_its_end() -> None:
    fold, (_, end) = decided([claim("Lisbon"), claim("", mode="end", day=4, position=2)])

    assert (believed(fold, 3), believed(fold, 4)) == (["Lisbon"], [])
    assert (end.kind, end.valid) == ("delete", Span(NOON + 4 * DAY, END))


def test_an_end_that_is_told_before_its_fact_still_ends_it() -> None:
    fold, _ = decided([claim("Lisbon", mode="end", day=4), claim("Lisbon", day=1, position=2)])

    assert (believed(fold, 3), believed(fold, 4)) == (["Lisbon"], [])


def test_an_ended_fact_can_begin_again() -> None:
    fold, _ = decided([claim("Lisbon"), claim("", mode="end", day=2, position=2), claim("Lisbon", day=5, position=3)])

    assert (believed(fold, 1), believed(fold, 3), believed(fold, 5)) == (["Lisbon"], [], ["Lisbon"])


def test_ending_one_value_leaves_the_others() -> None:
    fold, _ = decided(
        [likes("tea"), likes("coffee", position=2), claim("tea", predicate="likes", mode="end", day=2, position=3)]
    )

    assert believed(fold, 3, "likes") == ["coffee"]


def test_ending_a_predicate_ends_every_object_of_it() -> None:
    fold, decisions = decided(
        [likes("tea"), likes("coffee", position=2), claim("", predicate="likes", mode="end", day=2, position=3)]
    )

    assert believed(fold, 3, "likes") == []
    assert len({decision.id for decision in decisions}) == len(decisions) == 4


def test_an_end_without_an_object_ends_only_the_last_claim() -> None:
    fold, _ = decided(
        [
            likes("coffee"),
            claim("", predicate="*", mode="end", day=4, position=2),
            likes("tea", day=1, position=3),
        ]
    )

    assert believed(fold, 5, "likes") == ["tea"]
    assert believed(fold, 2, "likes") == ["coffee", "tea"]


def test_an_end_without_an_object_also_ends_a_late_claim_of_the_same_fact() -> None:
    fold, _ = decided(
        [
            likes("coffee", day=2),
            claim("", predicate="*", mode="end", day=4, position=2),
            likes("coffee", day=1, position=3),
        ]
    )

    assert [believed(fold, day, "likes") for day in (1, 3, 5)] == [["coffee"], ["coffee"], []]


def test_ending_an_unknown_fact_changes_nothing_and_is_remembered() -> None:
    fold, (only,) = decided([claim("Oslo", mode="end", day=2)])

    assert (only.kind, only.reason) == ("noop", "no current fact to end")
    assert only.valid == Span(NOON + 2 * DAY)
    assert fold.ends == {only.fingerprint: [NOON + 2 * DAY]}


# forgetting


def test_a_forgotten_fact_is_removed_from_history_and_not_learned_again() -> None:
    fold, (_, gone, again) = decided(
        [claim("Lisbon"), claim("Lisbon", mode="forget", day=2, position=2), claim("LISBON", day=3, position=3)]
    )

    assert held(fold) == set()
    assert (gone.kind, gone.valid) == ("delete", ALWAYS)
    assert (again.kind, again.reason) == ("noop", FORGOTTEN)


def test_forgetting_removes_each_period_of_a_fact() -> None:
    fold, _ = decided(
        [
            claim("Lisbon"),
            claim("Oslo", day=2, until=4, position=2),
            claim("Lisbon", mode="forget", day=9, position=3),
        ]
    )

    assert {version.object for version in held(fold)} == {"Oslo"}


def test_forgetting_one_home_leaves_earlier_homes() -> None:
    fold, _ = decided(
        [claim("Lisbon"), claim("Oslo", day=2, position=2), claim("Oslo", mode="forget", day=3, position=3)]
    )

    assert (believed(fold, 1), believed(fold, 3)) == (["Lisbon"], [])


def test_a_forget_claim_removes_every_telling_of_a_belief() -> None:
    fold, _ = decided(
        [
            claim("Lisbon", day=4, session="s2"),
            claim("Lisbon", day=1, position=2),
            claim("", predicate="*", mode="forget", day=5, position=3),
        ]
    )

    assert held(fold) == set()


def test_a_correction_does_not_restore_a_forgotten_fact() -> None:
    fold, (*_, last) = decided(
        [
            claim("Lisbon"),
            claim("Lisbon", mode="forget", position=2),
            claim("Oslo", day=1, position=3),
            claim("Lisbon", mode="correct", day=2, position=4),
        ]
    )

    assert (last.kind, last.reason) == ("noop", FORGOTTEN)
    assert believed(fold, 2) == ["Oslo"]


def test_a_fact_forgotten_before_it_is_told_is_never_learned() -> None:
    fold, _ = decided([claim("Lisbon", mode="forget"), claim("Lisbon", position=2)])

    assert held(fold) == set()


# the parts


def test_the_key_of_a_single_valued_belief_omits_the_value() -> None:
    assert belief_key("User ", "lives_in", "Oslo", single_valued=True) == ("user", "lives_in", None)
    assert belief_key("User", "likes", " Green  Tea", single_valued=False) == ("user", "likes", "green tea")


def test_normal_ignores_case_and_white_space() -> None:
    assert normal(" STRASSE\n7 ") == normal("straße 7")


def test_a_fold_starts_from_the_stored_facts() -> None:
    before, _ = decided([claim("Lisbon")])
    fold = Fold()
    fold.hold(held(before))

    fold.decide(claim("Oslo", day=2, position=2))

    assert (believed(fold, 1), believed(fold, 2)) == (["Lisbon"], ["Oslo"])


def test_a_statement_said_again_changes_nothing() -> None:
    fold, decisions = decided([
        claim("tea", predicate="likes", form="statement"),
        claim("tea", predicate="likes", form="statement", day=3, position=2),
    ])  # fmt: skip

    assert [decision.kind for decision in decisions] == ["add", "noop"]
    assert decisions[1].about == decisions[0].id
    assert [version.text for version in held(fold)] == ["user likes tea"]


def test_a_statement_and_a_typed_fact_with_the_same_words_are_independent() -> None:
    fold, decisions = decided([
        claim("tea", predicate="likes"),
        claim("tea", predicate="likes", form="statement", position=2),
        claim("tea", predicate="likes", mode="end", day=1, position=3),
    ])  # fmt: skip

    assert [decision.kind for decision in decisions] == ["add", "add", "delete"]
    assert [version.form for version in fold.believed(NOON + 2 * DAY)] == ["statement"]


def test_a_statement_ends_as_a_typed_fact_does() -> None:
    said = claim("tea", predicate="likes", form="statement")

    over = replace(said, mode="end", text="", source=claim(position=2).source, valid_from=claim(day=1).valid_from)

    fold, decisions = decided([said, over])

    assert [decision.kind for decision in decisions] == ["add", "delete"]
    assert [version.valid.end for version in held(fold)] == [claim(day=1).valid_from]


def test_ending_a_statement_does_not_end_longer_statements() -> None:
    short, long = (claim(object_, predicate="likes", form="statement") for object_ in ("tea", "tea with milk"))
    short, long = (replace(one, text=f"user likes {one.object}") for one in (short, long))

    fold, decisions = decided([
        long,
        replace(short, source=claim(position=2).source),
        replace(short, mode="end", valid_from=NOON + DAY, source=claim(position=3).source),
    ])  # fmt: skip

    assert [decision.kind for decision in decisions] == ["add", "add", "delete"]
    assert [version.text for version in fold.believed(NOON + 2 * DAY)] == ["user likes tea with milk"]


def test_forgetting_removes_statements_with_the_words_and_keeps_them_away() -> None:
    green, black = (claim(f"{kind} tea", predicate="likes", form="statement") for kind in ("green", "black"))

    fold, decisions = decided([
        green,
        replace(black, ordinal=1),
        claim("green", predicate="likes", mode="forget", form="statement", day=1, position=2),
        replace(green, source=claim(position=3).source),
    ])  # fmt: skip

    assert [version.text for version in held(fold)] == ["user likes black tea"]
    assert (decisions[-1].kind, decisions[-1].reason) == ("noop", FORGOTTEN)


def test_forget_that_removes_only_the_statements_of_the_last_turn() -> None:
    fold, _ = decided([
        claim("tea", predicate="likes", form="statement"),
        claim("milk", predicate="likes", form="statement", position=2),
        claim("sugar", predicate="likes", position=3),
        claim("", predicate="*", mode="forget", form="statement", position=4),
    ])  # fmt: skip

    assert {version.text for version in held(fold)} == {"user likes tea", "The user likes sugar"}


# long histories


def test_the_cost_of_a_claim_is_linear_in_the_history() -> None:
    fold, _ = decided([claim(f"Port {day}", day=day, position=day + 1) for day in range(300)])
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    fold.decide(claim("the Ports", day=300, position=301))
    sys.setprofile(None)

    assert calls < 300 * 8
