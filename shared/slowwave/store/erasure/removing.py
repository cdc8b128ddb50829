"""The removal of content from rows, and the rewrite of tables, indexes, statistics and the write-ahead log."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from psycopg import sql as composed
from sqlalchemy import Connection

from slowwave.domain.personal_data import of_words
from slowwave.errors import Conflict
from slowwave.store.database import translated
from slowwave.store.engine import engine

GONE = "erased"
"""The text that replaces erased words in columns that cannot be NULL."""
_HERE = "t.scope = %(scope)s"
_AT = f"{_HERE} AND (%(everything)s OR t.position = ANY(%(positions)s::bigint[]))"
_SESSION = f"{_HERE} AND (%(everything)s OR t.session = ANY(%(sessions)s::text[]))"
_FACT = f"{_HERE} AND (%(everything)s OR t.fact = ANY(%(facts)s::uuid[]))"
_ENTITY = f"{_HERE} AND (%(everything)s OR t.entity = ANY(%(entities)s::uuid[]))"
_WHOLE = f"{_HERE} AND %(everything)s"
_LETTER = f"item = NULL, reason = '{GONE}', state = CASE WHEN state = 'open' THEN 'dropped' ELSE state END"
_REASON_GONE = """payload = payload || '{"reason": ""}'"""
_TARGET = "EXISTS (SELECT FROM erasure_targets AS e WHERE e.erasure = %(erasure)s AND e.scope = t.scope)"
_TARGET_OF_DELTA = (
    "SELECT FROM deltas AS d JOIN erasure_targets AS e ON e.scope = d.scope "
    "WHERE d.id = t.delta AND e.erasure = %(erasure)s"
)
"""A check tolerates an empty reason only in a scope with an erasure."""
_NAMELESS = "NOT %(nameless)s OR t.user_id IS NOT DISTINCT FROM %(user)s"
LOCK = "5s"
"""The longest wait for the lock of a table. Other transactions queue behind a waiting lock request."""
_PARTITIONED = ("audit_log", "episodes")
MOST_SWITCHES = 64
"""The maximum number of switches to a next segment of the write-ahead log. The server keeps fewer (`max_wal_size`)."""
_PARTITIONS = """
SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = ANY(%(tables)s::text[]::regclass[]) ORDER BY 1
"""
_CLEAR = """
SELECT pg_clear_attribute_stats(c.relnamespace::regnamespace::text, c.relname::text, a.attname::text, inherited)
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN (VALUES (false), (true)) AS kinds (inherited)
WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY(%(tables)s::text[])
"""


@dataclass(frozen=True, slots=True)
class Removal:
    """The rows of a *table* to erase.

    *emptied* is the SET clause that empties the rows. If *emptied* is empty, the rows are deleted.
    """

    table: str
    where: str
    emptied: str = ""

    @property
    def statement(self) -> str:
        """The SQL statement of this removal, which returns the number of rows by table or partition."""
        change = f"{self.table} AS t SET {self.emptied}" if self.emptied else f"FROM {self.table} AS t"
        verb = "UPDATE" if self.emptied else "DELETE"
        gone = f"{verb} {change} WHERE {self.where} RETURNING t.tableoid"
        return f"WITH gone AS ({gone}) SELECT tableoid::regclass::text, count(*) FROM gone GROUP BY 1"  # noqa: S608 - ours


def _audited(*, sessions: str, owners: str) -> str:
    """Return the SET clause of audit rows. Their sessions go if *sessions* holds, their owners if *owners* holds."""
    gone = {name: sessions.format(name) for name in ("session_id", "conversation_id")}
    gone |= dict.fromkeys(("user_id", "source_channel", "target_channels", "promoted_from_channel"), owners)
    kept = [f"{name} = CASE WHEN {condition} THEN NULL ELSE t.{name} END" for name, condition in gone.items()]
    return ", ".join(["detail = '{}', query_text = NULL, error_message = NULL", *kept])


def _memory(column: str) -> str:
    return f"(%(everything)s OR t.{column} = ANY(%(memories)s::uuid[]))"


OF_A_SCOPE: Sequence[Removal] = (
    Removal("episode_vectors", _AT),
    Removal("unread_turns", _AT),
    Removal("episodes", _AT),
    Removal("delta_payloads", "t.delta = ANY(%(deltas)s::uuid[])"),
    Removal("delta_payloads", "t.delta = ANY(%(beside)s::uuid[])", _REASON_GONE),
    Removal(
        "delta_sources",
        "t.key <> '' AND EXISTS (SELECT FROM deltas AS d WHERE d.id = t.delta AND d.scope = %(scope)s) AND ("
        "%(everything)s OR (t.origin IS NULL AND t.position = ANY(%(positions)s::bigint[])) OR EXISTS ("
        "SELECT FROM erasure_targets AS o WHERE o.erasure = %(erasure)s AND o.scope = t.origin "
        "AND (o.everything OR t.position = ANY(o.positions))))",
        "key = ''",
    ),
    Removal(
        "facts",
        f"{_FACT} AND t.predicate <> '_erased'",
        "subject = '', predicate = '_erased', object = '', session = '', text = '', terms = ''",
    ),
    Removal("fact_vectors", _FACT),
    Removal(
        "belief_words",
        "t.scope = %(scope)s AND (%(everything)s OR EXISTS (SELECT FROM facts AS f WHERE f.scope = t.scope "
        "AND f.belief = t.belief AND f.fact = ANY(%(facts)s::uuid[])) AND NOT EXISTS (SELECT FROM facts AS f "
        "WHERE f.scope = t.scope AND f.belief = t.belief AND f.predicate <> '_erased'))",
    ),
    Removal("edges", _FACT),
    Removal("entity_vectors", _ENTITY),
    Removal("entities", _ENTITY),
    Removal(
        "standing",
        f"{_HERE} AND (%(everything)s OR t.memory = ANY(%(ids)s::uuid[] || %(facts)s::uuid[] || %(entities)s::uuid[] "
        "|| %(memories)s::uuid[]))",
    ),
    Removal("word_blocks", _WHOLE),
    Removal("vector_blocks", _WHOLE),
    Removal("goals", f"{_HERE} AND {_memory('goal')}"),
    Removal("consensus", f"{_HERE} AND {_memory('record')}"),
    Removal(
        "strategies",
        f"{_HERE} AND ({_memory('strategy')} OR t.fact = ANY(%(facts)s::uuid[]) "
        "OR (t.task = ANY(%(tasks)s::text[]) AND t.tools && %(tools)s::text[]))",
    ),
    Removal(
        "tool_stats",
        f"{_HERE} AND (%(everything)s OR (t.task = ANY(%(tasks)s::text[]) AND t.tool = ANY(%(tools)s::text[])))",
    ),
    Removal(
        "sightings",
        f"{_HERE} AND (%(everything)s OR EXISTS (SELECT FROM jsonb_array_elements(t.sources) AS source (one) "
        "WHERE (one ->> 2)::bigint = ANY(%(positions)s::bigint[])))",
    ),
    Removal("conversations", _SESSION),
    Removal("segments", _SESSION),
    Removal("running_segments", _SESSION),
    Removal("model_summaries", _SESSION),
    Removal("tree_nodes", f"{_HERE} AND (%(everything)s OR %(regrow)s)"),
    Removal(
        "firings",
        f"{_HERE} AND (%(everything)s AND t.at_window ~ '[^0-9/]' OR EXISTS ("
        "SELECT FROM unnest(%(sessions)s::text[]) AS gone (session) WHERE strpos(t.at_window, gone.session) > 0))",
    ),
    Removal(
        "promotions",
        "(t.target = %(scope)s AND (%(everything)s OR t.fact = ANY(%(facts)s::uuid[]))) "
        "OR (t.source_scope = %(scope)s AND (%(everything)s OR t.source_fact = ANY(%(facts)s::uuid[])))",
        "policy = '{}', undone = coalesce(undone, slowwave_now()), due = NULL",
    ),
    Removal("model_rejected", _AT, f"said = NULL, reason = '{GONE}'"),
    Removal("model_requests", f"{_HERE} AND t.state = 'erased'", "reason = NULL, last = NULL"),
    Removal("dead_letters", _AT, _LETTER),
    Removal(
        "runs",
        f"{_HERE} AND t.error IS NOT NULL AND (%(everything)s OR EXISTS ("
        "SELECT FROM unnest(%(positions)s::bigint[]) AS at (position) WHERE position BETWEEN t.lo AND t.hi))",
        "error = NULL",
    ),
    Removal(
        "audit_log",
        "t.scope = %(scope)s AND (%(everything)s OR t.session_id = ANY(%(sessions)s::text[]) "
        "OR t.detail -> 'sessions' ?| %(sessions)s::text[] "
        "OR t.affected && (%(facts)s::uuid[] || %(ids)s::uuid[] || %(memories)s::uuid[]) "
        "OR (t.query_text IS NOT NULL AND t.at >= %(since)s) OR EXISTS (SELECT FROM runs AS r "
        "WHERE r.run = t.run AND r.scope = t.scope AND EXISTS (SELECT FROM unnest(%(positions)s::bigint[]) "
        "AS p (position) WHERE position BETWEEN r.lo AND r.hi)))",
        _audited(sessions="%(everything)s OR t.{0} = ANY(%(sessions)s::text[])", owners="%(everything)s"),
    ),
    Removal("undos", f"{_WHOLE} AND t.applied IS NOT NULL", f"what = '{GONE}', reason = '', by_whom = '{GONE}'"),
    Removal("legal_holds", _WHOLE, f"reason = '{GONE}'"),
    Removal(
        "scope_heads",
        f"{_WHOLE} AND %(nameless)s",
        "user_id = %(pseudonym)s, erased = slowwave_now(), "
        "channel = CASE channel WHEN '_global' THEN channel ELSE 'erased-' || t.scope END",
    ),
)
"""The removals from a scope, in this order."""

OF_A_TENANT: Sequence[Removal] = (
    Removal("dead_letters", "t.letter = ANY(%(letters)s::bigint[])", _LETTER),
    Removal(
        "audit_log",
        "t.id = ANY(%(audits)s::bigint[])",
        _audited(sessions=_NAMELESS, owners=_NAMELESS),
    ),
    Removal("undos", f"t.undo = ANY(%(undos.reason)s::uuid[]) AND {_TARGET}", "reason = ''"),
    Removal("undos", f"t.undo = ANY(%(undos.by_whom)s::uuid[]) AND {_TARGET}", f"by_whom = '{GONE}'"),
    Removal("legal_holds", "t.hold = ANY(%(legal_holds)s::bigint[]) AND t.released IS NOT NULL", f"reason = '{GONE}'"),
    Removal(
        "delta_payloads",
        f"t.delta = ANY(%(delta_payloads)s::uuid[]) AND EXISTS ({_TARGET_OF_DELTA})",
        _REASON_GONE,
    ),
    Removal("promotions", "t.promotion = ANY(%(promotions)s::bigint[])", """policy = policy || '{"by_hand": ""}'"""),
    Removal("model_calls", "t.user_id = %(user)s AND %(nameless)s", "user_id = NULL"),
    Removal("quotas", "t.user_id = %(user)s AND %(nameless)s"),
    Removal(
        "webhooks",
        "t.user_id = %(user)s AND %(nameless)s",
        "user_id = NULL, channel = NULL, trouble = NULL, secret = '', removed = coalesce(removed, slowwave_now())",
    ),
)
"""The removals of content outside of scopes."""


def remove(connection: Connection, removals: Sequence[Removal], asked: Mapping[str, Any]) -> Counter[str]:
    """Carry out *removals*; return the number of changed rows by table or partition."""
    found: Counter[str] = Counter()
    for removal in removals:
        for name, count in connection.exec_driver_sql(removal.statement, asked):
            found[name] += count
    return found


def rewrite(owner_url: str, touched: Sequence[str] | None, *, wal: bool) -> None:
    """Rewrite all tables that hold words, with their indexes and statistics. Of partitions, only those *touched* are
    rewritten; None means all.

    *owner_url* connects as slowwave_owner. If *wal* is True, also remove the old write-ahead log, which only an
    embedded server allows. Each table is locked only while it is rewritten. Raises `Conflict` if somebody keeps a table
    locked.
    """
    tables = [table for table in of_words() if table not in _PARTITIONED]
    owner = engine(owner_url, pool_size=1)
    with translated(), ExitStack() as stack:
        stack.callback(owner.dispose)
        connection = stack.enter_context(owner.connect())
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        alone.exec_driver_sql(f"SET lock_timeout = '{LOCK}'")
        alone.exec_driver_sql("SET statement_timeout = 0")
        if touched is None:
            touched = alone.exec_driver_sql(_PARTITIONS, {"tables": list(_PARTITIONED)}).scalars().all()
        partitions = [table for table in touched if table.startswith(_PARTITIONED)]
        _clear_statistics(alone, [*tables, *partitions, *_PARTITIONED])
        for table in [*tables, *partitions]:
            _vacuum(alone, table)
        for table in _PARTITIONED:  # statistics of the whole
            _run(alone, "ANALYZE {}", table)
        _vacuum(alone, "pg_catalog.pg_statistic")
        if wal:
            _end_log(alone)


def _clear_statistics(connection: Connection, tables: Sequence[str]) -> None:
    """Remove the statistics of these tables, because ANALYZE of an empty table would leave old statistics."""
    if connection.exec_driver_sql("SELECT to_regproc('pg_clear_attribute_stats')").scalar() is not None:
        with translated():
            connection.exec_driver_sql(_CLEAR, {"tables": list(tables)})


def _vacuum(connection: Connection, table: str) -> None:
    try:
        _run(connection, "VACUUM (FULL, ANALYZE) {}", table)
    except Conflict as error:
        raise Conflict(
            f"{table} is in use and cannot be rewritten now",
            hint="run `slowwave forget --rewrite` when less is going on",
        ) from error


def _run(connection: Connection, statement: str, table: str) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    name = composed.Identifier(*table.split("."))
    with translated():
        connection.exec_driver_sql(composed.SQL(statement).format(name).as_string(driver))


def _end_log(connection: Connection) -> None:
    """Switch the write-ahead log past all segments, including preallocated ones, so that the server removes them."""
    segments = connection.exec_driver_sql("SELECT count(*) FROM pg_ls_waldir()").scalar_one()
    for _ in range(min(segments + 1, MOST_SWITCHES)):
        connection.exec_driver_sql("SELECT pg_logical_emit_message(false, 'slowwave', 'switch')")
        connection.exec_driver_sql("SELECT pg_switch_wal()")
    connection.exec_driver_sql("CHECKPOINT")
