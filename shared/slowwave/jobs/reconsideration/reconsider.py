"""Reconsideration of beliefs: compares recently learned facts with the nearest existing beliefs.

Facts that were told separately, or planned in one batch, meet here. A new fact may end a belief, deny it, or repeat it
in other words. Rules find the plain cases at once; a model, if one is set, is asked at night.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import Ending, Meaning, Verdict, verdicts
from slowwave.core.fold import Decision, Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Source
from slowwave.domain.run import Run
from slowwave.jobs.reconsideration.changes import Change, decided, name_of
from slowwave.jobs.reconsideration.model_judgements import ModelJudging, Work
from slowwave.ports import Plan, RunStore


@dataclass(frozen=True, slots=True)
class Learned:
    """The *news* (facts learned since the last run), the open *beliefs* that share their words, and their *meaning*.

    *meaning* says how near they are. *common* words occur in too many beliefs to be looked up. *sources* are the words
    that each fact rests on. *endings* are the facts ended or replaced since.
    """

    news: Sequence[Version] = ()
    beliefs: Sequence[Version] = ()
    meaning: Meaning = field(default_factory=dict)
    common: Collection[str] = ()
    sources: Mapping[uuid.UUID, Sequence[Source]] = field(default_factory=dict)
    endings: Sequence[Ending] = ()


class LearnedStore(Protocol):
    """The new facts of a scope, as the database keeps them. Each method is one transaction and raises `Unavailable`."""

    def learned(self, run: Run, matters: Matters) -> Learned:
        """Return the facts learned since the last such run, and the beliefs that share words with them."""

    def done(self, run: Run, deltas: Collection[uuid.UUID]) -> Collection[uuid.UUID]:
        """Return which of these deltas are in the ledger, or were put before a person for review."""


@dataclass(frozen=True, slots=True)
class Reconsider:
    """A `Job` of a scope, by rules, and by a model if one is *judging*. Safe to repeat: a decision is made once.

    A scope has one model request at a time. It is made when the job's cadence fired and there are new facts.
    """

    store: LearnedStore
    predicates: Predicates
    judging: ModelJudging | None = None

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the ends, denials and repetitions found; count the `news` (new facts) compared, and the verdicts."""
        matters = Matters(self.predicates)
        found = self.store.learned(run, matters)
        judged = verdicts(found.news, found.beliefs, found.meaning, matters, common=found.common, endings=found.endings)
        changes = [_change(run, verdict, found.sources) for verdict in judged]
        work = Work()
        if self.judging is not None:
            gone = {change.beliefs[0].fact for change in changes if change.kind != "unsure"}
            self.judging.look(run, matters, work, gone=gone, news=bool(found.news))
        counts = {"news": len(found.news)} if found.news else {}
        return Plan(
            decisions=self._decisions(run, store, [*changes, *work.changes]),
            effects=work.effects,
            counts={**counts, **work.counts},
        )

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: reconsidering reads no episode, so none can be to blame."""
        return True

    def _decisions(self, run: Run, store: RunStore, changes: Sequence[Change]) -> list[Decision]:
        if not changes:
            return []
        done = self.store.done(run, [change.id for change in changes])
        fold = replace(store.held(run, [change.claim for change in changes]), predicates=self.predicates)
        return list(decided(fold, (change for change in changes if change.id not in done)))


def _change(run: Run, verdict: Verdict, sources: Mapping[uuid.UUID, Sequence[Source]]) -> Change:
    """Return the change that a verdict makes, valid since the new fact; it cites the words of both facts."""
    news, belief = verdict.news, verdict.beliefs[0]
    same = verdict.kind == "same"
    return Change(
        name_of(run.scope, verdict.kind, belief.fact, news.fact), verdict.kind, "", verdict.beliefs,
        [*sources[news.fact], *([] if same else sources[belief.fact])], news.session, news.valid.start,
        news.confidence, news if same else None, sources[news.fact],
    )  # fmt: skip
