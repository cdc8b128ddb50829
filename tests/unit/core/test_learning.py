"""Learned patterns do not depend on how episodes are split into windows."""

import copy
import uuid
from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from slowwave.core.fold import Decision, Fold
from slowwave.core.learning import Known, Learner, pattern_names
from slowwave.core.patterns import occurrences, strategy_id
from slowwave.core.tool_attempts import REACH, attempts
from slowwave.domain.attempt import Way
from slowwave.domain.episode import EpisodeKind, StoredEpisode
from slowwave.domain.pattern import Sighting, Tally
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
