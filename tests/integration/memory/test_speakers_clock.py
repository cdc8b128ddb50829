"""Times: any offset is stored as its instant, a day is the speaker's, and the process's time zone has no effect."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.ingestion import ingest
from slowwave.store.inbox import stored_episodes
from slowwave.wiring import Parts
from tests.integration.steps import Told, learn

NEW_YORK, TOKYO = timezone(timedelta(hours=-5)), timezone(timedelta(hours=9))
LATE_IN_NEW_YORK = datetime(2026, 3, 2, 22, tzinfo=NEW_YORK)
EARLY_IN_TOKYO = datetime(2026, 3, 3, 8, tzinfo=TOKYO)
FAR = [
    timedelta(hours=16),
    -timedelta(hours=23, minutes=59),
    timedelta(hours=23, minutes=59, seconds=59, microseconds=999_999),
    timedelta(seconds=28),
]


@pytest.fixture
def alice(parts: Parts, scope: Scope) -> MemoryScope:
    return MemoryScope(parts, scope)


@pytest.mark.parametrize("offset", FAR, ids=str)
def test_an_episode_of_any_utc_offset_is_stored_by_its_instant(parts: Parts, scope: Scope, offset: timedelta) -> None:
    instant = datetime(2026, 1, 1, tzinfo=timezone(offset))

    receipts = parts.push(scope, ["before", Episode(content="far", key="far", occurred_at=instant), "after"])

    assert [receipt.state for receipt in receipts] == ["stored"] * 3
    with parts.database.tenant(scope.tenant) as connection:
        stored = stored_episodes.window(connection, scope.id, 2, 2)[0]
    assert stored.occurred == instant
    assert abs(timedelta(seconds=stored.utc_offset) - offset) < timedelta(minutes=1)
    assert stored.local == instant


@pytest.mark.parametrize("offset", FAR, ids=str)
def test_a_message_preserves_any_utc_offset(offset: timedelta) -> None:
    episode = Episode(content="far", key="far", occurred_at=datetime(2026, 1, 1, tzinfo=timezone(offset)))

    assert Episode.from_message(json.loads(json.dumps(episode.to_message()))).digest == episode.digest


def test_a_message_with_a_far_offset_stores_all_of_it(parts: Parts) -> None:
    told = [{"content": "one"}, {"content": "two", "occurred_at": "2026-01-01T00:00:00+16:00"}, {"content": "three"}]

    receipts = ingest(parts, {"user": "alice", "episodes": told}, id_="m1")

    assert [receipt.state for receipt in receipts] == ["stored"] * 3


@pytest.mark.parametrize(
    ("said", "day"),
    [(LATE_IN_NEW_YORK, datetime(2026, 3, 3, tzinfo=NEW_YORK)), (EARLY_IN_TOKYO, datetime(2026, 3, 4, tzinfo=TOKYO))],
)
def test_tomorrow_is_relative_to_the_speakers_day(alice: MemoryScope, said: datetime, day: datetime) -> None:
    learn(alice, "My dentist appointment is tomorrow.", occurred_at=said)

    found = alice.facts(as_of=day + timedelta(hours=12))

    assert [str(day.date()) in fact.object for fact in found if "dentist" in fact.object] == [True]


def test_a_recollection_has_the_time_of_the_speakers_clock(alice: MemoryScope) -> None:
    alice.push("I saw an owl in the garden.", occurred_at=LATE_IN_NEW_YORK)

    (found,) = [one for one in alice.recall("owl in the garden") if one.kind == "episode"]

    assert found.occurred == LATE_IN_NEW_YORK
    assert found.occurred.date() == LATE_IN_NEW_YORK.date()


def test_a_question_may_have_any_utc_offset(alice: MemoryScope) -> None:
    learn(alice, "I live in Oslo.", occurred_at=datetime(2026, 1, 1, tzinfo=UTC))

    assert alice.facts(as_of=datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=20))))


_ASK = """
import sys
from datetime import UTC, datetime
from slowwave import Memory
with Memory.connect() as memory:
    scope = memory.scope(user=sys.argv[1], agent=sys.argv[2])
    for one in scope.recall("where do I live?", as_of=datetime(2026, 3, 3, tzinfo=UTC)):
        print(one.text, round(one.score, 9))
"""


def test_the_ranking_in_tokyo_is_identical_to_utc(parts: Parts, scope: Scope, told: Told, url: str) -> None:
    parts.push(scope, told("I moved to Oslo.", "I live near a lake.", "I like tea.", "Where is my boat?"))
    Memory(parts).scope(scope.user, agent=scope.agent).consolidate()

    rankings = [_asked(url, scope, zone) for zone in ("UTC", "Asia/Tokyo")]

    assert rankings[0] == rankings[1]
    assert len(rankings[0].splitlines()) >= 4


def _asked(url: str, scope: Scope, zone: str) -> str:
    env = {**os.environ, "SLOWWAVE_URL": url, "TZ": zone, "PGTZ": zone}
    done = subprocess.run(
        [sys.executable, "-c", _ASK, scope.user, scope.agent], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout
