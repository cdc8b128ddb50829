"""Reconsideration of beliefs: compares recently learned facts with the nearest existing beliefs.

The comparison includes facts that were stated separately or learned in one batch. A new fact may end a belief, deny it,
or repeat it in other words. Rules find the plain cases at once; a model, if one is set, is asked at night.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import Ending, Meaning, Occurred, Verdict, near_things, verdicts
from slowwave.core.contradiction.reported_changes import head
from slowwave.core.fold import Decision, Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim, Source
from slowwave.domain.run import Run
from slowwave.jobs.reconsideration.changes import ASKS, Change, Lasting, asked, decided, name_of
from slowwave.jobs.reconsideration.model_judgements import ModelJudging, Work
from slowwave.ports import Embedder, Plan, RunStore
from slowwave.ports.recall import Nearness

_ENDS = ("ended", "contradicted")


@dataclass(frozen=True, slots=True)
class Learned:
    """The *news* (facts learned since the last run), and the open *beliefs* that share words with them.

    *meaning* has the similarity of news and beliefs. *common* words occur in too many beliefs to be looked up.
    *sources* has the sources of each fact. *endings* are the facts ended or replaced since the last run.

    *unmatched* is news of ends that ended nothing, each with its speaker, and *recent* are the open beliefs mentioned
    last; none without such news.

    If some facts came *late*, *news* and *endings* also contain facts about later times that were known before them.
    *beliefs* are then as they were before such facts *ended* some of them, and *occurred* has the times of all turns.
    """

    news: Sequence[Version] = ()
    beliefs: Sequence[Version] = ()
    meaning: Meaning = field(default_factory=dict)
    common: Collection[str] = ()
    sources: Mapping[uuid.UUID, Sequence[Source]] = field(default_factory=dict)
    endings: Sequence[Ending] = ()
    occurred: Occurred | None = None
    late: Collection[uuid.UUID] = ()
    ended: Collection[uuid.UUID] = ()
    unmatched: Sequence[tuple[Claim, str]] = ()
    recent: Sequence[Version] = ()

    def verdicts(self, matters: Matters, *, without_late: bool = False) -> list[Verdict]:
        """Return the verdicts on the beliefs; with *without_late*, the verdicts before the late facts came."""
        beliefs = [one for one in self.beliefs if not (without_late and one.fact in self.late)]
        found = verdicts(
            self.news, beliefs, self.meaning, matters, common=self.common, endings=self.endings, occurred=self.occurred
        )
        return list(found)

    def still_held(self, judged: Iterable[Verdict], matters: Matters) -> list[Version]:
        """Return the beliefs that would not have ended if the late facts had come in time."""
        if not self.ended:
            return []
        over = {one.beliefs[0].fact for one in judged if one.kind in _ENDS}
        was = [one.beliefs[0] for one in self.verdicts(matters, without_late=True) if one.kind in _ENDS]
        return [belief for belief in was if belief.fact in self.ended and belief.fact not in over]


class LearnedStore(Protocol):
    """The new facts of a scope, as the database keeps them. Each method is one transaction and raises `Unavailable`."""

    def learned(self, run: Run, matters: Matters) -> Learned:
        """Return the facts learned since the last such run, and the beliefs that share words with them."""

    def done(self, run: Run, changes: Sequence[Change]) -> Collection[uuid.UUID]:
        """Return the ids of *changes* that are in the ledger or have a review.

        A review about one of a change's beliefs, from the episode that reports the change, counts too.
        """


@dataclass(frozen=True, slots=True)
class Reconsider:
    """A `Job` that compares by rules, and with a model if *judging* is set. Safe to repeat: a decision is made once.

    A scope has one model request at a time, which is made when the job's cadence has fired and there are new facts.
    """

    store: LearnedStore
    predicates: Predicates
    embedder: Embedder
    nearness: Nearness
    judging: ModelJudging | None = None

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the ends, denials and repetitions found; count the `news` (new facts) compared, and the verdicts."""
        matters = Matters(self.predicates)
        found = self.store.learned(run, matters)
        judged = found.verdicts(matters)
        changes = [_change(run, verdict, found.sources) for verdict in judged]
        changes += self._asked(run, found, judged, matters)
        lasting = [Lasting(belief, found.sources[belief.fact]) for belief in found.still_held(judged, matters)]
        work = Work()
        if self.judging is not None:
            gone = {change.beliefs[0].fact for change in changes if change.kind not in ASKS}
            self.judging.look(run, matters, work, gone=gone, news=bool(found.news))
        counts = {"news": len(found.news)} if found.news else {}
        decisions = self._decisions(run, store, lasting, [*changes, *work.changes])
        new = [decision for decision in decisions if decision.kind == "update"]
        vectors = self.embedder.embed([decision.opens[0].text for decision in new])
        return Plan(
            decisions=decisions,
            fact_vectors={one.id: vector for one, vector in zip(new, vectors, strict=True) if vector.any()},
            effects=work.effects,
            counts={**counts, **work.counts},
        )

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: reconsidering reads no episode, so none can be to blame."""
        return True

    def _asked(self, run: Run, found: Learned, judged: Sequence[Verdict], matters: Matters) -> Iterator[Change]:
        """Give one question for each thing that has ended, if it ended nothing and may be believed in other words."""
        ended = {verdict.news.position for verdict in judged}
        told = {(one.source.episode, head(one)): (one, who) for one, who in found.unmatched}
        for news, speaker in told.values():
            near = near_things(news, speaker, found.recent, matters, self.nearness.says)
            if near and news.source.position not in ended:
                yield asked(run.scope, news, near)

    def _decisions(
        self, run: Run, store: RunStore, lasting: Sequence[Lasting], changes: Sequence[Change]
    ) -> list[Decision]:
        if not changes and not lasting:
            return []
        done = self.store.done(run, changes)
        claims = [*(one.claim for one in lasting), *(change.claim for change in changes)]
        fold = replace(store.held(run, claims), predicates=self.predicates)
        held = [decision for one in lasting for decision in one.decided(fold)]
        return [*held, *decided(fold, (change for change in changes if change.id not in done))]


def _change(run: Run, verdict: Verdict, sources: Mapping[uuid.UUID, Sequence[Source]]) -> Change:
    """Return the change that a verdict makes, valid since the new fact; it cites the words of both facts."""
    news, belief = verdict.news, verdict.beliefs[0]
    same = verdict.kind == "same"
    return Change(
        name_of(run.scope, verdict.kind, belief.fact, news.fact), verdict.kind, "", verdict.beliefs,
        [*sources[news.fact], *([] if same else sources[belief.fact])], news.session, news.valid.start,
        news.confidence, news if same else None, sources[news.fact],
    )  # fmt: skip
