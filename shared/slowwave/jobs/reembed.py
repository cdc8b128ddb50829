"""Move a scope to another embedding space, one batch per run."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from slowwave.domain.job_table import REEMBED, RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Unprepared
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, IntentRequest, Plan
from slowwave.ports.recall import is_slow
from slowwave.store.reembed import Filled, Left, Packed, PostgresSpaces, Switched, Way
from slowwave.store.runs.runs import PostgresRuns

BATCH = 500
"""The maximum number of memories that one run embeds."""
SLOWLY = 100
"""The maximum number of memories that one run embeds with a slow embedder.

Turns take about 5 s, long texts two minutes, which is within the time limit of a run.
"""


Grower = Callable[[uuid.UUID, Sequence[Any], Embedder], object]
"""A function that builds the tree over some summaries of a scope, in the space of an embedder."""


@dataclass(frozen=True, slots=True)
class Reembed(JobWithoutCases):
    """A `Job` that embeds the next batch of memories of a scope that is being moved, and requests the next run."""

    spaces: PostgresSpaces
    embedder: Embedder
    grown: Grower

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Return the plan of the next step (vectors, blocks, the switch, or deletions), or an empty plan once the move
        is complete.
        """
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

    def _switch(self, run: Run, way: Way) -> Switched:
        vectors = self.embedder.embed([note.text for note in way.notes])
        notes = {note.id: vector for note, vector in zip(way.notes, vectors, strict=True)}
        grown = None if way.leaves is None else self.grown(run.scope, way.leaves, self.embedder)
        return Switched(way.space, notes, grown)
