"""Statements of reconsideration read only new facts and facts near them, by key."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave.cli.bench.sample_data import fill
from slowwave.domain.model_calls import ENDS_UNHELD, UNHELD
from slowwave.domain.scope import Scope
from tests.contract.harness import Harness
from tests.module_database import harness
from tests.plans import reads

__all__ = ["harness"]

CROWD = 1_000
LATE = datetime(2030, 1, 1, tzinfo=UTC)
WORD, RARE = 7, 11


@pytest.fixture(scope="module")
def crowd(harness: Harness) -> Scope:
    """A user with a thousand beliefs, five of them new, and many refused claims and firings."""
    scope, *_ = fill(harness.parts, scopes=10, facts=CROWD)
    harness.rows("INSERT INTO belief_words SELECT scope, %s, belief, tenant FROM beliefs", WORD)
    harness.rows("INSERT INTO belief_words SELECT scope, %s, belief, tenant FROM beliefs ORDER BY belief LIMIT 3", RARE)
    harness.rows(
        "UPDATE deltas SET recorded = %s::timestamptz + random() * interval '1 hour' WHERE id IN "
        "(SELECT id FROM deltas WHERE scope = %s AND kind = 'add' ORDER BY recorded DESC LIMIT 5)",
        LATE, scope.id,
    )  # fmt: skip
    harness.rows(
        "INSERT INTO model_rejected (tenant, scope, pack, request, run, position, reason) "
        "SELECT 'default', CASE n %% 200 WHEN 0 THEN %s ELSE md5((n %% 200)::text)::uuid END, 'reader', 'r', 1, n, %s "
        "FROM generate_series(1, 100000) AS n",
        scope.id,
        ENDS_UNHELD,
    )
    harness.rows(
        "INSERT INTO fact_vectors (scope, fact, space, tenant, embedding) "
        "SELECT scope, fact, 1, tenant, '[1,0]' FROM facts ON CONFLICT DO NOTHING"
    )
    harness.rows(
        "INSERT INTO firings (schedule, scope, at_window, tenant, fired_by) "
        "SELECT s, scope, n, tenant, 't' FROM scope_heads, generate_series(1, 200) AS n, "
        "unnest(ARRAY['reconsider/cron', 'decay/cron', 'manual']) AS s"
    )
    harness.rows("ANALYZE beliefs, belief_words, facts, deltas, fact_vectors, model_rejected, firings")
    return scope


def asked(harness: Harness, crowd: Scope, name: str, **parameters: Any) -> dict[str, tuple[set[str], int]]:
    """Return the indexes of each table that a statement used, and the number of rows it read."""
    return reads(harness.superuser_url, f"reconsideration/{name}", tenant=crowd.tenant, **parameters).by_table()


def test_new_facts_are_read_without_older_ones(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "new_facts", scope=crowd.id, since=LATE, most=1_000)

    assert read["deltas"][0] <= {"deltas_scope_recorded_key", "deltas_in_order"}
    assert read["deltas"][1] == 5
    assert read["facts"] == ({"facts_of_delta"}, 5)


def test_news_that_ended_nothing_is_read_without_older_news(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "unmatched_news", scope=crowd.id, since=LATE, effects=["end"], most=1_000)

    assert read["deltas"][0] <= {"deltas_scope_recorded_key", "deltas_in_order"}
    assert read["deltas"][1] <= 5


def test_common_words_are_counted_in_the_index(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "common_words", scope=crowd.id, words=[RARE], most=50)

    assert read["belief_words"] == ({"belief_words_pkey"}, 3)


def test_pairs_are_compared_one_by_one(harness: Harness, crowd: Scope) -> None:
    facts = harness.column("SELECT fact FROM fact_vectors WHERE scope = %s LIMIT 4", crowd.id)
    read = asked(harness, crowd, "cosines", scope=crowd.id, news=facts[:2], beliefs=facts[2:])

    assert read["fact_vectors"] == ({"fact_vectors_pkey"}, 4)


def test_refused_claims_are_read_from_the_last_on(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "unmatched_endings", scope=crowd.id, since=LATE, reasons=sorted(UNHELD), most=200)

    assert read["model_rejected"] == ({"model_rejected_scope"}, 200)


def test_firings_of_the_job_are_looked_up(harness: Harness, crowd: Scope) -> None:
    schedules = ["reconsider/cron", "reconsider/interval", "reconsider/manual"]
    read = asked(
        harness, crowd, "schedule_fired", role="slowwave_dispatch", schedules=schedules, scope=crowd.id, after=None
    )

    assert read["firings"][1] == 200, "of other jobs none"
    assert "firings_pkey" in {*read["firings"][0], *read.get("", (set(), 0))[0]}


def test_existing_reviews_are_looked_up_by_index(harness: Harness, crowd: Scope) -> None:
    harness.rows(
        "INSERT INTO dead_letters (tenant, scope, pack, episode, position, category, reason, item, state) SELECT "
        "'default', CASE n % 200 WHEN 0 THEN %s ELSE md5((n % 200)::text)::uuid END, '_reconsider', "
        "md5(n::text)::uuid, n, 'conflict', 'r', jsonb_build_object('delta', md5(n::text)::uuid), 'decided' "
        "FROM generate_series(1, 20000) AS n".replace("n % ", "n %% "),
        crowd.id,
    )
    harness.rows("ANALYZE dead_letters")
    read = asked(harness, crowd, "existing_deltas", scope=crowd.id, pack="_reconsider", ids=[crowd.id], unsure="[]")

    assert read["dead_letters"][1] <= 100
    assert "dead_letters_conflicts" in {*read["dead_letters"][0], *read.get("", (set(), 0))[0]}
    assert read["deltas"][0] == {"deltas_pkey"}


def test_the_progress_of_judgements_is_one_row(harness: Harness, crowd: Scope) -> None:
    kept = asked(harness, crowd, "store_progress", scope=crowd.id, told=LATE, since=None, waiting=None)
    read = asked(harness, crowd, "asked_until", run=1)

    assert set(kept) <= {"scope_heads"}, "it guards its row by the key"
    assert sum(rows for _, rows in read.values()) <= 2, read


def test_turns_without_facts_are_read_from_the_last_runs(harness: Harness, crowd: Scope) -> None:
    harness.rows(
        "INSERT INTO runs (tenant, scope, job, pack, version, intent, lo, hi, fence, owner, started, "
        "finished, outcome) "
        "SELECT 'default', CASE n %% 200 WHEN 0 THEN %s ELSE md5((n %% 200)::text)::uuid END, 'consolidate', 'p', "
        "1, n, "
        "n, n + 1, 1, 'o', %s, %s, 'ok' FROM generate_series(1, 100000) AS n",
        crowd.id, LATE, LATE + timedelta(minutes=1),
    )  # fmt: skip
    harness.rows("ANALYZE runs")
    read = asked(harness, crowd, "turns_without_facts", scope=crowd.id, since=LATE, runs=300, most=300)

    assert read["runs"] == ({"runs_of_scope"}, 300)
    assert read["deltas"][1] == 5
