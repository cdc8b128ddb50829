"""Reconsideration by a model: one model request per scope and night, and the changes from the model's verdicts."""

import uuid
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from slowwave.core.belief_changes import Change, name_of
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.model_judgements import QuotedTurn, WeighedJudgement, nearness, weighed
from slowwave.core.fold import Version
from slowwave.domain.claim import CONFIDENCE
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.model_calls import Chunk, Rejected
from slowwave.domain.run import Run
from slowwave.errors import Unreadable
from slowwave.ports import IntentRequest
from slowwave.ports.model_calls import Applied, Planned, Reply, Request
from slowwave.rules.model_packs.judge import Judge
from slowwave.store.model_requests import PostgresModelRequests
from slowwave.store.reconsideration.judgements import PostgresJudgements, RecordProgress, ShownFacts


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
                work.changes.append(_change(run, one, turns[one.judgement.position], shown))
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


def _change(run: Run, one: WeighedJudgement, turn: QuotedTurn, shown: ShownFacts) -> Change:
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
