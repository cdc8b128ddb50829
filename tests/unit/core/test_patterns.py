"""Patterns: their counts and reliability, routines, paths of tools; any split into windows learns the same."""

import copy
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowwave.core.fold import Decision, Fold
from slowwave.core.learning import Known, Learner, pattern_names
from slowwave.core.patterns import (
    BAND_HOURS,
    LEARNING,
    Support,
    band,
    occurrences,
    recurring,
    strategy_id,
    verdict,
    week,
    wilson_lower,
)
from slowwave.core.tool_attempts import LONGEST_NAME, LONGEST_WAY, REACH, attempts, name, way
from slowwave.core.tool_paths import frequent_paths, transitions
from slowwave.domain.attempt import Way
from slowwave.domain.claim import Source
from slowwave.domain.episode import EpisodeKind, StoredEpisode
from slowwave.domain.pattern import Mention, Preference, Sighting, Tally
from tests.unit.core.histories import NOON

SCOPE = uuid.uuid5(uuid.NAMESPACE_OID, "scope")
NAMED = strategy_id(SCOPE, Way("t", ("a",)))


@dataclass
class Night:
    """The state that the store would keep between runs."""

    fold: Fold = field(default_factory=Fold)
    known: dict[uuid.UUID, Known] = field(default_factory=dict)
    seen: dict[uuid.UUID, dict[str, Sighting]] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)

    def run(self, episodes: list[StoredEpisode], window: list[StoredEpisode]) -> None:
        """Learn from one window, as the job does."""
        lo = window[0].position
        trail = [e for e in episodes if lo - REACH <= e.position < lo and e.kind in ("tool_call", "outcome")]
        tried = attempts(trail, window)
        self.fold.derive = pattern_names(SCOPE, "_patterns")
        learner = Learner(SCOPE, self.fold, dict(self.known), copy.deepcopy(self.seen))
        for attempt in tried:
            learner.tried(attempt)
        for occurrence in occurrences(SCOPE, tried, window):
            learner.saw(occurrence)
        self.known = learner.known
        self.seen = learner.seen
        self.decisions += learner.decisions
        self.tallies += learner.tallies.values()

    def counts(self) -> dict[uuid.UUID, tuple[int, int]]:
        """Return the sums of successes and failures over the records of all runs."""
        counts: dict[uuid.UUID, tuple[int, int]] = {}
        for tally in self.tallies:
            successes, failures = counts.get(tally.strategy, (0, 0))
            counts[tally.strategy] = successes + tally.successes, failures + tally.failures
        return counts


@st.composite
def days(draw: st.DrawFn) -> list[StoredEpisode]:
    """Return tool calls, outcomes and statements of two sessions, with times in any order.

    What is tried works at first and mostly fails later on: else hardly anything would be learned and given up.
    """
    said: list[tuple[EpisodeKind, str, dict[str, object]]] = []
    for fails in [*[False] * draw(st.integers(1, 6)), *[True] * draw(st.integers(0, 6))]:
        said += [("tool_call", tool, {}) for tool in draw(st.sampled_from(["a", "a", "a", "Aa", "ab", ""]))]
        success = draw(st.sampled_from([not fails, not fails, not fails, fails, None]))
        more = draw(st.sampled_from(MORE))
        said += [("outcome", "", {"success": success, "task": "t", **more})]
        said += [("message", words, {}) for words in draw(st.lists(st.sampled_from(WORDS), max_size=1))]
    return [
        _episode(position, kind, words, more, draw(st.sampled_from(["s1", "s1", "s1", "s2"])), draw(st.integers(0, 4)))
        for position, (kind, words, more) in enumerate(said, 1)
    ]


MORE: list[dict[str, object]] = [{}, {}, {}, {"tools": ["a"]}, {"strategy": str(NAMED)}]
WORDS = ["what is on today", "What is on today?", "and now"]


def _episode(
    position: int, kind: EpisodeKind, words: str, more: dict[str, object], session: str, weeks: int
) -> StoredEpisode:
    at = NOON + weeks * timedelta(days=7)
    call = {"tool": words, "success": True} if kind == "tool_call" else {}
    return StoredEpisode(
        id=uuid.uuid5(SCOPE, str(position)), key=f"e{position}", position=position, received=at, occurred=at,
        session=session, role="user", kind=kind, content=words or "it ended", metadata={**call, **more},
    )  # fmt: skip


@given(days(), st.data())
def test_any_split_of_episodes_into_windows_learns_the_same_patterns(
    episodes: list[StoredEpisode], data: st.DataObject
) -> None:
    whole, pieces = Night(), Night()
    whole.run(episodes, episodes)

    rest = episodes
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        pieces.run(episodes, rest[:size])
        rest = rest[size:]

    assert pieces.counts() == whole.counts()
    assert {k: known.support for k, known in pieces.known.items()} == {k: v.support for k, v in whole.known.items()}
    assert pieces.seen == whole.seen
    assert _told(pieces) == _told(whole)
    assert pieces.fold.active == whole.fold.active


def _told(night: Night) -> list[tuple[object, ...]]:
    """Return the decisions sorted by subject, because the windows may change only their order."""
    return sorted(
        ((d.id, d.kind, d.reason, d.replaces, d.valid, d.claim) for d in night.decisions), key=lambda told: str(told[0])
    )


@given(days())
def test_each_success_and_failure_of_a_session_counts_once(episodes: list[StoredEpisode]) -> None:
    night = Night()
    night.run(episodes, episodes)

    tried = attempts((), episodes)
    named = [attempt for attempt in tried if attempt.way is None]
    total = sum(sum(counts) for counts in night.counts().values())
    assert len(tried) - len(named) <= total <= len(tried)
    assert len({decision.id for decision in night.decisions}) == len(night.decisions)


def test_calls_belong_to_the_next_outcome_of_their_session_and_to_no_other() -> None:
    said: list[tuple[EpisodeKind, str, str]] = [
        ("tool_call", "a", "s1"), ("tool_call", "b", "s2"), ("outcome", "", "s1"), ("outcome", "", "s1"),
        ("tool_call", "c", "s2"), ("outcome", "", "s2"), ("tool_call", "d", "s1"), ("outcome", "", "s1"),
    ]  # fmt: skip
    episodes = [
        _episode(position, kind, words, {} if kind == "tool_call" else {"success": True}, session, 0)
        for position, (kind, words, session) in enumerate(said, 1)
    ]

    assert [attempt.way and attempt.way.tools for attempt in attempts((), episodes)] == [("a",), ("b", "c"), ("d",)]


def test_an_outcome_applies_to_a_limited_number_of_episodes() -> None:
    call = _episode(1, "tool_call", "a", {}, "s1", 0)
    near, far = (_episode(position, "outcome", "", {"success": True}, "s1", 0) for position in (REACH, REACH + 1))

    assert len(attempts([call], [near])) == 1
    assert attempts([call], [far]) == []


def test_a_routine_is_seen_once_a_week() -> None:
    said = [
        _episode(position, "message", WORDS[0], {}, "s1", weeks) for position, weeks in enumerate([0, 1, 2, 2, 3], 1)
    ]
    night = Night()

    night.run(said, said)

    assert [(decision.kind, decision.reason) for decision in night.decisions] == [
        ("add", "seen in 3 weeks"),
        ("noop", "seen in 4 weeks"),
    ]


def test_a_routine_counts_the_weeks_of_one_year() -> None:
    said = [
        _episode(position, "message", WORDS[0], {}, "s1", weeks) for position, weeks in enumerate([0, 1, 60, 61, 62], 1)
    ]
    night = Night()

    night.run(said, said)

    assert [(decision.kind, decision.reason) for decision in night.decisions] == [("add", "seen in 3 weeks")]


@given(days())
def test_a_pattern_is_held_exactly_while_its_counts_support_it(episodes: list[StoredEpisode]) -> None:
    night = Night()
    night.run(episodes, episodes)

    for known in night.known.values():
        held = [
            version
            for versions in night.fold.active.values()
            for version in versions
            if version.object == known.way.name
        ]
        assert bool(held) <= (known.support.successes >= 3 and known.support.bound >= 0.30)
        assert len(held) <= 1


def test_the_generated_days_contain_each_verdict() -> None:
    seen: set[str] = set()

    @settings(max_examples=100)
    @given(days())
    def look(episodes: list[StoredEpisode]) -> None:
        night = Night()
        night.run(episodes, episodes)
        seen.update(f"{d.kind} {d.claim.predicate}" for d in night.decisions)

    look()

    assert {"add is_done_by", "noop is_done_by", "delete is_done_by", "add routine", "noop routine"} <= seen


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
    return Preference(uuid.uuid4(), "user", "likes", "tea", mentions)


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
