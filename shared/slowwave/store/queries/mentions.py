"""Turns that mention entities, found on request: by the facts that cite them and by the names in them.

Nothing is stored, so the result always reflects the present turns and facts, after any expiry, archiving or correction.
"""

from collections.abc import Sequence
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from slowwave.core.graph.mentions import Wording, wording
from slowwave.core.graph.path_search import Key
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.mention import Mention
from slowwave.domain.scope import Scope
from slowwave.store.queries.episodes import AFTER_ALL, LAST, bound, remembered
from slowwave.store.statements import sql

MOST_FACTS = 20_000
"""The most facts about one name, in each direction, whose source turns are read; the heaviest come first."""


def mentions(
    connection: Connection,
    scopes: Sequence[Scope],
    keys: Sequence[Key],
    *,
    most: int,
    before: RememberedEpisode | None = None,
    archived: bool = False,
) -> list[Mention]:
    """Return the *most* newest turns of *scopes* that mention the entities *keys*, or the newest *before* an episode.

    The order is by position within a scope, and by time of receipt across scopes. The entities are searched by all
    their names in all of the scopes.
    """
    names = _names(connection, keys)
    called = wording(row.name for row in names)
    bounds = [bound(number, scopes, before, LAST, AFTER_ALL) for number in range(len(scopes))]
    rows = connection.exec_driver_sql(
        sql("queries/mentions"),
        {
            "of": [row.scope for row in names],
            "entities": [row.entity for row in names],
            "scopes": [scope.id for scope in scopes],
            "positions": [position for position, _ in bounds],
            "times": [time for _, time in bounds],
            "proper": called.proper,
            "common": called.common,
            "mine": called.mine,
            "facts": MOST_FACTS,
            "archived": archived,
            "most": most,
        },
    )
    found: dict[Scope, list[Mention]] = {scope: [] for scope in scopes}
    whose = {scope.id: scope for scope in scopes}
    for row in rows.mappings():
        scope = whose[row["scope"]]
        found[scope].append(_mention(row, scope, called))
    newest = merge(*reversed(found.values()), key=lambda one: one.episode.received, reverse=True)
    return list(islice(newest, most))


def _names(connection: Connection, keys: Sequence[Key]) -> Sequence[Any]:
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    return connection.exec_driver_sql(sql("graph/names/of"), where).all()


def _mention(row: Any, scope: Scope, called: Wording) -> Mention:
    episode = remembered(row, scope)
    spans = called.spans(episode.content, episode.role)
    resting = dict.fromkeys(zip(row["starts"] or (), row["ends"] or (), strict=True))
    return Mention(episode, tuple(spans or resting), tuple(dict.fromkeys(row["facts"] or ())))
