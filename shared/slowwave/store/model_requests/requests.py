"""Model requests for runs that plan and consolidate: context turns, keys, states, replies."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls.chunk import Chunk, Words
from slowwave.domain.run import Run
from slowwave.ports.model_calls import Keys, Reply, WindowContext
from slowwave.store.beliefs import held_facts
from slowwave.store.database import Database
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox.episodes import episodes_before
from slowwave.store.statements import sql

MOST_HELD = 100
MOST_NAMES = 100
KEY_CHARACTERS = 40
"""Hexadecimal digits of a request's key, few enough for every batch interface to accept it as an id."""


class PostgresModelRequests:
    """A `ModelRequestStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def near(self, run: Run, episodes: Sequence[StoredEpisode]) -> WindowContext:
        with self._database.tenant(run.tenant) as connection:
            before = episodes_before(connection, run.scope, episodes, chosen=bool(run.only))
            facts = held_facts.recently_stated(connection, run.scope, most=MOST_HELD)
            names = connection.exec_driver_sql(
                sql("model_requests/known_names"), {"scope": run.scope, "most": MOST_NAMES}
            )
            return WindowContext(before, facts, list(names.scalars()))

    def keys(self, run: Run, edition: str) -> Keys:
        """Return the function that makes the key of a chunk and a round: a digest keyed by the tenant's secret."""
        with self._database.tenant(run.tenant) as connection:
            prints = fingerprinter(connection)

        def key(chunk: Chunk, round: int) -> str:
            turns = [part for turn in chunk.episodes for part in (turn.key, turn.content)]
            parts = [str(run.scope), run.pack, edition, str(round), *turns, "before", *(b.key for b in chunk.before)]
            return prints.request(parts).hex()[:KEY_CHARACTERS]

        return key

    def states(self, run: Run, keys: Sequence[str]) -> Mapping[str, str]:
        with self._database.tenant(run.tenant) as connection:
            rows = connection.exec_driver_sql(sql("model_requests/states"), {"requests": list(keys)})
            return {row.request: row.state for row in rows}

    def replies(self, run: Run) -> list[Reply]:
        with self._database.tenant(run.tenant) as connection:
            rows = connection.exec_driver_sql(
                sql("model_requests/replies"), {"model_window": run.model_window}
            ).mappings()
            return replies_of(connection, run.scope, [dict(row) for row in rows])


def replies_of(connection: Connection, scope: Any, asked: Sequence[Mapping[str, Any]]) -> list[Reply]:
    """Return the requests in these rows, each with its chunk and its reply, in the order of the rows."""
    turns = turns_at(connection, scope, sorted({p for row in asked for p in (*row["positions"], *row["quotes"])}))
    return [Reply(row["request"], row["state"], row["reason"], chunk(row, turns), row["raw"]) for row in asked]


def turns_at(connection: Connection, scope: Any, positions: Sequence[int]) -> dict[int, StoredEpisode]:
    """Return the episodes at *positions* that still exist, by position."""
    rows = connection.exec_driver_sql(
        sql("model_requests/turns_at_positions"), {"scope": scope, "positions": list(positions)}
    ).mappings()
    return {row["position"]: StoredEpisode.model_construct(**row) for row in rows}


def chunk(row: Mapping[str, Any], turns: Mapping[int, StoredEpisode]) -> Chunk:
    """Return the chunk of a request, with the texts of its plan."""
    words = row["words"] or {"messages": [], "schema": {}, "noted": {}}
    return Chunk(
        episodes=tuple(turns[p] for p in row["positions"] if p in turns),
        before=tuple(turns[p] for p in row["quotes"] if p in turns),
        words=Words(words["messages"], words["schema"], words["noted"]),
        prompt_tokens=row["prompt_tokens"],
        most_tokens=row["most_tokens"],
    )
