"""Situations told claim by claim, and the beliefs after them, now and in the past."""

import sys
from dataclasses import replace
from types import FrameType
from typing import Any

from slowwave.core.beliefs.identity import belief_key, normal
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim
from tests.unit.core.histories import DAY, NOON, believed, claim, decided, held
from tests.unit.tables import over, table


def told(row: str | dict[str, Any], number: int) -> Claim:
    """Return the claim that a *row* of `fold.yaml` describes, the *number*-th of its situation."""
    fields = {"home": row} if isinstance(row, str) else dict(row)
    object_ = next(fields.pop(name) for name in ("home", "likes", "object") if name in fields)
    if "likes" in row and not isinstance(row, str):
        fields["predicate"] = "likes"
    wrong = fields.pop("wrong", "")
    return replace(claim(object_, **{"position": number, **fields}), wrong=wrong)


@over(table(__file__))
def test_a_situation_leads_to_its_beliefs(case: dict[str, Any]) -> None:
    claims = [told(row, number) for number, row in enumerate(case["told"], 1)]

    fold, decisions = decided(claims)

    for day, objects in case.get("believed", {}).items():
        assert (day, believed(fold, day, claims[0].predicate)) == (day, objects)
    if "held" in case:
        assert sorted(one.object if one.predicate == "lives_in" else one.text for one in held(fold)) == case["held"]
    if "kinds" in case:
        assert [one.kind for one in decisions] == case["kinds"]
    if "last" in case:
        assert [decisions[-1].kind, decisions[-1].reason] == case["last"]
    assert len({one.id for one in decisions}) == len(decisions)


def test_a_split_fact_keeps_its_identity_and_evidence() -> None:
    lisbon = claim("Lisbon", session="s7", confidence=0.5)

    fold, (first, _) = decided([lisbon, claim("Oslo", day=2, until=4, position=2)])

    pieces = [version for version in held(fold) if version.object == "Lisbon"]
    assert sorted(piece.valid for piece in pieces) == [Span(NOON, NOON + 2 * DAY), Span(NOON + 4 * DAY)]
    assert {(piece.fact, piece.session, piece.confidence, piece.position) for piece in pieces} == {
        (first.id, "s7", 0.5, 1)
    }


def test_a_repetition_refers_to_the_fact_that_it_repeats() -> None:
    _, (first, again) = decided([claim("New York"), claim("  new   YORK ", day=2, position=2)])
    _, (_, in_turn) = decided([claim("Ghent"), claim("Ghent", day=9)])
    said = claim("tea", predicate="likes", form="statement")
    _, (stated, repeated) = decided([said, replace(said, source=claim(position=2).source)])

    assert (again.about, repeated.about) == (first.id, stated.id)
    assert in_turn.reason == "its own turn says that it is true then too"


def test_the_key_of_a_single_valued_belief_omits_the_value() -> None:
    assert belief_key("User ", "lives_in", "Oslo", single_valued=True) == ("user", "lives_in", None)
    assert belief_key("User", "likes", " Green  Tea", single_valued=False) == ("user", "likes", "green tea")


def test_normal_ignores_case_and_white_space() -> None:
    assert normal(" STRASSE\n7 ") == normal("straße 7")


def test_a_statement_and_a_typed_fact_with_the_same_words_are_independent() -> None:
    fold, decisions = decided([
        claim("tea", predicate="likes"),
        claim("tea", predicate="likes", form="statement", position=2),
        claim("tea", predicate="likes", mode="end", day=1, position=3),
    ])  # fmt: skip

    assert [decision.kind for decision in decisions] == ["add", "add", "delete"]
    assert [version.form for version in fold.believed(NOON + 2 * DAY)] == ["statement"]


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
