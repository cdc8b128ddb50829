"""The embedder, summariser and scorers that the settings name, and the embedders of other spaces."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slowwave.domain.job_table import CONSOLIDATE, DETECT_PATTERNS, GROW, PREPARE, RETELL, RETRY, SUMMARISE
from slowwave.domain.queries.summary import QUOTING
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.runtime.extras import entry_point_names, load_plugin, unknown
from slowwave.settings import Settings, secret
from slowwave.store.database import Database

if TYPE_CHECKING:
    from slowwave.core.salience.terms import Salience
    from slowwave.core.summaries.model_summary import ModelSummariser
    from slowwave.inference.embedders.endpoint import EndpointEmbedder
    from slowwave.inference.embedders.local_models import SentenceTransformersEmbedder
    from slowwave.jobs.run import Job
    from slowwave.jobs.summaries.summarise import Summariser
    from slowwave.ports import Embedder, Plan
    from slowwave.ports.recall import SalienceScorer
    from slowwave.store.reembed import PostgresSpaces
    from slowwave.store.runs.runs import PostgresRuns

STATIC, E5, ENDPOINT, SENTENCES = "static", "e5", "endpoint", "sentence-transformers"
OWN_EMBEDDERS = (STATIC, E5, ENDPOINT, SENTENCES)
"""The built-in embedders. The weights of the first embedder are part of the package."""
MOST_DIMENSIONS = 16_000
EMBEDDERS, SUMMARISERS = "slowwave.embedders", "slowwave.summarisers"
"""The groups of entry points for embedders and summarisers.

Each entry point maps a name to a function without arguments that returns the embedder or summariser.
"""

BY_MODEL = "model"
"""The name of the summariser that asks the model of the settings, through model requests."""
OWN_SUMMARISERS = (QUOTING, BY_MODEL)
OF_A_SCOPE = (PREPARE, CONSOLIDATE, RETRY, SUMMARISE, RETELL, GROW, DETECT_PATTERNS)
"""Jobs that embed the memories of one scope."""


def model_summariser_of(summariser: str, model: str | None) -> ModelSummariser | None:
    """Return the part that asks *model* for summaries; None if the setting *summariser* has another value than `model`.

    Raises `Incorrect` if no model is set.
    """
    from slowwave.core.summaries.model_summary import ModelSummariser

    if summariser != BY_MODEL:
        return None
    if model is None:
        raise Incorrect(
            "SLOWWAVE_SUMMARISER is model, and no model is set", hint="set SLOWWAVE_MODEL, or SLOWWAVE_EXTRACTION_MODEL"
        )
    return ModelSummariser(model)


def refuse_unknown(settings: Settings) -> None:
    """Raise `Incorrect` with each embedder and summariser of the *settings* that is not installed.

    Makes neither embedder nor summariser.
    """
    embedders, summarisers = (EMBEDDERS, "embedder", OWN_EMBEDDERS), (SUMMARISERS, "summariser", OWN_SUMMARISERS)
    named = {
        "embedder": (settings.embedder.partition(":")[0], embedders),
        "embedder_before": ((settings.embedder_before or STATIC).partition(":")[0], embedders),
        "summariser": (settings.summariser, summarisers),
    }
    missing = {}
    for setting, (name, (group, kind, own)) in named.items():
        if name not in own and name not in (others := entry_point_names(group)):
            missing[setting] = unknown(kind, name, sorted({*own, *others}))
    if missing:
        problems = [f"{setting}: {error.message}" for setting, error in missing.items()]
        hint = next(iter(missing.values())).hint
        raise Incorrect.listing("settings", problems, hint=hint)


def embedder_of(settings: Settings) -> Embedder:
    """Return the embedder that the *settings* name. Raises `Incorrect` if the embedder is missing or broken."""
    return embedder_named(settings, settings.embedder)


def embedder_named(settings: Settings, named: str) -> Embedder:
    """Return the embedder *named*. A model may follow the name after a colon, as in `endpoint:MODEL@DIMENSIONS`.

    Raises `Incorrect` if the embedder is missing or broken.
    """
    from slowwave.inference.embedders.local_models import E5Embedder
    from slowwave.inference.static_embedder import StaticEmbedder

    name, _, model = named.partition(":")
    own: Mapping[str, Callable[[], Any]] = {
        STATIC: StaticEmbedder,
        E5: E5Embedder,
        ENDPOINT: lambda: _endpoint(settings, model),
        SENTENCES: lambda: _sentences(settings, model),
    }
    found: Embedder = _part(EMBEDDERS, "embedder", name, own, does="embed")
    return found


def _sentences(settings: Settings, named: str) -> SentenceTransformersEmbedder:
    from slowwave.inference.embedders.local_models import SentenceTransformersEmbedder

    model = named or settings.embedding_model
    if not model:
        problem = "SLOWWAVE_EMBEDDING_MODEL: is not set"
        raise Incorrect.listing("the embedder", [problem], hint="name the model, or its folder")
    return SentenceTransformersEmbedder(model, batch=settings.embedding_batch)


def _endpoint(settings: Settings, named: str) -> EndpointEmbedder:
    from slowwave.inference.embedders.endpoint import SETTINGS, EmbeddingModel, EndpointEmbedder
    from slowwave.inference.providers import ProviderEndpoint, checked_url

    model, dimensions = settings.embedding_model, settings.embedding_dimensions
    if named:
        model, _, length = named.rpartition("@")
        if not model or not length.isdecimal() or not 1 <= int(length) <= MOST_DIMENSIONS:
            raise Incorrect(f"{named!r} names no model of an endpoint", hint="write it like endpoint:small-model@768")
        dimensions = int(length)
    if model is None or dimensions is None:
        lacking = {"SLOWWAVE_EMBEDDING_MODEL": model, "SLOWWAVE_EMBEDDING_DIMENSIONS": dimensions}
        problems = [f"{name}: is not set" for name, told in lacking.items() if told is None]
        raise Incorrect.listing(
            "the embedder", problems, hint="name the model, and the number of dimensions of its vectors"
        )
    url = checked_url(settings.embedding_url, "SLOWWAVE_EMBEDDING_URL")
    return EndpointEmbedder(
        ProviderEndpoint(url, secret(settings.embedding_key) or "", SETTINGS),
        EmbeddingModel(
            model,
            dimensions,
            batch=settings.embedding_batch,
            timeout_seconds=settings.embedding_timeout_seconds,
            shorten=settings.embedding_shorten,
        ),
    )


def summariser_of(name: str) -> Summariser:
    """Return the summariser with that *name*.

    For `model`, return the quoting summariser, because a model rephrases the quotes in a later run.

    Raises `Incorrect` if the summariser is missing or broken.
    """
    from slowwave.inference.summariser import ExtractiveSummariser

    own = dict.fromkeys(OWN_SUMMARISERS, ExtractiveSummariser)
    found: Summariser = _part(SUMMARISERS, "summariser", name, own, does="summarise")
    return found


def _part(group: str, kind: str, name: str, own: Mapping[str, Callable[[], Any]], *, does: str) -> Any:
    if name in own:
        return own[name]()
    others = entry_point_names(group)
    if name not in others:
        raise unknown(kind, name, sorted({*own, *others}))
    return load_plugin(group, kind, name, does=does)


class Scorers:
    """The scorers of salience by name. A scorer from a package is made once per process."""

    def __init__(self) -> None:
        self._brought: dict[str, SalienceScorer] = {}

    def __call__(self, by: Salience) -> SalienceScorer:
        """Return the scorer named *by*. Raises `Incorrect` if the scorer is missing or broken."""
        from slowwave.core.salience.terms import OWN
        from slowwave.rules.scoring import SCORERS

        if by.by in OWN:
            return OWN[by.by](by)
        if by.by not in self._brought:
            self._brought[by.by] = _part(SCORERS, "scorer", by.by, {}, does="score")
        return self._brought[by.by]


if TYPE_CHECKING:
    Shared = cached_property
else:

    class Shared(cached_property):
        """A property that the parts of all cells share: those of the default cell make it."""

        def __get__(self, parts: Any, owner: type | None = None) -> Any:
            """Return the value. Without cells, this is a `cached_property`."""
            cells = getattr(parts, "cells", None)
            if cells is None or parts is (home := cells.home):
                return super().__get__(parts, owner)
            return getattr(home, self.attrname)


class InSpaces:
    """The parts of a process that make vectors."""

    settings: Settings

    @cached_property
    def database(self) -> Database:
        """Connections to the database."""
        raise NotImplementedError

    @Shared
    def embedder(self) -> Embedder:
        """The current embedder, for new scopes and for scopes that were moved to the space of this embedder."""
        return embedder_of(self.settings)

    @Shared
    def earlier(self) -> Mapping[str, Embedder]:
        """The embedders of scopes that were not moved yet, by space: the built-in embedder, and the embedder of the
        earlier setting.
        """
        names = [name for name in (STATIC, self.settings.embedder_before) if name and name != self.settings.embedder]
        found = [embedder_named(self.settings, name) for name in dict.fromkeys(names)]
        return {one.space: one for one in found if one.space != self.embedder.space}

    @cached_property
    def spaces(self) -> PostgresSpaces:
        """The spaces that scopes use for recall."""
        from slowwave.store.reembed import PostgresSpaces

        return PostgresSpaces(self.database)

    def embedders(self, scopes: Sequence[Scope]) -> Mapping[uuid.UUID, Embedder]:
        """Return the embedder of each scope's space, by scope id. All *scopes* belong to one tenant."""
        here = self.spaces.answering(scopes[0].tenant, [one.id for one in scopes]) if self.earlier and scopes else {}
        return {one.id: self.earlier.get(here.get(one.id, ""), self.embedder) for one in scopes}

    def embedder_for(self, scope: Scope) -> Embedder:
        """Return the embedder whose space *scope* uses."""
        return self.embedders([scope])[scope.id]


@dataclass(frozen=True, slots=True)
class _InItsSpace:
    """A `Job` that uses the embedder of the run's scope. *others* maps each space to its embedder and job."""

    usual: Job
    others: Mapping[str, tuple[Embedder, Job]]
    spaces: PostgresSpaces

    def think(self, run: Run, store: PostgresRuns) -> Plan:
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
    """Return the jobs that *made* makes with *embedder*.

    In a scope that was not moved yet, the jobs use the scope's *earlier* embedder.
    """
    usual = made(embedder)
    others = {space: (one, made(one)) for space, one in earlier.items()}
    if not others:
        return usual
    apart = {
        name: _InItsSpace(usual[name], {space: (one, jobs[name]) for space, (one, jobs) in others.items()}, spaces)
        for name in OF_A_SCOPE
    }
    return {**usual, **apart}
