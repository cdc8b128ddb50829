"""The windows that a lone worker will probably claim next are known ahead."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave.domain.claim import Claim
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.run import Run
from slowwave.jobs.read_ahead import begin_next
from slowwave.memory import due_work
from slowwave.ports.context import Place, Proposes, Upcoming
from slowwave.rules.ahead import ReadingAhead, reading_ahead
from tests.contract.harness import PACK, Harness, somebody


def upcoming(
    harness: Harness, run: Run, *, begun: Sequence[Place] = (), most: int = 2
) -> list[tuple[Place, list[int], list[int]]]:
    """Return the upcoming windows: the beginning of each, the positions before it, and its own positions."""
    return [
        (one.place, [turn.position for turn in one.before], [turn.position for turn in one.episodes])
        for one in harness.parts.runs.upcoming(run, begun=begun, most=most)
    ]


def test_reading_ahead_takes_the_rest_of_the_scope_then_the_oldest_work(harness: Harness) -> None:
    first, second, third = somebody(), somebody(), somebody()
    harness.told(first, 120)  # windows hold fifty
    run = harness.claimed("ann")
    harness.told(second, 40)
    harness.told(third, 60)

    assert upcoming(harness, run) == [
        ((first.id, PACK, 51), list(range(45, 51)), list(range(51, 101))),
        ((second.id, PACK, 1), [], list(range(1, 41))),
    ]
    assert [place for place, *_ in upcoming(harness, run, begun=[(first.id, PACK, 51)])] == [(second.id, PACK, 1)]
    harness.settle(run)
    assert upcoming(harness, harness.claimed("ann", scope=second)) == [
        ((third.id, PACK, 1), [], list(range(1, 51))),
        ((first.id, PACK, 51), list(range(45, 51)), list(range(51, 101))),
    ]


def test_a_run_that_prepares_is_followed_by_consolidation(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(first, 60)
    harness.told(second, 40)
    run = harness.claimed("ann", jobs=[PREPARE])

    assert run.scope == first.id
    assert [place for place, *_ in upcoming(harness, run)] == [(first.id, PACK, 1), (second.id, PACK, 1)]
    assert [place for place, *_ in upcoming(harness, run, most=1)] == [(first.id, PACK, 1)]


def test_a_run_that_prepares_gives_the_windows_within_its_episodes(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(first, 60)  # windows hold fifty
    harness.told(second, 40)
    run = harness.claimed("ann", jobs=[PREPARE])
    episodes, windows = harness.parts.runs.episodes_and_upcoming(run, begun=[])

    assert [episode.position for episode in episodes] == list(range(1, 61))
    assert [(one.place, list(one.before)) for one in windows] == [((first.id, PACK, 1), [])]
    assert [one.episodes for one in windows] == [episodes[:50]]
    assert harness.parts.runs.episodes_and_upcoming(run, begun=[windows[0].place])[1] == []
    harness.claimed("ben", scope=second)
    assert harness.parts.runs.episodes_and_upcoming(run, begun=[])[1] == []


def test_windows_beyond_the_prepared_episodes_are_not_read_ahead(harness: Harness) -> None:
    somebody_else = somebody()
    harness.told(somebody_else, 40)
    run = harness.claimed("ann", jobs=[PREPARE])
    harness.told(somebody_else, 8, start=41)
    episodes, windows = harness.parts.runs.episodes_and_upcoming(run, begun=[])

    assert len(episodes) == 40
    assert windows == []


def test_new_episodes_of_every_scope_are_prepared_before_any_is_consolidated(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(first, 40)
    harness.told(second, 40)
    for scope in (first, second):
        run = harness.claimed("ann", jobs=[CONSOLIDATE, PREPARE])
        harness.settle(run)
        assert (run.job, run.scope) == (PREPARE, scope.id)


def test_small_windows_and_retries_are_not_read_ahead(harness: Harness) -> None:
    own, few, chosen, part = somebody(), somebody(), somebody(), somebody()
    harness.told(own, 60)
    run = harness.claimed("ann")
    for scope, count in ((few, 31), (chosen, 40), (part, 40)):
        harness.told(scope, count)
    harness.rows("UPDATE intents SET chosen = '{1}' WHERE scope = %s", chosen.id)
    harness.rows("UPDATE intents SET upto = 40 WHERE scope = %s", part.id)

    assert upcoming(harness, run) == []
    harness.told(few, 1, start=32)
    assert [place for place, *_ in upcoming(harness, run)] == [(few.id, PACK, 1)]


def test_work_of_another_worker_is_not_read_ahead(harness: Harness) -> None:
    for _ in range(3):
        harness.told(somebody(), 40)
    run, other = harness.claimed("ann"), harness.claimed("ben")

    assert upcoming(harness, run) == upcoming(harness, other) == []
    harness.settle(other)
    assert len(upcoming(harness, run)) == 1


class Noted:
    """An `Ahead` that records begun windows, and reads nothing."""

    def __init__(self, *begun: Place) -> None:
        self.order = list(begun)

    def begun(self) -> list[Place]:
        return list(self.order)

    def begin(self, upcoming: Upcoming, _reader: Proposes) -> None:
        self.order.append(upcoming.place)

    def claims(self, window: Upcoming, reader: Proposes) -> list[Claim]:
        raise NotImplementedError


def test_begin_next_starts_the_first_unread_window_before_later_ones(harness: Harness) -> None:
    first, second = somebody(), somebody()
    for scope in (first, second):
        harness.told(scope, 40)
    run = harness.claimed("ann")
    places = [(scope.id, PACK, 1) for scope in (first, second)]
    readers, own = {PACK: Nothing()}, Upcoming(places[0], [], harness.parts.runs.episodes(run))

    for known in ([], places[:1]):
        ahead = Noted(*known)
        begin_next(ahead, readers, run, harness.parts.runs, own)
        assert ahead.order == places


class Nothing:
    """A reader that finds nothing."""

    def propose(self, _episodes: Sequence[StoredEpisode]) -> list[Claim]:
        return []


def test_reading_ahead_does_not_change_the_beliefs(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_ahead, "LEAST_OFFERED", 1)
    believed: list[list[tuple[object, ...]]] = []
    with closing(ReadingAhead()) as ahead:
        for reader in (None, ahead):
            harness.parts.__dict__["ahead"] = reader
            harness.parts.__dict__.pop("jobs", None)
            scopes = [somebody() for _ in range(3)]
            for scope in scopes:
                harness.parts.push(scope, [Episode(key=f"k{at}", **said) for at, said in enumerate(TALK)])
            due_work.fire(harness.parts)
            harness.drain()
            believed += [harness.rows(BELIEVED, scope.id) for scope in scopes]

        assert ahead._second is not None
    assert len(believed[0]) > 70
    assert believed == [believed[0]] * 6


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TALK: Sequence[dict[str, Any]] = [
    {"content": f"I moved to City{at // 9} and I like tea{at}.", "occurred_at": NOON + timedelta(minutes=at)}
    for at in range(70)
]
BELIEVED = """
    SELECT predicate, object, valid, upper_inf(recorded), confidence, position, text FROM facts
    WHERE scope = %s ORDER BY position, predicate, object, recorded
"""
