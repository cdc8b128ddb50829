"""Move a scope to another embedding space, a batch per run."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from slowwave.domain.job_table import REEMBED, RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Unprepared
from slowwave.ports import Embedder, IntentRequest, Plan, RunStore, Vectors
from slowwave.ports.recall import is_slow

BATCH = 500
"""The most memories that one run embeds."""
SLOWLY = 100
"""The most that one run embeds with a slow embedder: 5 s for turns, two minutes for long texts, within a run's time."""

MissingKind = Literal["episode", "fact", "entity"]


@dataclass(frozen=True, slots=True)
class Missing:
    """A memory without a vector: an episode by its *position*, a fact or a name by its *id*."""

    kind: MissingKind
    position: int | None
    id: uuid.UUID | None
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A strategy, a goal or a record of consensus, with the text that says what it means."""

    id: uuid.UUID
    text: str


@dataclass(frozen=True, slots=True)
class Way:
    """The move of a scope: its target *space*, whether it *moves* there or has arrived, and the work that is left.

    *unpacked* says that blocks are still to be packed, *left* that other spaces still hold vectors of the scope.
    *leaves* are the summaries, if there is a tree over them.
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
    """An effect: the vectors of the *missing* memories in *space*; a row of zeros for a text without meaning there."""

    missing: Sequence[Missing]
    vectors: Vectors
    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Packed:
    """An effect: blocks of the scope are packed in *space*."""

    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Switched:
    """An effect: the scope, its notes and its *tree* use *space* from now on, if no vector is missing there."""

    space: tuple[str, int]
    notes: Mapping[uuid.UUID, Vectors]
    tree: object


@dataclass(frozen=True, slots=True)
class Left:
    """An effect: delete some vectors of each kind that are no longer used."""


class SpaceStore(Protocol):
    """The moves of scopes, as the database keeps them. Raises `Unavailable` when the database is unreachable."""

    def way(self, run: Run, *, most: int) -> Way | None:
        """Return the move of the run's scope, with at most *most* missing memories; None if it was never moved."""


Grower = Callable[[uuid.UUID, Sequence[Any], Embedder], object]
"""Builds the tree over some summaries of a scope, in the space of an embedder."""


@dataclass(frozen=True, slots=True)
class Reembed:
    """A `Job` that embeds the next batch of a scope's move, and asks for the next run."""

    spaces: SpaceStore
    embedder: Embedder
    grown: Grower

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
        """Return the next step: vectors, blocks, the switch, or deletions; an empty plan once the move is complete."""
        way = self.spaces.way(run, most=SLOWLY if is_slow(self.embedder) else BATCH)
        ours = (self.embedder.space, self.embedder.dimensions)
        again = IntentRequest(REEMBED, pack_of(REEMBED), at_once=True)
        if way is None:
            return Plan()
        if way.space != ours and not way.moves:
            return Plan(effects=[Left(), again]) if way.left else Plan()
        if way.space != ours:
            raise Unprepared(
                f"a scope is moving to the space {way.space[0]}, but the embedder here has {ours[0]}",
                hint="set SLOWWAVE_EMBEDDER as it was when the move began, or start a move: `slowwave embedder move`",
            )
        if way.missing:
            vectors = self.embedder.embed([one.text for one in way.missing])
            return Plan(effects=[Filled(way.missing, vectors, ours), again], counts={"embedded": len(way.missing)})
        if way.unpacked:
            return Plan(effects=[Packed(ours), again])
        if way.moves or way.notes:
            retold = [] if way.leaves is None else [IntentRequest(RETELL, pack_of(RETELL), at_once=True)]
            return Plan(effects=[self._switch(run, way), again, *retold], counts={"switched": int(way.moves)})
        return Plan(effects=[Left(), again]) if way.left else Plan()

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: no episode can be to blame if re-embedding fails."""
        return True

    def _switch(self, run: Run, way: Way) -> Switched:
        vectors = self.embedder.embed([note.text for note in way.notes])
        notes = {note.id: vector for note, vector in zip(way.notes, vectors, strict=True)}
        grown = None if way.leaves is None else self.grown(run.scope, way.leaves, self.embedder)
        return Switched(way.space, notes, grown)
