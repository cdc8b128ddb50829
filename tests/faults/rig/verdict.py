"""The invariants after any fault: no acknowledged episode is lost, none counts twice, and no work is left."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Self
from uuid import UUID

import psycopg
from sqlalchemy import Connection

from slowwave import wiring
from slowwave.jobs.ingest import BATCH
from slowwave.memory import due_work
from slowwave.store.beliefs.digest import digest as stored_digest
from slowwave.store.beliefs.digest import rebuilt as stored_rebuilt
from tests.faults.rig.corpus import NOTHING, Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import DEADLINE_SECONDS, until

AT_ONCE = "intents WHERE job IN ('prepare', 'consolidate', 'retry')"
"""The work that pushes and retries request; summaries and patterns are left to the night."""
DUE = "intents WHERE due <= now()"
"""Work that a tick requested, such as a further reconsideration after a late arrival."""
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a corpus: the digest of the beliefs, and the number of equal deltas.

    A delta is given by its user, kind, rule, mode, position, predicate and object.
    """

    digest: str
    deltas: Counter[tuple[str, ...]]

    def without(self, other: Self) -> list[str]:
        """Return the deltas that *other* lacks, in words."""
        return [" ".join(delta) for delta in sorted((self.deltas - other.deltas).elements())]


def undisturbed(ground: Ground, told: Corpus, **more: object) -> Outcome:
    """Return the outcome of *told* without faults: one process, a database of its own, no broker."""
    with ground.database() as database:
        return lived_through(ground, database, told, **more)


def lived_through(ground: Ground, database: str, told: Corpus, **more: object) -> Outcome:
    """Push all of *told* to *database* without faults, and return the outcome; *more* are settings."""
    parts = wiring.connect(ground.settings(database, **{"broker_url": None, "window": 200, **more}))
    wiring.register(parts)
    for scope, episodes in sorted(told.by_scope().items()):
        for start in range(0, len(episodes), BATCH):
            parts.push(scope, episodes[start : start + BATCH])
    due_work.fire(parts)
    while due_work.is_due(parts):
        due_work.run_next(parts, owner="undisturbed")
    with parts.database.tenant(told.scopes[0].tenant) as connection:
        outcome = outcome_of(connection)
    parts.database.close()
    speaking = sum(1 for _, episode in told.said if not episode.content.startswith(NOTHING))
    assert sum(outcome.deltas.values()) > speaking / 2, "the corpus says too little to prove anything"
    return outcome


def outcome_of(connection: Connection) -> Outcome:
    """Return the result in the tenant of *connection*."""
    rows = connection.exec_driver_sql(
        "SELECT user_id, kind, rule, mode, d.position::text, payload ->> 'predicate', payload ->> 'object' "
        "FROM deltas d JOIN scope_heads USING (scope) LEFT JOIN delta_payloads p ON p.delta = d.id"
    )
    return Outcome(stored_digest(connection), Counter(tuple(map(str, row)) for row in rows))


def settle(ground: Ground, database: str, told: Corpus, *, seconds: float = DEADLINE_SECONDS) -> None:
    """Wait until all of *told* is stored and every pack has consolidated all of it."""

    def done() -> bool:
        try:
            with ground.superuser(database) as connection:
                return _settled(connection, len(told.said))
        except psycopg.OperationalError:
            return False  # the server is down or starting

    until(done, "everything is stored and consolidated", seconds=seconds, otherwise=lambda: state(ground, database))


def _settled(connection: psycopg.Connection, episodes: int) -> bool:
    query = (
        f"SELECT coalesce((SELECT sum(head) FROM scope_heads), 0) = %s AND NOT EXISTS (SELECT FROM {AT_ONCE}) "
        f"AND NOT EXISTS (SELECT FROM {DUE}) AND NOT EXISTS (SELECT FROM runs WHERE finished IS NULL) "
        "AND NOT EXISTS (SELECT FROM watermarks w JOIN scope_heads h USING (scope) JOIN packs p USING (pack) "
        "WHERE p.active AND p.job IN ('prepare', 'consolidate') AND w.position <> h.head)"
    )
    row = connection.execute(query.encode(), [episodes]).fetchone()
    return bool(row and row[0])


def state(ground: Ground, database: str) -> str:
    """Return the stored, pending and running work, for the message of a failing test."""
    lines = []
    with ground.superuser(database) as connection:
        for table, columns, order in (
            ("scope_heads", "scope, head", "scope"),
            ("watermarks", "scope, pack, position, suspect", "scope"),
            (
                "intents",
                "scope, job, pack, state, lo, hi, target, due - now() AS due, fence, vanished, strikes",
                "intent",
            ),
            ("scope_leases", "scope, fence, owner, until - now() AS until", "scope"),
            ("runs", "run, scope, job, pack, lo, hi, fence, owner, outcome, error", "run DESC LIMIT 100"),
            ("dead_letters", "pack, position, category, reason", "letter"),
        ):
            rows = connection.execute(f"SELECT {columns} FROM {table} ORDER BY {order}").fetchall()
            lines += [f"{table} ({columns}):", *(f"  {' '.join(map(str, row))}" for row in rows)]
    return "\n".join(lines)


def account(ground: Ground, database: str, told: Corpus, expected: Outcome, acknowledged: Mapping[str, int]) -> str:
    """Return the numbers of acknowledged, lost and doubled episodes, the digests, and the first differing deltas."""
    with ground.superuser(database) as connection:
        ((size,),) = connection.execute("SELECT pg_database_size(current_database()) / 1000000").fetchall()
        keys = Counter(key for (key,) in connection.execute("SELECT key FROM episodes").fetchall())
    parts = wiring.connect(ground.settings(database, broker_url=None))
    try:
        with parts.database.tenant(told.scopes[0].tenant) as app:
            found = outcome_of(app)
    finally:
        parts.database.close()
    lost = sum(1 for key in acknowledged if key not in keys)
    doubled = sum(1 for times in keys.values() if times > 1)
    more, fewer = found.without(expected), expected.without(found)
    differing = [f"\ntoo many: {delta}" for delta in more[:_SHOWN]] + [
        f"\nmissing: {delta}" for delta in fewer[:_SHOWN]
    ]
    return (
        f"acknowledged {len(acknowledged)}, lost {lost}, doubled {doubled}; {sum(found.deltas.values())} deltas, "
        f"{len(more)} too many, {len(fewer)} missing; {size} MB; "
        f"digest {found.digest}, of the calm twin {expected.digest}{''.join(differing)}"
    )


def prove(
    ground: Ground,
    database: str,
    told: Corpus,
    expected: Outcome,
    *,
    acknowledged: Mapping[str, int] | None = None,
    buried: Collection[str] = (),
) -> None:
    """Assert every promise about *database*, which was told *told* and has settled.

    *acknowledged* is a pusher's log, key to position. *buried* are the keys that must be dead letters, and no others.
    """
    with ground.superuser(database) as connection:
        _stored_once(connection, told, acknowledged or {})
        _worked_once(connection, told)
        _nothing_left(connection)
        assert _letters(connection) == sorted(buried), f"others are buried than should be\n{state(ground, database)}"
    parts = wiring.connect(ground.settings(database, broker_url=None))
    try:
        with parts.database.tenant(told.scopes[0].tenant) as app:
            found = outcome_of(app)
            assert not found.without(expected) + expected.without(found), "a delta is missing or counted twice"
            assert found.digest == expected.digest, "the beliefs differ from those of an undisturbed run"
            for scope in told.scopes:
                ledger, table = stored_rebuilt(app, scope.id)
                assert ledger == table, "the fold of the ledger is not the fact table"
    finally:
        parts.database.close()


def _stored_once(connection: psycopg.Connection, told: Corpus, acknowledged: Mapping[str, int]) -> None:
    rows = connection.execute("SELECT scope, position, id, key FROM episodes ORDER BY scope, position").fetchall()
    wanted = sorted((scope.id, episode.key) for scope, episode in told.said)
    assert sorted((scope, key) for scope, _, _, key in rows) == wanted, "an episode is lost, doubled or foreign"

    positions = {key: position for _, position, _, key in rows}
    assert {key: positions.get(key) for key in acknowledged} == dict(acknowledged), "an acknowledgement does not hold"

    ids = {(scope.id, episode.key): scope.episode_id(episode.key) for scope, episode in told.said}
    assert all(id_ == ids[scope, key] for scope, _, id_, key in rows)
    stored: dict[UUID, list[tuple[int, str]]] = {}
    for scope, position, _, key in rows:
        stored.setdefault(scope, []).append((position, key))
    for whose, episodes in told.by_scope().items():
        here = stored[whose.id]
        assert [position for position, _ in here] == list(range(1, len(here) + 1)), "positions have a gap"
        assert [key for _, key in here] == [episode.key for episode in episodes], "the order was changed"
    keys = connection.execute("SELECT scope, id, position FROM episode_keys").fetchall()
    assert sorted(keys) == sorted((scope, id_, position) for scope, position, id_, _ in rows)


def _worked_once(connection: psycopg.Connection, told: Corpus) -> None:
    """Assert that the windows of successful runs cover each scope without gaps and overlaps."""
    heads = Counter(scope.id for scope, _ in told.said)
    for (pack,) in connection.execute(
        "SELECT pack FROM packs WHERE active AND job IN ('prepare', 'consolidate')"
    ).fetchall():
        for scope, head in heads.items():
            windows = connection.execute(
                "SELECT lo, hi, outcome, coalesce((counts ->> 'episodes')::bigint, 0) FROM runs "
                "WHERE scope = %s AND pack = %s AND outcome IN ('ok', 'dead') AND job <> 'retry' ORDER BY lo, run",
                [scope, pack],
            ).fetchall()
            covered = [position for lo, hi, _, _ in windows for position in range(lo, hi + 1)]
            assert covered == list(range(1, head + 1)), f"{pack} worked on an episode twice or never: {windows}"
            read = sum(episodes for _, _, outcome, episodes in windows if outcome == "ok")
            dead = sum(1 for _, _, outcome, _ in windows if outcome == "dead")
            assert read + dead == head
    audited = _counts(
        connection,
        "SELECT e.key, sum(e.value::int) FROM audit_log a, jsonb_each_text(a.detail) e "
        "WHERE e.key IN ('add', 'update', 'delete', 'noop') GROUP BY 1",
    )
    assert audited == _counts(connection, "SELECT kind, count(*) FROM deltas GROUP BY kind"), "the audit disagrees"


def _counts(connection: psycopg.Connection, statement: str) -> dict[str, int]:
    return {name: int(count) for name, count in connection.execute(statement).fetchall()}


def _nothing_left(connection: psycopg.Connection) -> None:
    for what in (
        AT_ONCE,
        "runs WHERE finished IS NULL",
        "scope_leases WHERE until IS NOT NULL",
        "watermarks w JOIN scope_heads h USING (scope) JOIN packs p USING (pack) "
        "WHERE p.job IN ('prepare', 'consolidate') AND w.position <> h.head",
    ):
        left = connection.execute(f"SELECT to_jsonb(one) FROM (SELECT * FROM {what}) one LIMIT 3").fetchall()
        assert left == [], f"left over: {what}"


def _letters(connection: psycopg.Connection) -> list[str]:
    """Return the keys of dead letters, each with its reason; an unreadable message has no scope."""
    letters = connection.execute(
        "SELECT e.key, d.reason FROM dead_letters d LEFT JOIN episodes e ON e.id = d.episode "
        "WHERE d.category <> 'conflict' AND d.scope IS NOT NULL ORDER BY e.key"
    ).fetchall()
    assert all(reason for _, reason in letters)
    return [key for key, _ in letters]
