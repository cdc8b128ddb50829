"""Statements about news read only the beliefs that the news may change, by key."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from slowwave.cli.bench.sample_data import fill
from slowwave.domain.scope import Scope
from tests.contract.harness import Harness
from tests.module_database import harness
from tests.plans import reads

__all__ = ["harness"]

CROWD = 1_000
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
WORD, RARE = 7, 11
PRINT = b"p" * 32


@pytest.fixture(scope="module")
def crowd(harness: Harness) -> Scope:
    """A user with a thousand beliefs, one word that is in all of them, and one word that is in three."""
    scope, *_ = fill(harness.parts, scopes=10, facts=CROWD)
    harness.rows("INSERT INTO belief_words SELECT scope, %s, belief, tenant FROM beliefs", WORD)
    harness.rows("INSERT INTO belief_words SELECT scope, %s, belief, tenant FROM beliefs ORDER BY belief LIMIT 3", RARE)
    harness.rows(
        "WITH told AS (INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, valid, confidence, "
        "recorded, fingerprint, payload_digest) SELECT gen_random_uuid(), scope, tenant, 'p', 'r', 'noop', 'end', n, "
        "tstzrange('2026-01-01', NULL), 1, '2026-01-01'::timestamptz + n * interval '1 second', "
        "CASE WHEN n <= 2 THEN %s ELSE sha256(n::text::bytea) END, '' "
        "FROM scope_heads, generate_series(1, 500) AS n RETURNING id, tenant, position), "
        "worded AS (INSERT INTO delta_payloads (delta, tenant, payload) "
        """SELECT id, tenant, '{"claim": {"effect": "end"}}' FROM told) """
        "INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end) "
        "SELECT id, 0, tenant, id, 'k', position, 0, 1 FROM told",
        PRINT,
    )
    harness.rows("ANALYZE beliefs, belief_words, facts, deltas, delta_payloads, delta_sources")
    return scope


def asked(harness: Harness, crowd: Scope, name: str, **parameters: Any) -> dict[str, tuple[set[str], int]]:
    """Return the indexes of each table that a statement used, and the number of rows it read."""
    return reads(harness.superuser_url, name, tenant=crowd.tenant, **parameters).by_table()


def test_news_finds_the_beliefs_of_a_rare_word_by_that_word(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "beliefs/news/worded", scope=crowd.id, words=[RARE], since=LONG_AGO)

    assert read["belief_words"] == ({"belief_words_pkey"}, 3)
    assert read["facts"][0] == {"facts_open"}
    assert read["facts"][1] <= 6
    assert read["beliefs"][1] == 0


def test_a_common_word_reads_a_bounded_number_of_beliefs(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "beliefs/news/worded", scope=crowd.id, words=[WORD, RARE], since=LONG_AGO)

    assert read["belief_words"][1] <= CROWD + 3
    assert read["facts"][1] <= 2 * CROWD


def test_beliefs_without_words_are_found_by_their_own_index(harness: Harness, crowd: Scope) -> None:
    harness.rows(
        "UPDATE beliefs SET worded = false WHERE belief IN (SELECT belief FROM beliefs ORDER BY belief LIMIT 2)"
    )
    harness.rows("ANALYZE beliefs")

    read = asked(harness, crowd, "beliefs/news/worded", scope=crowd.id, words=[0], since=LONG_AGO)

    harness.rows("UPDATE beliefs SET worded = true")
    assert read["beliefs"] == ({"beliefs_wordless"}, 2)
    assert read["facts"][1] <= 4


def test_earlier_news_is_found_by_its_subject(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "beliefs/news/reported", scope=crowd.id, prints=[PRINT], since=LONG_AGO)

    assert "deltas_remembered" in read["deltas"][0] | read.get("", (set(), 0))[0]
    assert "Seq Scan" not in read["deltas"][0]
    assert read["deltas"][1] <= 4
    assert read["delta_payloads"] == ({"delta_payloads_pkey"}, 2)
    assert read["delta_sources"] == ({"delta_sources_pkey"}, 2)


def test_a_late_arrival_reads_claims_of_news_by_key(harness: Harness, crowd: Scope) -> None:
    since = datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC)
    read = asked(harness, crowd, "late_arrivals/endings_before", scope=crowd.id, facts=[], since=since)

    assert read["delta_payloads"] == ({"delta_payloads_pkey"}, 4)
    assert "Seq Scan" not in read["deltas"][0]


def test_words_are_stored_by_key_only(harness: Harness, crowd: Scope) -> None:
    read = asked(harness, crowd, "beliefs/news/keep", scope=crowd.id, words=[1, 2], beliefs=[1, 1])

    assert "belief_words" not in read
    assert "beliefs" not in read


def test_the_ending_turn_is_found_by_keys(harness: Harness, crowd: Scope) -> None:
    positions = list(range(1, 21))
    by = uuid.uuid4()
    harness.rows("UPDATE facts SET valid = tstzrange(lower(valid), slowwave_now()), ended_by = %s "
                 "WHERE scope = %s AND position <= 20", by, crowd.id)  # fmt: skip

    received = harness.column(
        "SELECT received FROM episode_keys WHERE scope = %s AND position <= 20 ORDER BY position", crowd.id
    )  # fmt: skip
    read = asked(
        harness, crowd, "recall/ended", roles="", scopes=[crowd.id] * 20, positions=positions, received=received,
        question="Where does Ann live?", now=None,
    )  # fmt: skip

    assert read["facts"][0] == {"facts_open_recent"}
    assert read["facts"][1] <= 20
    assert read.get("deltas", (set(), 0))[0] <= {"deltas_pkey"}


def test_the_correcting_turn_is_found_by_keys(harness: Harness, crowd: Scope) -> None:
    facts = harness.column("SELECT fact FROM facts WHERE scope = %s AND position <= 20", crowd.id)
    read = asked(
        harness, crowd, "recall/corrected", scopes=[crowd.id] * 20, positions=list(range(1, 21)), facts=facts,
        question="Where does Ann live?", now=None,
    )  # fmt: skip

    assert read.get("deltas", (set(), 0))[0] <= {"deltas_pkey"}
    assert "Seq Scan" not in read.get("facts", (set(), 0))[0]


@pytest.fixture(scope="module")
def turns(harness: Harness, crowd: Scope) -> Scope:
    """The same user; each scope has five hundred turns."""
    harness.rows(
        "INSERT INTO episode_keys (scope, id, tenant, position, received, digest) "
        "SELECT scope, gen_random_uuid(), tenant, n, now(), '' FROM scope_heads, generate_series(1, 500) AS n"
    )
    harness.rows(
        "INSERT INTO episodes (scope, position, received, tenant, id, key, occurred, session, role, kind, content) "
        "SELECT scope, position, received, tenant, id, 'k', received, 's', 'user', 'message', 'the piano' "
        "FROM episode_keys"
    )
    harness.rows("ANALYZE episode_keys, episodes")
    return crowd


def test_later_decisions_are_read_within_the_scope(harness: Harness, turns: Scope) -> None:
    read = asked(harness, turns, "late_arrivals/since", scope=turns.id, before=10_000, occurred=LONG_AGO)

    assert "Seq Scan" not in read["deltas"][0]
    assert read["deltas"][1] <= CROWD + 500
    assert read["delta_payloads"] == ({"delta_payloads_pkey"}, 500)
    assert read["delta_sources"] == ({"delta_sources_pkey"}, 500)


def test_a_late_fact_reads_only_keys_of_its_scope(harness: Harness, turns: Scope) -> None:
    harness.rows(
        "INSERT INTO runs "
        "(scope, tenant, job, pack, version, intent, lo, hi, fence, owner, started, finished, outcome) "
        "SELECT scope, tenant, 'consolidate', 'everyday', 1, 0, n, n, 0, 'ann', now(), now(), 'ok' "
        "FROM scope_heads, generate_series(1, 500) AS n"
    )
    harness.rows("ANALYZE runs")
    one = uuid.uuid4()

    late = asked(harness, turns, "reconsideration/any_late_arrival", scope=turns.id, pack="_reconsider", since=LONG_AGO)
    facts = asked(harness, turns, "reconsideration/facts_at", scope=turns.id, positions=[1, 2, 3])
    endings = asked(harness, turns, "reconsideration/endings_by", scope=turns.id, ids=[one])
    wanted = {"scope": turns.id, "pack": "everyday", "predicates": ["*"], "recent": 490}
    named, pointing = (asked(harness, turns, "beliefs/open_broad", **wanted, pointing=one) for one in (False, True))

    assert "Seq Scan" not in late["runs"][0]
    assert (facts["facts"][0], facts["deltas"][0]) == ({"facts_open_recent"}, {"deltas_pkey"})
    assert endings["deltas"] == ({"deltas_pkey"}, 0)
    assert named.get("runs", (set(), 0))[1] == 0
    assert pointing["runs"][0] <= {"runs_of_scope", "Bitmap Heap Scan"}
    assert pointing["runs"][1] < 50


def test_turns_read_again_are_found_by_keys_of_the_scope(harness: Harness, turns: Scope) -> None:
    for name, more in (
        ("late_arrivals/turns", {"words": ["piano", "the"], "most": 10}),
        ("late_arrivals/newest", {}),
        ("inbox/turn_order", {"pack": "everyday", "upto": 10_000}),
    ):
        read = asked(harness, turns, name, scope=turns.id, before=10_000, occurred=LONG_AGO, **more)
        read.pop("watermarks", None)  # a page, for which any plan is accepted

        assert [(table, by) for table, (by, rows) in read.items() if "Seq Scan" in by and rows] == []
        assert [(table, rows) for table, (_, rows) in read.items() if rows > 500] == []
