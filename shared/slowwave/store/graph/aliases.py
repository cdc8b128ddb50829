"""Other names of the entities that a question names, from the graph."""

import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.core.graph.name_candidates import outermost, runs
from slowwave.store.graph.queries import named
from slowwave.store.statements import sql

MOST_NAMED = 8
"""The most entities of a question whose other names are read; entities with longer names come first."""


def aliases_in_question(
    connection: Connection, scopes: Sequence[uuid.UUID], question: str
) -> Mapping[str, Sequence[str]]:
    """Return all names in *scopes* of each entity that *question* names, by the name in *question*."""
    possible = [(normal(name), name, span) for name, span in runs(question)]
    known = named(connection, scopes, list({name for name, _, _ in possible}))
    names = {normal(name) for _, name in known}
    every = {span: said for name, said, span in possible if name in names}
    said_as = {normal(name): name for name in outermost(every).values()}
    keys = dict([(key, said_as[normal(name)]) for key, name in known if normal(name) in said_as][:MOST_NAMED])
    if not keys:
        return {}
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    found: dict[str, list[str]] = {}
    said = ""
    for row in connection.exec_driver_sql(sql("graph/names/of"), where):
        said = keys.get((row.scope, row.entity), said)  # an entity's own name comes before its other names
        found.setdefault(said, []).append(row.name)
    return found
