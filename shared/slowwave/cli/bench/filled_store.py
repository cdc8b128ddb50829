"""Benchmarks over a store filled in advance: queries to the graph, and the nightly jobs."""

import statistics
import time
from functools import partial

import psycopg

from slowwave import wiring
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import TENANT, fill, installed
from slowwave.domain.job_table import DECAY, PROMOTE, SLICES, SWEEP, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Fault
from slowwave.memory import MemoryScope, due_work
from slowwave.store.tiers.decay import PostgresDecay

GRAPH_ROUNDS = 50
LOADS = 5
"""The number of loads of the whole graph.

The number is small, because a graph of 12 000 entities has 12 000 objects.
"""
FACTS_A_SCOPE = 1000
SHARES = (0.01, 0.1, 1.0)
ROUNDS = 3
_NARROW = """
CREATE TABLE narrow (id bigint PRIMARY KEY, base float8 NOT NULL, age float8 NOT NULL, strength float8)
    WITH (fillfactor = 50)
"""
_DUE = """
UPDATE standing SET created = slowwave_now() - interval '400 days', {due} = CASE
    WHEN ('x' || substr(md5(memory::text), 1, 6))::bit(24)::int < %(share)s::float8 * 16777216
    THEN slowwave_now() - interval '1 second' END
WHERE tenant = slowwave_tenant() AND slice = %(slice)s
"""
_COUNT = "SELECT count({due}) FROM standing WHERE tenant = slowwave_tenant() AND slice = %(slice)s"


def measure_graph(url: str, owner_url: str, entities: int) -> Figures:
    """Return the milliseconds of a walk, a query and a load, for a graph with one hub and a tree attached to it."""
    with installed(url, owner_url) as parts:
        (scope,) = fill(parts, scopes=1, facts=entities, tree=True)
        return _asked(parts, scope, entities)


def _asked(parts: wiring.Parts, scope: Scope, entities: int) -> Figures:
    graph = MemoryScope(parts, scope).graph
    graph.rebuild()
    figures = Figures("graph")
    number = entities // 100
    for name, act, rounds in (
        ("walk from one of", lambda: graph.walk(f"What does thing {number} like?"), GRAPH_ROUNDS),
        ("walk from the hub of", lambda: graph.walk("What do I like?"), GRAPH_ROUNDS),
        ("query around one of", lambda: graph.query(f"What about thing {number}?", depth=3, top_k=20), GRAPH_ROUNDS),
        ("query around the hub of", lambda: graph.query("What about me?", depth=2, top_k=20), GRAPH_ROUNDS),
        ("load", lambda: graph.load(2 * entities), LOADS),
    ):
        figures.timed(f"{name} {entities:,} entities", act, rounds)
    figures.timed("the bare scan of all edges", lambda: _edges(parts, scope), LOADS)
    return figures


def _edges(parts: wiring.Parts, scope: Scope) -> None:
    with parts.database.tenant(scope.tenant) as connection:
        connection.exec_driver_sql("SELECT * FROM edges WHERE scope = %(scope)s", {"scope": scope.id}).all()


def measure_lifecycle(url: str, owner_url: str, facts: int) -> Figures:
    """Return the rows per second when strengths are recomputed and when a plain table is updated, and the ratio.

    Also return the seconds of each nightly job.
    """
    figures = Figures("lifecycle")
    with installed(url, owner_url) as parts:
        for scope in fill(parts, scopes=max(1, facts // FACTS_A_SCOPE), facts=FACTS_A_SCOPE):
            MemoryScope(parts, scope).graph.rebuild()  # as runs do
        _settle(owner_url)
        memories = _memories(parts)
        ceiling = figures.add("narrow table, every strength recomputed", _narrow(owner_url, memories), "rows/s")
        own = figures.add("decay --all, every strength recomputed", _all(parts, owner_url, memories), "rows/s")
        figures.add("ratio to the narrow table (target 0.5)", own / ceiling)
        for job in (PROMOTE, SWEEP, DECAY):
            _by_what_is_due(parts, job, memories, figures)
    return figures


def _memories(parts: wiring.Parts) -> int:
    """Return the number of memories that have a tier and a strength: facts, and entities of graphs."""
    with parts.database.tenant(TENANT) as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM standing").scalar_one())


def _settle(owner_url: str) -> None:
    """Update the statistics of the query planner, as autovacuum would do later."""
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _narrow(owner_url: str, rows: int) -> float:
    times = []
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute(_NARROW)
        connection.execute("INSERT INTO narrow SELECT id, 0.7, 34560000 FROM generate_series(1, %s) AS id", (rows,))
        connection.execute("VACUUM ANALYZE narrow")
        for number in range(ROUNDS):
            update = "UPDATE narrow SET strength = base * power(2, -(age + %s) / 2335132.8)"
            times.append(timed(partial(connection.execute, update, (float(number),)))[0])
            connection.execute("VACUUM narrow")
        connection.execute("DROP TABLE narrow")
    return rows / statistics.median(times)


def _all(parts: wiring.Parts, owner_url: str, rows: int) -> float:
    """Return how many strengths per second are recomputed, over all memories.

    A row is written only if its due time changes.
    """
    PostgresDecay(parts.database).refresh_all(TENANT)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute("VACUUM standing")
    times = []
    for _ in range(ROUNDS):
        seconds, (looked, _) = timed(lambda: PostgresDecay(parts.database).refresh_all(TENANT))
        times.append(seconds)
        if looked != rows:
            raise Fault(f"{looked} of {rows} strengths were computed", hint="please report this")
    return rows / statistics.median(times)


def _by_what_is_due(parts: wiring.Parts, job: str, memories: int, figures: Figures) -> None:
    for share in SHARES:
        due = _make_due(parts, job, share)
        started = time.perf_counter()
        parts.schedule.fire_job(job, pack_of(job), by="bench")
        while due_work.run_next(parts, owner="bench", only=[job]):
            pass
        seconds = figures.add(f"{job}, {due:,} of {memories:,} due", time.perf_counter() - started, "s")
        figures.add("  a second", due / seconds, "memories")


def _make_due(parts: wiring.Parts, job: str, share: float) -> int:
    column = {DECAY: "decay_due", SWEEP: "sweep_due", PROMOTE: "promote_due"}[job]
    count = 0
    for slice_ in range(SLICES):
        with parts.database.tenant(TENANT) as connection:
            connection.exec_driver_sql(_DUE.format(due=column), {"slice": slice_, "share": share})
            count += connection.exec_driver_sql(_COUNT.format(due=column), {"slice": slice_}).scalar_one()
    return count
