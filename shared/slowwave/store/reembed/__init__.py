"""Moves of scopes to another embedding space. A move is begun, carried out in steps, and reported."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection

from slowwave.core.summaries.tree import Grown
from slowwave.domain.embedding_spaces import EmbeddingSpace, SpaceMove
from slowwave.domain.job_table import PREPARE, REEMBED, pack_of
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict
from slowwave.ports import Vectors
from slowwave.store.blocks import packing
from slowwave.store.database import Repository
from slowwave.store.runs import settling
from slowwave.store.statements import execute
from slowwave.store.summaries.tree import leaves, node_ids, rewrite
from slowwave.store.transaction import space_number
from slowwave.store.work_queue import intents

MissingKind = Literal["episode", "fact", "entity"]
CHARACTERS = 100_000
"""The maximum number of characters of a text that are embedded. No embedder reads more characters."""
AT_ONCE = 10_000
"""The maximum number of vectors of one kind that one run deletes."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A memory without a vector: an episode by its *position*, a fact or a name by its *id*."""

    kind: MissingKind
    position: int | None
    id: uuid.UUID | None
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A strategy, a goal or a record of consensus, with the text that is embedded."""

    id: uuid.UUID
    text: str


@dataclass(frozen=True, slots=True)
class Way:
    """The state of a scope's move to the embedding space *space*, and the work to do next.

    *moves* is true during the move.

    *missing* are memories without a vector in *space*. *unpacked* is true while vectors must still be packed into
    blocks. *left* is true while other spaces still hold vectors of the scope. *leaves* are the summaries, if the scope
    has a tree over summaries.
    """

    space: tuple[str, int]
    moves: bool
    missing: Sequence[Missing] = ()
    unpacked: bool = False
    notes: Sequence[Note] = ()
    leaves: Sequence[Any] | None = None
    left: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """An instruction for the transaction that ends a run: store the vectors of the *missing* memories in *space*.

    A text without meaning has a vector of zeros.
    """

    missing: Sequence[Missing]
    vectors: Vectors
    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Packed:
    """An instruction for the transaction that ends a run: pack the scope's vectors in *space* into blocks."""

    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Switched:
    """An instruction for the transaction that ends a run: use *space* for the scope, its notes and its *tree*.

    Nothing is changed if a vector is missing in *space*.
    """

    space: tuple[str, int]
    notes: Mapping[uuid.UUID, Vectors]
    tree: object


@dataclass(frozen=True, slots=True)
class Left:
    """An instruction for the transaction that ends a run: delete some unused vectors of each kind."""


class PostgresSpaces(Repository):
    """The moves of scopes to other spaces, and the spaces that scopes use."""

    def answering(self, tenant: str, scopes: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, str]:
        """Return the name of the embedding space that each of *scopes* uses; omit scopes without a space."""
        with self._database.tenant(tenant) as connection:
            return {row.scope: row.name for row in _answering(connection, scopes)}

    def way(self, run: Run, *, most: int) -> Way | None:
        """Return the state of the move of the run's scope, with at most *most* missing memories.

        Returns None if the scope was never moved.
        """
        with self._database.tenant(run.tenant) as connection:
            return way(connection, run.scope, most=most)

    def begin(self, scopes: Sequence[Scope], space: tuple[str, int]) -> int:
        """Begin to move *scopes* of one tenant to *space*, or to complete their vectors in *space*; return how
        many moves began.
        """
        if not scopes:
            return 0
        with self._database.tenant(scopes[0].tenant) as connection:
            here = _answering(connection, [scope.id for scope in scopes])
            asked = {"scopes": [row.scope for row in here], "spaces": [row.space for row in here]}
            target = space_number(connection, *space)
            begun = execute(connection, "reembed/begin", **asked, target=target).scalars().all()
            for scope in sorted(begun):
                intents.ask(
                    connection, scope=scope, tenant=scopes[0].tenant, job=REEMBED, pack=pack_of(REEMBED), target=0
                )
            return len(begun)

    def call_off(self, scopes: Sequence[Scope]) -> int:
        """Cancel the moves of *scopes* of one tenant; return the number of cancelled moves."""
        if not scopes:
            return 0
        with self._database.tenant(scopes[0].tenant) as connection:
            stayed = connection.exec_driver_sql(
                "UPDATE embedding_moves SET toward = NULL, since = NULL "
                "WHERE scope = ANY(%(scopes)s::uuid[]) AND toward IS NOT NULL",
                {"scopes": [scope.id for scope in scopes]},
            )
            return stayed.rowcount

    def listing(self, tenant: str) -> list[EmbeddingSpace]:
        """Return the embedding spaces that scopes of *tenant* use, and the spaces to which scopes are moving."""
        with self._database.tenant(tenant) as connection:
            here = execute(connection, "reembed/listing", tenant=tenant).all()
            coming = moves(connection, tenant)
        scopes = {(row.name, row.dimensions): row.scopes for row in here}
        toward = {(move.name, move.dimensions): move for move in coming}
        return [
            _progress_entry(name, dimensions, scopes.get((name, dimensions), 0), toward.get((name, dimensions)))
            for name, dimensions in sorted(scopes.keys() | toward.keys())
        ]


def moves(connection: Connection, tenant: str) -> list[SpaceMove]:
    """Return the progress of the moving scopes of *tenant*, by target space."""
    rows = execute(connection, "reembed/target_spaces", tenant=tenant, pack=pack_of(PREPARE))
    return [SpaceMove(**row) for row in rows.mappings()]


def way(connection: Connection, scope: uuid.UUID, *, most: int) -> Way | None:
    """Return the state of a scope's move to another space, with the next work; None if the scope was never moved."""
    row = execute(connection, "reembed/moving", scope=scope, pack=pack_of(PREPARE)).one_or_none()
    if row is None:
        return None
    space, asked = (row.name, row.dimensions), {"scope": scope, "space": row.space}
    missing = _missing(connection, scope, row.space, prepared=row.prepared if row.moves else 0, most=most)
    left = not row.moves and bool(execute(connection, "reembed/has_old_vectors", **asked).scalar_one())
    if missing:
        return Way(space, row.moves, missing, left=left)
    if packing.lacking(connection, scope, (row.space, row.dimensions), upto=row.prepared):
        return Way(space, row.moves, unpacked=True, left=left)
    notes = [Note(one.id, one.text) for one in execute(connection, "reembed/missing_records", **asked)]
    grown = leaves(connection, scope, row.space) if row.moves and node_ids(connection, scope) else None
    return Way(space, row.moves, notes=notes, leaves=grown, left=left)


@settling.write.register
def _filled(effect: Filled, connection: Connection, run: Run) -> None:
    asked = {"scope": run.scope, "space": space_number(connection, *effect.space)}
    pairs = list(zip(effect.missing, effect.vectors, strict=True))
    episode_vectors = [(one.position, vector) for one, vector in pairs if one.kind == "episode"]
    if episode_vectors:
        positions, vectors = [position for position, _ in episode_vectors], [vector for _, vector in episode_vectors]
        execute(connection, "runs/embed", **asked, positions=positions, vectors=vectors)
    for kind, statement in (("fact", "reembed/fill_facts"), ("entity", "reembed/fill_entities")):
        named = [(one.id, vector) for one, vector in pairs if one.kind == kind]
        if named:
            ids, vectors = [id_ for id_, _ in named], [vector for _, vector in named]
            execute(connection, statement, **asked, ids=ids, vectors=vectors)


@settling.write.register
def _packed(effect: Packed, connection: Connection, run: Run) -> None:
    number = space_number(connection, *effect.space)
    row = execute(connection, "reembed/moving", scope=run.scope, pack=pack_of(PREPARE)).one()
    packing.pack(connection, run.scope, (number, effect.space[1]), upto=row.prepared)


@settling.write.register
def _switched(effect: Switched, connection: Connection, run: Run) -> None:
    asked = {"scope": run.scope, "space": space_number(connection, *effect.space)}
    now = way(connection, run.scope, most=1)
    if now is None or now.space != effect.space or now.missing or now.unpacked:
        raise Conflict("the memories of the scope have changed", hint="look again what is missing")
    if effect.notes:
        ids, vectors = list(effect.notes), list(effect.notes.values())
        execute(connection, "reembed/fill_records", **asked, ids=ids, vectors=vectors)
    if isinstance(effect.tree, Grown):
        rewrite(connection, run.scope, effect.tree)
    if now.moves:
        execute(connection, "reembed/delete_zero_vectors", **asked)
        connection.exec_driver_sql(
            "UPDATE embedding_moves SET space = toward, toward = NULL, since = NULL WHERE scope = %(scope)s", asked
        )


@settling.write.register
def _left(_effect: Left, connection: Connection, run: Run) -> None:
    row = execute(connection, "reembed/moving", scope=run.scope, pack=pack_of(PREPARE)).one()
    if row.moves:
        raise Conflict("the scope is moving again", hint="look again what is missing")
    execute(connection, "reembed/delete_old_vectors", scope=run.scope, space=row.space, most=AT_ONCE)


def _progress_entry(name: str, dimensions: int, scopes: int, move: SpaceMove | None) -> EmbeddingSpace:
    if move is None:
        return EmbeddingSpace(name, dimensions, scopes, coming=0, episodes=0, made=0)
    return EmbeddingSpace(name, dimensions, scopes, move.scopes, move.episodes, move.made, move.since)


def _answering(connection: Connection, scopes: Sequence[uuid.UUID]) -> Sequence[Any]:
    return execute(connection, "reembed/current_spaces", scopes=list(scopes)).all()


def _missing(connection: Connection, scope: uuid.UUID, space: int, *, prepared: int, most: int) -> list[Missing]:
    asked = {"scope": scope, "space": space, "prepared": prepared, "most": most, "characters": CHARACTERS}
    rows = execute(connection, "reembed/missing", **asked)
    return [Missing(row.kind, row.position, row.id, row.text[:CHARACTERS]) for row in rows][:most]
