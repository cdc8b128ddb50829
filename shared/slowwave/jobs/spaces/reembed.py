"""Move a scope to another embedding space, a batch a run: the space it is in answers until the other is whole.

What is whole is decided by what is missing, so nothing is kept of how far it came: whoever dies leaves a batch undone,
and the next run finds it missing. The switch is one transaction; then the vectors that nobody asks any more go.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from slowwave.domain.job_table import REEMBED, RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Unprepared
from slowwave.ports import Ask, Embedder, Plan, RunStore, Vectors
from slowwave.ports.questions import is_slow

BATCH = 500
"""Memories that one run embeds."""
SLOWLY = 100
"""And of a slow embedder: some 5 s of turns, two minutes of long texts, which is well within a run's time."""

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
    """The way a scope is on: to *space*, where it *moves*, or there already; and what is left to do.

    *unpacked* says that blocks are to be packed, *left* that other spaces have vectors of it. *leaves* are the
    summaries, where there is a tree over them.
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
    """An effect: the vectors of what was *missing* in *space*, a row of zeros where it means nothing there."""

    missing: Sequence[Missing]
    vectors: Vectors
    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Packed:
    """An effect: blocks of the scope are packed in *space*."""

    space: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Switched:
    """An effect: the scope answers in *space*, if nothing is missing there; so do its notes, and its *tree*."""

    space: tuple[str, int]
    notes: Mapping[uuid.UUID, Vectors]
    tree: object


@dataclass(frozen=True, slots=True)
class Left:
    """An effect: vectors that nobody asks any more go, some of each kind."""


class SpaceStore(Protocol):
    """The ways of scopes as the database keeps them. Raises `Unavailable` when the database is away."""

    def way(self, run: Run, *, most: int) -> Way | None:
        """Return the way of the run's scope, with at most *most* of what is missing; None where nobody moved it."""


Grower = Callable[[uuid.UUID, Sequence[Any], Embedder], object]
"""The tree over some summaries of a scope, told in the space of an embedder."""


@dataclass(frozen=True, slots=True)
class Reembed:
    """A `Job` that takes a scope a batch further on its way, and asks for the next."""

    spaces: SpaceStore
    embedder: Embedder
    grown: Grower

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
        """Return the next step: vectors, blocks, the switch, or what goes; nothing once the scope is there."""
        way = self.spaces.way(run, most=SLOWLY if is_slow(self.embedder) else BATCH)
        ours = (self.embedder.space, self.embedder.dimensions)
        again = Ask(REEMBED, pack_of(REEMBED), at_once=True)
        if way is None:
            return Plan()
        if way.space != ours and not way.moves:
            return Plan(effects=[Left(), again]) if way.left else Plan()
        if way.space != ours:
            raise Unprepared(
                f"a scope is on its way to the space {way.space[0]}, and the embedder here has {ours[0]}",
                hint="set SLOWWAVE_EMBEDDER as where the move began, or begin it anew: `slowwave embedder move`",
            )
        if way.missing:
            vectors = self.embedder.embed([one.text for one in way.missing])
            return Plan(effects=[Filled(way.missing, vectors, ours), again], counts={"embedded": len(way.missing)})
        if way.unpacked:
            return Plan(effects=[Packed(ours), again])
        if way.moves or way.notes:
            retold = [] if way.leaves is None else [Ask(RETELL, pack_of(RETELL), at_once=True)]
            return Plan(effects=[self._switch(run, way), again, *retold], counts={"switched": int(way.moves)})
        return Plan(effects=[Left(), again]) if way.left else Plan()

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: no episode is to blame."""
        return True

    def _switch(self, run: Run, way: Way) -> Switched:
        vectors = self.embedder.embed([note.text for note in way.notes])
        notes = {note.id: vector for note, vector in zip(way.notes, vectors, strict=True)}
        grown = None if way.leaves is None else self.grown(run.scope, way.leaves, self.embedder)
        return Switched(way.space, notes, grown)
