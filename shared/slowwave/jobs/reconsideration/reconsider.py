"""Reconsideration of beliefs: a comparison of recently learned facts with the nearest existing beliefs.

A new fact may end a belief, deny the belief, or repeat the belief in other words. Rules find the plain cases at once.
If a model is configured, it is asked at night.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from slowwave.core.belief_changes import ASKS, Change, Lasting, Learned, asked, decided, name_of
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import Verdict, near_things
from slowwave.core.contradiction.reported_changes import head
from slowwave.core.fold import Decision
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Source
from slowwave.domain.run import Run
from slowwave.jobs.reconsideration.model_judgements import ModelJudging, Work
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, Plan
from slowwave.ports.recall import Nearness
from slowwave.store.reconsideration.new_facts import PostgresNewFacts
from slowwave.store.runs.runs import PostgresRuns


@dataclass(frozen=True, slots=True)
class Reconsider(JobWithoutCases):
    """A `Job` that compares facts by rules and, if *judging* is set, with a model.

    A repeated run is safe, and makes no decision twice.

    A scope has at most one model request at a time. The request is made when the job's cadence has fired and there are
    new facts.
    """

    store: PostgresNewFacts
    predicates: Predicates
    embedder: Embedder
    nearness: Nearness
    judging: ModelJudging | None = None

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the ends, denials and repetitions that were found.

        The counts are the compared new facts (`news`) and the verdicts.
        """
        matters = Matters(self.predicates)
        found = self.store.learned(run, matters)
        judged = found.verdicts(matters)
        changes = [_change(run, verdict, found.sources) for verdict in judged]
        changes += self._asked(run, found, judged, matters)
        lasting = [Lasting(belief, found.sources[belief.fact]) for belief in found.wrongly_ended(judged, matters)]
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

    def _asked(self, run: Run, found: Learned, judged: Sequence[Verdict], matters: Matters) -> Iterator[Change]:
        """Yield reviews about reported ends that matched no belief.

        A report becomes a review only if a belief has words of similar meaning. A person then decides which belief has
        ended.
        """
        ended = {verdict.news.position for verdict in judged}
        unmatched = {(one.source.episode, head(one)): (one, who) for one, who in found.unmatched}
        for news, speaker in unmatched.values():
            near = near_things(news, speaker, found.recent, matters, self.nearness.says)
            if near and news.source.position not in ended:
                yield asked(run.scope, news, near)

    def _decisions(
        self, run: Run, store: PostgresRuns, lasting: Sequence[Lasting], changes: Sequence[Change]
    ) -> list[Decision]:
        if not changes and not lasting:
            return []
        done = self.store.done(run, changes)
        claims = [*(one.claim for one in lasting), *(change.claim for change in changes)]
        fold = replace(store.fold(run, claims), predicates=self.predicates)
        lasting_decisions = [decision for one in lasting for decision in one.decided(fold)]
        return [*lasting_decisions, *decided(fold, (change for change in changes if change.id not in done))]


def _change(run: Run, verdict: Verdict, sources: Mapping[uuid.UUID, Sequence[Source]]) -> Change:
    """Return the change that a verdict makes.

    The change is valid from the start of the new fact, and cites the words of both facts.
    """
    news, belief = verdict.news, verdict.beliefs[0]
    same = verdict.kind == "same"
    return Change(
        name_of(run.scope, verdict.kind, belief.fact, news.fact), verdict.kind, "", verdict.beliefs,
        [*sources[news.fact], *([] if same else sources[belief.fact])], news.session, news.valid.start,
        news.confidence, news if same else None, sources[news.fact],
    )  # fmt: skip
