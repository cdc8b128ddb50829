"""Have a model tell of sessions and of the tree: replies are taken over, and what is new is asked about next.

A session has one request at a time: the summary so far and what is new. Until its reply is there, and where it is
refused, quotes stand in its place. The tree is asked about when no session waits.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from slowwave.core.summaries.retelling import Teller, fitting
from slowwave.core.summaries.rolling import Line
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model.chunk import Chunk
from slowwave.domain.run import Run
from slowwave.errors import Unavailable
from slowwave.jobs.summaries.branches import Branches
from slowwave.jobs.summaries.gathered import Requests, Work, plan_of, taken_over
from slowwave.jobs.summaries.retold import BranchStore, Open, Telling, TellingStore
from slowwave.jobs.summaries.rolling import SummaryStore
from slowwave.ports import Embedder, Plan, RunStore
from slowwave.ports.desk import Request

PAGE = 200
"""Messages that are looked at for one request."""
LATER_SECONDS = 5.0
"""How long a retried dead letter waits for the request under way."""


@dataclass(frozen=True, slots=True)
class Retell:
    """A `Job`. Without a *teller* nobody is asked: summaries quote. It is safe to repeat: replies stay at the desk."""

    teller: Teller | None
    desk: Requests
    tellings: TellingStore
    summaries: SummaryStore
    branches: BranchStore
    embedder: Embedder

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return what replies have told, and the requests that are made next; counts `told`, `refused_…` and `asked`.

        Positions of dead letters are told of once more, and asked about anew.
        """
        if self.teller is None:
            return Plan()
        work = Work()
        if run.only:
            self._retried(run, self.teller, store.episodes(run), work)
        else:
            for one in self.tellings.open(run.tenant, run.scope):
                self._session(run, self.teller, one, work)
            if not work.waits:
                Branches(run, self.teller, self.desk, self.tellings, work).tell(self.branches, self.embedder)
        return plan_of(run, self.teller, work, (self.embedder.space, self.embedder.dimensions))

    def witness(self, run: Run) -> bool:
        """Return True: it reads no episode that could be to blame."""
        del run
        return True

    def _session(self, run: Run, teller: Teller, one: Open, work: Work) -> None:
        """Take over the reply there is, and ask about what was said since."""
        telling, most = one.telling, None
        if telling.waiting is not None:
            if one.reply is not None and one.reply.state in ("pending", "asked") and one.edition == teller.edition:
                work.waits = True
                return
            if one.reply is not None and one.reply.state == "split" and len(one.reply.chunk.episodes) > 1:
                most = len(one.reply.chunk.episodes) // 2
                telling = replace(telling, waiting=None)
            else:
                telling = taken_over(teller, telling, one.reply, work)
        if telling.covered < telling.reached:
            telling = self._next(run, teller, telling, work, most=most)
        work.tellings.append(telling)

    def _next(self, run: Run, teller: Teller, telling: Telling, work: Work, *, most: int | None) -> Telling:
        """Return a telling that waits for a reply about the summary so far and the first turns that follow."""
        assert telling.session is not None
        turns = self.tellings.said(
            run.tenant, run.scope, telling.session, after=telling.covered, upto=telling.reached, most=PAGE
        )
        first = fitting(turns)[:most]
        if not first:
            return replace(telling, covered=telling.reached)
        upto = first[-1].position if len(first) < len(turns) or len(turns) == PAGE else telling.reached
        chunk = self._chunk(run, teller, telling, first)
        key = self.desk.keys(run, teller.edition)(chunk, 0)
        work.requests.append(Request(key, chunk))
        work.waits = True
        return replace(telling, waiting=key, upto=upto)

    def _retried(self, run: Run, teller: Teller, episodes: Sequence[StoredEpisode], work: Work) -> None:
        """Ask once more about the chosen turns of sessions; a request that is dead is asked in another round."""
        chosen: dict[str, list[StoredEpisode]] = defaultdict(list)
        for episode in episodes:
            chosen[episode.session].append(episode)
        for one in self.tellings.of(run.tenant, run.scope, list(chosen)):
            telling = one.telling
            if telling.waiting is not None:
                raise Unavailable("a reply about this session is waited for", retry_after_seconds=LATER_SECONDS)
            chunk = self._chunk(run, teller, telling, chosen[telling.session or ""])
            request = self._another_round(run, teller, chunk)
            work.requests.append(request)
            work.tellings.append(replace(telling, waiting=request.key, upto=telling.covered))

    def _another_round(self, run: Run, teller: Teller, chunk: Chunk) -> Request:
        keys, number = self.desk.keys(run, teller.edition), 0
        while self.desk.states(run, [key := keys(chunk, number)]).get(key) in ("dead", "split"):
            number += 1
        return Request(key, chunk, number)

    def _chunk(self, run: Run, teller: Teller, telling: Telling, turns: Sequence[StoredEpisode]) -> Chunk:
        """Return the request for the next summary; what rests on words that are gone is not shown."""
        lines = telling.lines or self._quotes(run, telling)
        there = self.tellings.at(run.tenant, run.scope, sorted({s.position for line in lines for s in line.sources}))
        previous = [line for line in lines if all(source.position in there for source in line.sources)]
        new = {turn.position for turn in turns}
        quoted = {s.position for line in previous for s in line.sources} - new
        return teller.update(previous, turns, [there[position] for position in sorted(quoted)])

    def _quotes(self, run: Run, telling: Telling) -> list[Line]:
        """Return the sentences that stand for what is covered while no model has told of it."""
        if not telling.covered or telling.session is None:
            return []
        kept = self.summaries.of(run.tenant, run.scope, [telling.session]).get(telling.session)
        return [line for line in kept.lines if line.source.position <= telling.covered] if kept else []
