"""Benchmark of queries to a graph of thousands of entities, compared with the bare statement that reads its edges."""

from slowwave import wiring
from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.sample_data import fill
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.wiring import Settings

ROUNDS = 50
LOADS = 5
"""Whole graphs are loaded only a few times: a graph of 12 000 entities is 12 000 objects."""


def measure(url: str, owner_url: str, entities: int) -> Figures:
    """Return the milliseconds of a walk, a query and a load, for a graph with one hub and a tree attached to it."""
    wiring.migrate_database(owner_url)
    parts = wiring.connect(Settings.load(url=url))
    wiring.register(parts)
    try:
        (scope,) = fill(parts, scopes=1, facts=entities, tree=True)
        return _asked(parts, scope, entities)
    finally:
        parts.close()


def _asked(parts: wiring.Parts, scope: Scope, entities: int) -> Figures:
    graph = MemoryScope(parts, scope).graph
    graph.rebuild()
    figures = Figures("graph")
    number = entities // 100
    for name, act, rounds in (
        ("walk from one of", lambda: graph.walk(f"What does thing {number} like?"), ROUNDS),
        ("walk from the hub of", lambda: graph.walk("What do I like?"), ROUNDS),
        ("query around one of", lambda: graph.query(f"What about thing {number}?", depth=3, top_k=20), ROUNDS),
        ("query around the hub of", lambda: graph.query("What about me?", depth=2, top_k=20), ROUNDS),
        ("load", lambda: graph.load(2 * entities), LOADS),
    ):
        figures.timed(f"{name} {entities:,} entities", act, rounds)
    figures.timed("the bare scan of all edges", lambda: _edges(parts, scope), LOADS)
    return figures


def _edges(parts: wiring.Parts, scope: Scope) -> None:
    with parts.database.tenant(scope.tenant) as connection:
        connection.exec_driver_sql("SELECT * FROM edges WHERE scope = %(scope)s", {"scope": scope.id}).all()
