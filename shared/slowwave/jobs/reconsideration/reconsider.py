"""Reconsideration of beliefs: a comparison of recently learned facts with the nearest existing beliefs.

A new fact may end a belief, deny the belief, or repeat the belief in other words. Rules find the plain cases at once.
If a model is configured, it is asked at night.
"""

import uuid
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from slowwave.core.belief_changes import ASKS, Change, Lasting, Learned, asked, decided, name_of
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.model_judgements import QuotedTurn, WeighedJudgement, nearness, weighed
from slowwave.core.contradiction.reconsideration import Verdict, near_things
from slowwave.core.contradiction.reported_changes import head
from slowwave.core.fold import Decision, Version
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import CONFIDENCE, Source
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.model_calls import Chunk, Rejected
from slowwave.domain.run import Run
from slowwave.errors import Unreadable
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, IntentRequest, Plan
from slowwave.ports.model_calls import Applied, Planned, Reply, Request
from slowwave.ports.recall import Nearness
from slowwave.rules.model_packs.judge import Judge
from slowwave.store.model_requests import PostgresModelRequests
from slowwave.store.reconsideration.judgements import PostgresJudgements, RecordProgress, ShownFacts
from slowwave.store.reconsideration.new_facts import PostgresNewFacts
from slowwave.store.runs.runs import PostgresRuns


@dataclass(slots=True)
class Work:
    """The changes, effects and counts of a run that come from the model."""

    changes: list[Change] = field(default_factory=list)
    effects: list[object] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ModelJudging:
    """The judgement of a scope's beliefs by a model, with one request per night. Each reply is applied once."""

    judge: Judge
    model_requests: PostgresModelRequests
    store: PostgresJudgements

    def look(self, run: Run, matters: Matters, work: Work, *, gone: Collection[uuid.UUID], news: bool) -> None:
        """Apply the waiting reply, or make a request about new facts.

        The request leaves out the beliefs with ids in *gone*.

        *news* says whether there are new facts. If so, during the day, another run is requested, which works at night.
        That run also covers the facts learned while a reply was pending.
        """
        asked = self.store.asked(run)
        since, let_go = asked.until, list[str]()
        if asked.waiting is not None:
            reply = asked.reply
            if reply is not None and reply.state in ("pending", "asked") and asked.edition == self.judge.edition:
                return
            if reply is not None and reply.state in ("answered", "dead", "split"):
                self._take_over(run, matters, reply, work)
                hopeless = [reply.request] if reply.state == "split" else []
                work.effects.append(RecordProgress(since, since, hopeless=hopeless))
                work.effects.append(IntentRequest(RECONSIDER, pack_of(RECONSIDER)))
                return
            since, let_go = asked.since, [asked.waiting]
        if self.store.is_night(run, since):
            request = self._request(run, matters, since, gone)
            planned = Planned(run.pack, self.judge.model, self.judge.edition, [request]) if request else None
            work.effects.append(RecordProgress(asked.now, since, request.key if request else None, planned, let_go))
            work.counts["asked"] += bool(request)
        elif news or let_go:
            work.effects += [RecordProgress(since, since, let_go=let_go)] if let_go else []
            work.effects.append(IntentRequest(RECONSIDER, pack_of(RECONSIDER)))

    def _request(
        self, run: Run, matters: Matters, after: datetime | None, gone: Collection[uuid.UUID]
    ) -> Request | None:
        """Return a request about facts learned after the time *after*. None if no belief is similar to these facts.

        The request leaves out the beliefs with ids in *gone*.
        """
        found = self.store.beside(run, matters, after)
        beliefs = [belief for belief in found.beliefs if belief.fact not in gone]
        near = nearness(found.turns, beliefs, found.meaning, matters, common=found.common)
        if not near:
            return None
        chunk = self.judge.ask(found.turns, beliefs, near, found.before)
        keys, number = self.model_requests.keys(run, self.judge.edition), 0
        while self.model_requests.states(run, [key := keys(chunk, number)]).get(key) in (
            "answered",
            "dead",
            "split",
            "erased",
        ):
            number += 1
        return Request(key, chunk, number)

    def _take_over(self, run: Run, matters: Matters, reply: Reply, work: Work) -> None:
        """Add the changes that a reply proposes, and the rejected verdicts with their reasons, to *work*."""
        if reply.state != "answered" or reply.raw is None:
            work.counts["dead"] += 1
            return
        try:
            judgements, refused = self.judge.read(reply.chunk, reply.raw)
        except Unreadable as error:  # another version of this code could read the reply
            judgements, refused = [], [Rejected(min(reply.chunk.positions, default=0), error.message)]
        noted = reply.chunk.words.noted
        beliefs = [uuid.UUID(fact) for fact in noted.get("beliefs", ())]
        new_facts = [*(facts for *_, facts in noted.get("said", ())), *noted.get("ended", {}).values()]
        news = {uuid.UUID(fact) for facts in new_facts for fact in facts}
        shown = self.store.shown(run, news, beliefs)
        turns = _turns(reply.chunk, shown.facts)
        shown_beliefs = {fact: shown.facts[fact] for fact in beliefs if fact in shown.facts}
        judgements = [one for one in judgements if one.position in turns]
        for one in weighed(judgements, turns, shown_beliefs, shown.meaning, matters):
            if one.refused:
                refused.append(_rejected(one, turns, shown))
            else:
                work.changes.append(_judged_change(run, one, turns[one.judgement.position], shown))
        work.counts["verdicts"] += len(work.changes)
        work.counts["refused"] += len(refused)
        if refused:
            work.effects.append(Applied((), [(reply.request, one) for one in refused]))


def _turns(chunk: Chunk, facts: Mapping[uuid.UUID, Version]) -> dict[int, QuotedTurn]:
    """Return the turns of a request by position.

    Each turn has the facts that it stated and the facts that it ended, if they are in *facts*.
    """
    episodes = {episode.position: episode for episode in chunk.episodes}
    over = chunk.words.noted.get("ended", {})
    found = dict[int, QuotedTurn]()
    for position, start, end, news in chunk.words.noted.get("said", ()):
        if position in episodes:
            learned, ended = (
                tuple(facts[fact] for fact in map(uuid.UUID, each) if fact in facts)
                for each in (news, over.get(str(position), ()))
            )
            found[position] = QuotedTurn(episodes[position], start, end, learned, ended)
    return found


def _judged_change(run: Run, one: WeighedJudgement, turn: QuotedTurn, shown: ShownFacts) -> Change:
    """Return the change that a verdict makes.

    The change cites the quoted words, and is valid from the time of these words on.
    """
    belief, repeats = one.beliefs[0], one.repeats
    assert one.kind is not None
    rests = shown.sources.get(repeats.fact, ()) if repeats else ()
    beside = () if repeats else shown.sources.get(belief.fact, ())
    return Change(
        name_of(run.scope, one.kind, belief.fact, turn.episode.id), one.kind, "model-", one.beliefs,
        [one.judgement.source, *beside], turn.episode.session,
        repeats.valid.start if repeats else turn.episode.occurred, CONFIDENCE["explicit"], repeats,
        rests or [one.judgement.source],
    )  # fmt: skip


def _rejected(one: WeighedJudgement, turns: Mapping[int, QuotedTurn], shown: ShownFacts) -> Rejected:
    source = one.judgement.source
    belief = shown.facts.get(one.judgement.belief)
    words = turns[one.judgement.position].episode.content[source.start : source.end]
    fields = {"belief": (belief.text or belief.object)[:300] if belief else "", "words": words[:300]}
    return Rejected(one.judgement.position, one.refused, {"verdict": one.judgement.kind, **fields})


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
