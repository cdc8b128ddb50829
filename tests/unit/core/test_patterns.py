"""Reliability from counts, routines, recurring preferences, and transitions between tools."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.patterns import (
    BAND_HOURS,
    LEARNING,
    Support,
    band,
    recurring,
    strategy_id,
    verdict,
    week,
    wilson_lower,
)
from slowwave.core.tool_attempts import LONGEST_NAME, LONGEST_WAY, name, way
from slowwave.core.tool_paths import frequent_paths, transitions
from slowwave.domain.attempt import Way
from slowwave.domain.claim import Source
from slowwave.domain.pattern import Mention, Preference

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TRIALS = st.integers(1, 500).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@given(TRIALS)
def test_a_success_raises_the_wilson_bound_of_the_rate_and_a_failure_lowers_it(counts: tuple[int, int]) -> None:
    successes, trials = counts
    bound = wilson_lower(successes, trials)

    assert 0 <= bound <= successes / trials
    assert wilson_lower(successes + 1, trials + 1) > bound
    assert wilson_lower(successes, trials + 1) <= bound


@given(st.integers(1, 100), st.integers(2, 9))
def test_more_trials_at_the_same_rate_raise_the_bound(successes: int, times: int) -> None:
    assert wilson_lower(successes * times, 2 * successes * times) > wilson_lower(successes, 2 * successes)


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        wilson_lower(3, 2)


@pytest.mark.parametrize(
    ("successes", "failures", "enough"), [(2, 0, False), (3, 0, True), (3, 1, True), (3, 2, False), (4, 2, False)]
)
def test_a_pattern_needs_enough_successes(successes: int, failures: int, enough: bool) -> None:
    assert Support(successes, failures).suffices() is enough


@given(st.integers(0, 50), st.integers(0, 50), st.booleans())
def test_counts_that_suffice_to_learn_do_not_withdraw(successes: int, failures: int, success: bool) -> None:
    support = Support(successes, failures)

    if verdict(support, success=True, believed=False) == "learn":
        assert verdict(support, success=success, believed=True) in ("support", "weaken")


def test_names_are_compared_without_case_and_space_and_repeats_count_once() -> None:
    assert way("Book  Trip", ["Search", "search ", "PAY", "search"]) == Way("book trip", ("search", "pay", "search"))
    assert way("", [None, 3, ""]) is None
    assert way("", [str(number) for number in range(LONGEST_WAY + 1)]) is None
    assert name("x" * (LONGEST_NAME + 1)) == ""


def test_tool_paths_with_similar_text_have_different_ids() -> None:
    ways = [Way("", ("a", "b")), Way("", ("a → b",)), Way("", ("ab",)), Way("a", ("b",))]
    scope = uuid.uuid4()

    assert len({(each.subject, each.name) for each in ways}) == len({strategy_id(scope, w) for w in ways}) == 4
    assert strategy_id(scope, ways[0]) != strategy_id(uuid.uuid4(), ways[0])


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_lies_in_its_band(at: datetime) -> None:
    here = band(at)

    assert here.weekday == at.weekday()
    assert here.hour <= at.hour < here.hour + BAND_HOURS
    assert 24 % BAND_HOURS == 0


@given(st.integers(0, 1_000_000), st.timezones())
def test_week_and_band_depend_on_the_local_time_only(minutes: int, zone: ZoneInfo) -> None:
    at = NOON + timedelta(minutes=minutes)
    there = at.replace(tzinfo=zone)  # the same local time in another zone

    assert (week(there), band(there)) == (week(at), band(at))


def test_a_time_seven_days_later_has_the_same_band_and_the_next_week() -> None:
    later = NOON + timedelta(days=7)

    assert (band(NOON), week(NOON)) == (band(later), "2026-W10")
    assert week(later) == "2026-W11"


def test_a_preference_recurs_by_conversations_and_not_by_mentions() -> None:
    sessions = ["s1", "s1", "s2", "s1"]
    assert recurring(_preference(sessions)) is None

    mentions = recurring(_preference([*sessions, "s3", "s4"]))

    assert mentions is not None
    assert [mention.source.position for mention in mentions] == [0, 2, 4]


def _preference(sessions: Sequence[str]) -> Preference:
    mentions = [
        Mention(session, NOON, Source(uuid.uuid4(), f"e{position}", position, 0, 1))
        for position, session in enumerate(sessions)
    ]
    return Preference(uuid.uuid4(), "user", "likes", "tea", mentions, len({*sessions}))


def test_a_transition_counts_its_successful_paths() -> None:
    graph = transitions({("a", "b", "a", "b"): 2, ("a", "b", "c"): 3, ("d",): 1})

    assert dict(graph.edges) == {("a", "b"): {"support": 5}, ("b", "a"): {"support": 2}, ("b", "c"): {"support": 3}}
    assert set(graph.nodes) == set("abcd")


SEQUENCES = st.dictionaries(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(tuple), st.integers(1, 4), max_size=6
)


@given(SEQUENCES)
def test_frequent_paths_are_exactly_the_longest_frequent_ones(successes: dict[tuple[str, ...], int]) -> None:
    parts = {
        tools[start:end]
        for tools in successes
        for start in range(len(tools))
        for end in range(start + 2, len(tools) + 1)
    }
    support = {part: sum(n for tools, n in successes.items() if _within(part, tools)) for part in parts}
    often = {part: count for part, count in support.items() if count >= LEARNING.successes}

    found = dict(frequent_paths(successes))

    assert found.items() <= often.items()
    for part, count in often.items():
        assert any(_within(part, path) and found[path] >= count for path in found)


def _within(part: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return any(path[start : start + len(part)] == part for start in range(len(path)))
