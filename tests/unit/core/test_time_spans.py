"""Spans of valid time, and the remainder after one is cut out of another."""

import pytest
from hypothesis import given

from slowwave.core.time_spans import ALWAYS, BEGINNING, END, Span
from tests.unit.core.histories import DAY, NOON, spans

DAYS = [NOON + day * DAY for day in range(11)]


def test_a_span_must_start_before_it_ends() -> None:
    with pytest.raises(ValueError, match="a span must start before it ends"):
        Span(NOON, NOON)


def test_a_span_has_its_start_and_not_its_end() -> None:
    span = Span(NOON, NOON + DAY)

    assert span.covers(NOON)
    assert not span.covers(NOON + DAY)


def test_removing_the_middle_of_a_span_leaves_two_spans() -> None:
    assert ALWAYS.without(Span(NOON, NOON + DAY)) == [Span(BEGINNING, NOON), Span(NOON + DAY, END)]


@given(spans(), spans())
def test_without_returns_the_time_that_only_the_first_span_covers(one: Span, other: Span) -> None:
    rest = one.without(other)

    for day in DAYS:
        covering = [piece for piece in rest if piece.covers(day)]
        assert len(covering) == (one.covers(day) and not other.covers(day))


@given(spans(), spans())
def test_without_returns_ordered_pieces_within_the_first_span(one: Span, other: Span) -> None:
    rest = one.without(other)

    assert rest == sorted(rest)
    assert len(rest) <= 2
    assert not any(piece.overlaps(other) for piece in rest)
    assert all(one.start <= piece.start and piece.end <= one.end for piece in rest)


@given(spans(), spans())
def test_removing_a_span_twice_equals_removing_it_once(one: Span, other: Span) -> None:
    once = one.without(other)

    assert [left for piece in once for left in piece.without(other)] == once


@given(spans(), spans(), spans())
def test_the_order_of_removed_spans_does_not_matter(one: Span, other: Span, third: Span) -> None:
    assert sorted(left for piece in one.without(other) for left in piece.without(third)) == sorted(
        left for piece in one.without(third) for left in piece.without(other)
    )


@given(spans(), spans())
def test_spans_overlap_exactly_if_they_share_an_instant(one: Span, other: Span) -> None:
    shared = [day for day in DAYS if one.covers(day) and other.covers(day)]

    assert one.overlaps(other) == other.overlaps(one) == bool(shared)
