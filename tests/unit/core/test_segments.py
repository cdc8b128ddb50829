"""Boundaries of segments: exact distances, and the same result for any windows."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.segments import REACH, EventGraph, EventNode, SemanticShiftEvent, ShiftRule


def pointing(degrees: float) -> np.ndarray:
    """Return a unit vector in a plane: the cosine distance of two is 1 - cos of the angle between them."""
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


def node(position: int, degrees: float | None) -> EventNode:
    return EventNode(position, "message", None if degrees is None else pointing(degrees))


def shifts(graph: EventGraph, degrees: Sequence[float | None], start: int = 1) -> list[SemanticShiftEvent]:
    found = [graph.add(node(position, one)) for position, one in enumerate(degrees, start)]
    return [shift for shift in found if shift is not None]


def test_each_event_sets_the_distance_if_there_is_something_to_compare() -> None:
    graph, distances = EventGraph("s1"), []
    for position, degrees in enumerate([0, None, 60, 0], 1):
        graph.add(node(position, degrees))
        distances.append(graph.distance)

    assert distances == [None, None, pytest.approx(0.5), pytest.approx(1 - np.cos(np.radians(30)))]


def test_a_preset_can_compare_events_with_the_last_consolidated_state() -> None:
    turning = [*[0] * 3, *[50] * 4, *[51] * 3]
    near, far = EventGraph("s1"), EventGraph("s1", ShiftRule(reference="consolidated"))

    assert [shift.last for shift in shifts(near, turning)] == [3]
    assert [shift.last for shift in shifts(far, turning)] == [3, 6]  # 50 degrees from what was consolidated: once more
    assert far.distance == pytest.approx(1 - np.cos(np.radians(1)), abs=1e-6)


def test_a_long_segment_keeps_its_first_position() -> None:
    (shift,) = shifts(EventGraph("s1"), [*[0] * (3 * REACH), 90])

    assert (shift.first, shift.last) == (1, 3 * REACH)


angles = st.lists(st.one_of(st.none(), st.integers(0, 180)), min_size=1, max_size=3 * REACH)
rules = st.builds(
    ShiftRule, st.sampled_from([0.0, 0.05, 0.3, 0.9]), st.integers(1, 5), st.sampled_from(["segment", "consolidated"])
)


@given(angles=angles, rule=rules, cuts=st.lists(st.integers(0, 3 * REACH), max_size=6))
def test_any_split_into_windows_gives_equal_segments(
    angles: list[int | None], rule: ShiftRule, cuts: list[int]
) -> None:
    whole = shifts(EventGraph("s1", rule), angles)

    found, graph = [], EventGraph("s1", rule)
    bounds = [0, *sorted(min(cut, len(angles)) for cut in cuts), len(angles)]
    for lo, hi in pairwise(bounds):
        graph = EventGraph("s1", rule, graph.number, graph.first, list(graph.recent), graph.consolidated)
        found += shifts(graph, angles[lo:hi], start=lo + 1)

    assert [_said(shift) for shift in found] == [_said(shift) for shift in whole]


@given(angles=angles, rule=rules)
def test_segments_follow_one_another_without_a_gap(angles: list[int | None], rule: ShiftRule) -> None:
    found = shifts(EventGraph("s1", rule), angles)

    assert [shift.number for shift in found] == list(range(1, len(found) + 1))
    assert all(later.first == earlier.last + 1 == earlier.event.position for earlier, later in pairwise(found))
    assert all(shift.last - shift.first + 1 >= rule.min_events for shift in found)
    assert all(shift.distance > rule.threshold for shift in found)


def _said(shift: SemanticShiftEvent) -> tuple[object, ...]:
    return shift.number, shift.first, shift.last, shift.distance, shift.event.position
