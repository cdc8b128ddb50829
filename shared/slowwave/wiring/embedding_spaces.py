"""Embedders of one process: the current embedder, and those of scopes that were not moved to its space yet."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from slowwave.domain.job_table import CONSOLIDATE, DETECT_PATTERNS, GROW, PREPARE, RETELL, RETRY, SUMMARISE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.ports import Embedder, Job, Plan, RunStore
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.store.reembed.moves import PostgresSpaces
from slowwave.wiring.model_components import STATIC, embedder_named, embedder_of

OF_A_SCOPE = (PREPARE, CONSOLIDATE, RETRY, SUMMARISE, RETELL, GROW, DETECT_PATTERNS)
"""Jobs that embed the memories of one scope."""


class InSpaces:
    """The parts of a process that make vectors."""

    settings: Settings

    @cached_property
    def database(self) -> Database:
        """Connections to the database."""
        raise NotImplementedError

    @cached_property
    def embedder(self) -> Embedder:
        """The current embedder, for new scopes and for those that were moved to it."""
        return embedder_of(self.settings)

    @cached_property
    def earlier(self) -> Mapping[str, Embedder]:
        """The embedders of scopes that were not moved yet, by space: the built-in embedder, and the earlier setting."""
        names = [name for name in (STATIC, self.settings.embedder_before) if name and name != self.settings.embedder]
        found = [embedder_named(self.settings, name) for name in dict.fromkeys(names)]
        return {one.space: one for one in found if one.space != self.embedder.space}

    @cached_property
    def spaces(self) -> PostgresSpaces:
        """The spaces that scopes use for recall."""
        return PostgresSpaces(self.database)

    def embedders(self, scopes: Sequence[Scope]) -> Mapping[uuid.UUID, Embedder]:
        """Return the embedder whose space each of *scopes*, all of one tenant, uses."""
        here = self.spaces.answering(scopes[0].tenant, [one.id for one in scopes]) if self.earlier and scopes else {}
        return {one.id: self.earlier.get(here.get(one.id, ""), self.embedder) for one in scopes}

    def embedder_for(self, scope: Scope) -> Embedder:
        """Return the embedder whose space *scope* uses."""
        return self.embedders([scope])[scope.id]


@dataclass(frozen=True, slots=True)
class _InItsSpace:
    """A `Job` that uses the embedder of the run's scope: *others* maps spaces to embedders and jobs."""

    usual: Job
    others: Mapping[str, tuple[Embedder, Job]]
    spaces: PostgresSpaces

    def think(self, run: Run, store: RunStore) -> Plan:
        space = self.spaces.answering(run.tenant, [run.scope]).get(run.scope, "")
        if space not in self.others:
            return self.usual.think(run, store)
        embedder, job = self.others[space]
        return replace(job.think(run, store), space=(embedder.space, embedder.dimensions))

    def witness(self, run: Run) -> bool:
        return self.usual.witness(run)


def in_their_spaces(
    made: Callable[[Embedder], dict[str, Job]], embedder: Embedder, earlier: Mapping[str, Embedder],
    spaces: PostgresSpaces,
) -> dict[str, Job]:  # fmt: skip
    """Return the jobs *made* with *embedder*; in a scope that was not moved yet, they use its *earlier* embedder."""
    usual = made(embedder)
    others = {space: (one, made(one)) for space, one in earlier.items()}
    if not others:
        return usual
    apart = {
        name: _InItsSpace(usual[name], {space: (one, jobs[name]) for space, (one, jobs) in others.items()}, spaces)
        for name in OF_A_SCOPE
    }
    return {**usual, **apart}
