"""Each query of a verb reads little more than the rows it returns, whatever the size of the scope."""

import uuid
from dataclasses import asdict
from typing import Any

import psycopg
import pytest

from slowwave.cli.bench.sample_data import fill
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE, SUMMARISE, SWEEP, pack_of
from slowwave.domain.queries.episode import EpisodeFilters
from slowwave.domain.scope import Scope
from slowwave.store.queries.episodes import AFTER_ALL, BEFORE_ALL, LAST
from slowwave.store.statements import sql
from slowwave.wiring import Parts
from tests.module_database import harness, parts, superuser, url
from tests.plans import touched
from tests.scripts import script

__all__ = ["harness", "parts", "superuser", "url"]

CROWD = 5_000


@pytest.fixture(scope="module")
def crowded(parts: Parts, superuser: psycopg.Connection) -> Scope:
    """A scope of thousands of episodes in a hundred sessions, the last ten of which no worker has prepared."""
    scope = Scope("default", "alice", "concierge")
    parts.push(scope, [Episode(content="first", key="first")])
    superuser.execute(
        script(__file__, "reading_plans.sql").encode(),
        {"scope": scope.id, "crowd": CROWD},
    )
    superuser.execute("UPDATE scope_heads SET head = %s", (CROWD,))
    superuser.execute("UPDATE watermarks SET position = %(done)s, planned = %(done)s", {"done": CROWD - 10})
    superuser.execute(
        "INSERT INTO conversations (scope, session, tenant, first_at, last_at, episodes, touched) "
        "SELECT scope, session, tenant, min(occurred), max(occurred), count(*), max(received) FROM episodes "
        "WHERE position <= %s GROUP BY 1, 2, 3",
        (CROWD - 10,),
    )
    superuser.execute(
        "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created) "
        "SELECT scope, id, tenant, 'episodic', 'cold', 0.5, received FROM episodes"
    )
    superuser.execute("ANALYZE episodes, episode_keys, conversations, standing, watermarks")
    return scope


def read(found: list[tuple[str, str, int]], table: str) -> tuple[set[str], int]:
    """Return the indexes that were used to read *table*, and the number of its rows that were read."""
    mine = [(index, rows) for name, index, rows in found if name.startswith(table)]
    return {index for index, rows in mine if rows}, sum(rows for _, rows in mine)


@pytest.mark.parametrize(
    ("statement", "position", "time"),
    [
        ("newest", LAST, AFTER_ALL),
        ("newest", 2_500, AFTER_ALL),
        ("oldest", 0, BEFORE_ALL),
        ("oldest", 2_500, BEFORE_ALL),
    ],
)
def test_a_page_of_episodes_reads_the_page(url: str, crowded: Scope, statement: str, position: int, time: Any) -> None:
    page: dict[str, Any] = {"scopes": [crowded.id], "positions": [position], "times": [time], "most": 20}
    found = touched(url, sql(f"queries/{statement}"), **asdict(EpisodeFilters()), **page)

    indexes, rows = read(found, "episodes")
    assert rows <= 25, found
    assert all(index.endswith("_pkey") for index in indexes), found
    assert read(found, "conversations")[1] <= 100


@pytest.fixture(scope="module")
def foreign(crowded: Scope, superuser: psycopg.Connection) -> Scope:
    """The same scope with every fifth turn unread, among many other scopes."""
    superuser.execute(
        "INSERT INTO unread_turns (scope, position, tenant, received, session, language) "
        "SELECT scope, position, tenant, received, session, 'de' FROM episodes WHERE position % 5 = 0"
    )
    superuser.execute(
        "INSERT INTO unread_turns (scope, position, tenant, received, session, language) "
        "SELECT md5('o' || n % 50)::uuid, n, 'default', now() - interval '1 year', 's', 'es' "
        "FROM generate_series(1, 50000) AS n"
    )
    superuser.execute("ANALYZE unread_turns")
    return crowded


def test_a_page_of_unread_turns_reads_the_page(url: str, foreign: Scope) -> None:
    page: dict[str, Any] = {"scopes": [foreign.id], "positions": [LAST], "times": [AFTER_ALL], "most": 20}
    found = touched(url, sql("queries/unread"), **page)

    assert read(found, "unread_turns")[1] <= CROWD // 5, found
    assert "unread_turns_pkey" in {index for _, index, _ in found}
    assert read(found, "episodes")[1] <= 25, found


def test_unread_turns_are_counted_without_the_episodes_and_by_the_day_without_the_older_ones(
    url: str, foreign: Scope
) -> None:
    of_scopes = touched(url, sql("queries/unread_languages"), scopes=[foreign.id])
    of_days = touched(url, sql("queries/unread_since"), days=7)

    assert read(of_scopes, "unread_turns")[1] == CROWD // 5
    assert read(of_scopes, "episode") == (set(), 0)
    assert read(of_days, "unread_turns")[1] == CROWD // 5
    assert "unread_turns_received" in {index for _, index, _ in of_days}


def test_a_run_reads_only_unread_turns_of_its_window(url: str, foreign: Scope) -> None:
    span: dict[str, Any] = {"scope": foreign.id, "lo": 101, "hi": 200, "only": None}
    gone = touched(url, sql("queries/languages_read"), **span, languages=["de"])
    kept = touched(url, sql("queries/add_unread"), scope=foreign.id, positions=[7, 8, 9], languages=["de", "es", "de"])

    assert read(gone, "unread_turns")[1] == 20, gone
    assert read(kept, "episode_keys") == ({"episode_keys_scope_position_key"}, 3), kept
    assert sum(rows for name, _, rows in kept if name.startswith("episodes")) == 3, kept


def test_calls_of_tools_are_found_without_the_turns_between(
    url: str, crowded: Scope, superuser: psycopg.Connection
) -> None:
    superuser.execute("UPDATE episodes SET kind = 'tool_call' WHERE position IN (7, 2500)")
    superuser.execute("ANALYZE episodes")
    page: dict[str, Any] = {"scopes": [crowded.id], "positions": [LAST], "times": [AFTER_ALL], "most": 20}
    found = touched(url, sql("queries/newest"), **asdict(EpisodeFilters(kinds=["tool_call"])), **page)

    assert read(found, "episodes")[1] == 2, found


def test_episodes_by_their_ids_are_looked_up(url: str, crowded: Scope) -> None:
    ids = [uuid.uuid4(), crowded.episode_id("first")]
    found = touched(url, sql("queries/by_ids"), scopes=[crowded.id], ids=ids)

    assert read(found, "episode_keys") == ({"episode_keys_pkey"}, 1)
    assert read(found, "episodes")[1] == 1


def test_the_nearest_episodes_are_read_from_the_scopes_vectors_and_looked_up(
    url: str, crowded: Scope, superuser: psycopg.Connection
) -> None:
    superuser.execute("INSERT INTO embedding_spaces (tenant, name, dimensions) VALUES ('default', 'plain', 2)")
    superuser.execute(
        "INSERT INTO episode_vectors (scope, position, space, tenant, embedding) SELECT scope, position, (SELECT space "
        "FROM embedding_spaces WHERE name = 'plain'), tenant, '[1,0]' FROM episode_keys WHERE position <= 9"
    )
    superuser.execute("ANALYZE episode_vectors")
    asked: dict[str, Any] = {"scopes": [crowded.id], "space": "plain", "since": None, "most": 3}
    statement = sql("queries/nearest").replace("%(vector)b", "%(vector)s")
    found = touched(url, statement, vector="[1,0]", **asked)

    assert read(found, "episode_vectors")[1] == 9, found
    assert read(found, "episodes")[1] == 9, found


def test_conversations_are_read_from_their_rows_and_unprepared_episodes(url: str, crowded: Scope) -> None:
    anything = dict.fromkeys(("sessions", "archived", "last_at", "scope", "session"))
    asked: dict[str, Any] = {"scopes": [crowded.id], "pack": pack_of(PREPARE), "most": 10, **anything}
    found = touched(url, sql("queries/conversations"), **asked)

    assert read(found, "episodes")[1] == 10, found
    assert read(found, "conversations")[1] == 101, "a hundred sessions, and that of the first episode"


def test_standings_are_looked_up_by_key(url: str, crowded: Scope) -> None:
    memories = [crowded.episode_id("first"), uuid.uuid4()]
    found = touched(url, sql("recall/standings"), scopes=[crowded.id] * 2, memories=memories)

    assert read(found, "standing") == ({"standing_pkey"}, 1)


def test_summaries_and_sources_are_looked_up_by_key(url: str, crowded: Scope, superuser: psycopg.Connection) -> None:
    superuser.execute(
        "INSERT INTO watermarks (scope, pack, tenant) "
        "SELECT md5(n::text)::uuid, %s, 'default' FROM generate_series(1, 2000) AS n",
        (pack_of(SUMMARISE),),
    )
    superuser.execute("ANALYZE watermarks")
    found = touched(url, sql("summaries/summarised_until"), scope=crowded.id, pack=pack_of(SUMMARISE))
    assert sum(rows for _, _, rows in found) <= 2, found

    found = touched(url, sql("summaries/line_sources"), facts=[uuid.uuid4()])
    assert sum(rows for _, _, rows in found) == 0
    assert "delta_sources_pkey" in {index for _, index, _ in found}
    assert not any("Seq Scan" in index for _, index, _ in found)


def test_a_session_start_finds_a_due_sweep_by_index(url: str, crowded: Scope, superuser: psycopg.Connection) -> None:
    superuser.execute("UPDATE standing SET sweep_due = created + make_interval(days => 1 + (random() * 9)::int)")
    superuser.execute("ANALYZE standing")
    asked: dict[str, Any] = {"scope": crowded.id, "job": SWEEP, "pack": pack_of(SWEEP), "key": "k", "by": "test"}
    found = touched(url, sql("schedule/fire_sweep"), **asked)

    assert read(found, "standing")[1] == 0, found
    assert [index for table, index, _ in found if table == "standing"] == ["standing_sweep_due"]


def test_a_profile_reads_the_facts_that_are_believed_now(url: str, parts: Parts, superuser: psycopg.Connection) -> None:
    mine, _ = fill(parts, scopes=2, facts=2_000)
    superuser.execute("ANALYZE facts")
    found = touched(url, sql("queries/profile"), scopes=[mine.id], called=[None], most=50)

    assert ("", "facts_open_recent", 0) in found
    assert read(found, "facts")[1] == 2_000, "of the other scope nothing"
