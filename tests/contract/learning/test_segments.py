"""A semantic shift in a scope: only the segment that ended is consolidated."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.scope import Scope
from slowwave.jobs.prepare import Prepare
from slowwave.memory import due_work
from slowwave.ports import Schedule
from slowwave.store import packs as registry
from tests.contract.harness import PACK, Harness
from tests.contract.late_arrivals.comparing import digested
from tests.unit.tables import table

ROWS = table(__file__)

ASYNC = ROWS["async"]
SCHEMA = ROWS["schema"]
SHIFT = Schedule(
    f"{PACK}/semantic_shift", CONSOLIDATE, PACK, "semantic_shift", threshold=0.55, min_events=3, reference="segment"
)
AGE = Schedule(f"{PACK}/age", CONSOLIDATE, PACK, "age", seconds=86_400.0)
HOURLY = Schedule(f"{PACK}/interval", CONSOLIDATE, PACK, "interval", seconds=3600.0)


@dataclass
class Topics:
    """A user's conversation, consolidated by shifts of meaning."""

    harness: Harness
    scope: Scope
    told: Callable[..., list[Episode]]

    def follow(self, *schedules: Schedule) -> None:
        """Let the pack come due on shifts of meaning, and on these other schedules."""
        packs, _ = self.harness.parts.schedule.registered([PACK, "_prepare"])
        with self.harness.parts.database.dispatch() as connection:
            registry.register(connection, packs, [SHIFT, AGE, *schedules])

    def say(self, *texts: str, start: int = 0) -> None:
        """Push these texts; do no work on them."""
        self.harness.parts.push(self.scope, self.told(*texts, start=start))

    def hear(self, *texts: str, start: int = 0) -> None:
        """Push these texts, and do the due work."""
        self.say(*texts, start=start)
        self.harness.drain()

    def windows(self) -> list[tuple[Any, ...]]:
        """Return the windows that were consolidated, in order."""
        return self.harness.rows(
            "SELECT lo, hi FROM runs WHERE scope = %s AND pack = %s AND outcome = 'ok' ORDER BY run",
            self.scope.id,
            PACK,
        )

    def segments(self) -> list[tuple[Any, ...]]:
        """Return the ended segments: the session, the number and both positions of each."""
        return self.harness.rows(
            "SELECT session, number, first, last FROM segments WHERE scope = %s ORDER BY session, number", self.scope.id
        )


@pytest.fixture
def plain(harness: Harness, scope: Scope, told: Callable[..., list[Episode]]) -> Topics:
    """The conversation of a user whose pack does not come due on shifts."""
    return Topics(harness, scope, told)


@pytest.fixture
def topics(plain: Topics) -> Topics:
    """The same, and the pack comes due on shifts."""
    plain.follow()
    return plain


def test_an_open_segment_is_read_at_its_greatest_age(topics: Topics, harness: Harness) -> None:
    topics.hear(*ASYNC, *SCHEMA)
    harness.later(timedelta(hours=25).total_seconds())
    due_work.tick(harness.parts, by="scheduler@here:1")
    harness.drain()

    assert topics.windows() == [(1, 5), (6, 9)]
    assert harness.rows("SELECT at_window FROM firings WHERE schedule = %s", AGE.name) == [("6",)]


def test_the_age_trigger_also_covers_a_new_segment_behind_an_unread_one(plain: Topics, harness: Harness) -> None:
    plain.follow(HOURLY)
    due_work.tick(harness.parts, by="scheduler@here:1")
    plain.say(*ASYNC, *SCHEMA)
    harness.settle(harness.claimed(jobs=[PREPARE]))  # the shift has fired, and no worker has claimed its run
    harness.later(timedelta(hours=1).total_seconds())
    due_work.tick(harness.parts, by="scheduler@here:1")
    harness.drain()

    assert plain.windows() == [(1, 5), (6, 9)]
    assert harness.rows("SELECT count(*) FROM intents WHERE pack = %s", PACK) == [(0,)]


def test_episodes_after_a_shift_do_not_join_the_old_segment(topics: Topics, harness: Harness, scope: Scope) -> None:
    topics.say(*ASYNC, *SCHEMA[:2])
    harness.settle(harness.claimed(jobs=[PREPARE]))
    topics.hear(*SCHEMA[2:], start=7)

    assert topics.windows() == [(1, 5)]
    assert harness.windows(scope, "pending") == [(None, None, 9)]


def test_a_window_never_crosses_the_end_of_a_segment(topics: Topics, harness: Harness, scope: Scope) -> None:
    topics.say(*ASYNC, *SCHEMA)
    due_work.fire(harness.parts, scope.id)
    assert harness.claim() is None, "nobody knows yet where a topic ends"

    harness.drain()

    assert topics.windows() == [(1, 5), (6, 9)]


def test_a_segment_continues_in_another_process(topics: Topics, harness: Harness, scope: Scope) -> None:
    for episode in topics.told(*ASYNC, *SCHEMA):
        harness.parts.push(scope, [episode])
        vars(harness.parts).pop("jobs", None)  # as a new process would
        harness.drain()

    assert topics.segments() == [("s1", 1, 1, 5)]
    assert topics.windows() == [(1, 5)]


def test_interleaved_sessions_have_their_own_topics(topics: Topics, harness: Harness, scope: Scope) -> None:
    first, second = topics.told(*ASYNC, *SCHEMA, session="a"), topics.told(*SCHEMA, *ASYNC, start=20, session="b")
    both = [episode for pair in zip(first, second, strict=True) for episode in pair]
    harness.parts.push(scope, both)
    harness.drain()

    # a stands at 1, 3, 5 ...; b at 2, 4, 6 ...
    assert topics.segments() == [("a", 1, 1, 9), ("b", 1, 2, 8)]
    assert topics.windows() == [(1, 8), (9, 9)]


def test_a_pack_with_paused_shifts_does_not_wait_for_preparing(topics: Topics, harness: Harness, scope: Scope) -> None:
    harness.parts.schedule.pause(SHIFT.name)
    topics.say(*ASYNC, *SCHEMA)
    due_work.fire(harness.parts, scope.id)

    assert harness.claimed().hi == 9


def test_a_segment_read_before_its_shift_is_not_read_again(topics: Topics, harness: Harness, scope: Scope) -> None:
    topics.hear(*ASYNC)
    due_work.fire(harness.parts, scope.id)
    harness.drain()
    topics.say(*SCHEMA, start=5)

    harness.drain()

    assert topics.windows() == [(1, 5)]
    assert harness.windows(scope, "pending") == [(None, None, 9)]
    assert harness.rows("SELECT due > slowwave_now() FROM intents WHERE pack = %s", PACK) == [(True,)]


def test_segments_are_tracked_only_if_a_pack_uses_them(plain: Topics, harness: Harness) -> None:
    plain.hear(*ASYNC, *SCHEMA)

    assert harness.rows("SELECT count(*) FROM running_segments UNION ALL SELECT count(*) FROM segments") == [(0,), (0,)]


def test_a_claimed_run_says_whether_its_scope_is_segmented(
    plain: Topics, harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain.say(*ASYNC)
    unsegmented = harness.claimed(jobs=[PREPARE])
    harness.settle(unsegmented)
    plain.follow()
    plain.say(*SCHEMA, start=5)

    assert (unsegmented.segmented, harness.claimed(jobs=[PREPARE]).segmented) == (False, True)
    monkeypatch.setattr(harness.parts.database, "tenant", None)
    prepare = harness.parts.jobs[PREPARE]
    assert isinstance(prepare, Prepare)
    assert prepare.segments.graphs(unsegmented, {"s1"}) == {}


@pytest.mark.parametrize("seed", range(3))
def test_topics_and_beliefs_do_not_depend_on_windows_and_beliefs_not_on_topics(
    plain: Topics, harness: Harness, seed: int
) -> None:
    dice, said = random.Random(seed), [*ASYNC, *SCHEMA, *ASYNC[1:], *SCHEMA[1:], *ASYNC]
    outcomes = []
    for number, following in enumerate([False, True, True, True]):
        if following:
            plain.follow()
        live = replace(plain, scope=Scope(f"tenant-{seed}-{number}", "alice", "concierge"))
        for batch in _cut(plain.told(*said), dice if number > 1 else None):
            harness.parts.push(live.scope, batch)
            harness.drain()
        harness.learn(live.scope, [])
        outcomes.append((live.segments(), repr(digested(harness.parts, live.scope))))

    assert len({repr(found) for found, _ in outcomes[1:]}) == 1
    assert len(outcomes[1][0]) >= 3
    assert len({believed for _, believed in outcomes}) == 1


def _cut(episodes: list[Episode], dice: random.Random | None) -> Sequence[list[Episode]]:
    if dice is None:
        return [episodes]
    cuts = sorted(dice.sample(range(1, len(episodes)), 5))
    return [episodes[lo:hi] for lo, hi in zip([0, *cuts], [*cuts, len(episodes)], strict=True)]
