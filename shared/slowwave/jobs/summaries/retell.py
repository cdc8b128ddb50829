"""Model summaries of sessions and of the tree: replies are applied, and then new turns are requested.

A session has one request at a time, made of the summary so far and the new turns. Until the reply comes, and if it is
refused, quotes take its place. Summaries of the tree's nodes are requested when no session waits for a reply.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from slowwave.core.summaries.extractive_summary import Line
from slowwave.core.summaries.model_summary import ModelSummariser, fitting
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls.chunk import Chunk
from slowwave.domain.run import Run
from slowwave.errors import Unavailable
from slowwave.jobs.summaries.model_summaries import BranchStore, Open, Telling, TellingStore
from slowwave.jobs.summaries.requests import Requests, Work, plan_of, taken_over
from slowwave.jobs.summaries.summarise import SummaryStore
from slowwave.jobs.summaries.tree_summaries import Branches
from slowwave.ports import Embedder, Plan, RunStore
from slowwave.ports.model_calls import Request

PAGE = 200
"""The most messages that are read for one request."""
LATER_SECONDS = 5.0
"""How long a retried dead letter waits for the pending request."""


@dataclass(frozen=True, slots=True)
class Retell:
    """A `Job`. Without a *summariser* (summary model) summaries only quote. Safe to repeat: replies stay stored."""

    summariser: ModelSummariser | None
    model_requests: Requests
    tellings: TellingStore
    summaries: SummaryStore
    branches: BranchStore
    embedder: Embedder

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the summaries from replies, and the next requests; the counts are `told`, `refused_…` and `asked`.

        Positions of retried dead letters get a new request.
        """
        if self.summariser is None:
            return Plan()
        work = Work()
        if run.only:
            self._retried(run, self.summariser, store.episodes(run), work)
        else:
            for one in self.tellings.open(run.tenant, run.scope):
                self._session(run, self.summariser, one, work)
            if not work.waits:
                Branches(run, self.summariser, self.model_requests, self.tellings, work).tell(
                    self.branches, self.embedder
                )
        return plan_of(run, self.summariser, work, (self.embedder.space, self.embedder.dimensions))

    def witness(self, run: Run) -> bool:
        """Return True: no episode can be to blame if retelling fails."""
        del run
        return True

    def _session(self, run: Run, summariser: ModelSummariser, one: Open, work: Work) -> None:
        """Apply the pending reply, and request a summary of the session's new turns."""
        telling, most = one.telling, None
        if telling.waiting is not None:
            if one.reply is not None and one.reply.state in ("pending", "asked") and one.edition == summariser.edition:
                work.waits = True
                return
            if one.reply is not None and one.reply.state == "split" and len(one.reply.chunk.episodes) > 1:
                most = len(one.reply.chunk.episodes) // 2
                telling = replace(telling, waiting=None)
            else:
                telling = taken_over(summariser, telling, one.reply, work)
        if telling.covered < telling.reached:
            telling = self._next(run, summariser, telling, work, most=most)
        work.tellings.append(telling)

    def _next(
        self, run: Run, summariser: ModelSummariser, telling: Telling, work: Work, *, most: int | None
    ) -> Telling:
        """Return a model summary that waits for a reply about the summary so far and the next turns."""
        assert telling.session is not None
        turns = self.tellings.said(
            run.tenant, run.scope, telling.session, after=telling.covered, upto=telling.reached, most=PAGE
        )
        first = fitting(turns)[:most]
        if not first:
            return replace(telling, covered=telling.reached)
        upto = first[-1].position if len(first) < len(turns) or len(turns) == PAGE else telling.reached
        chunk = self._chunk(run, summariser, telling, first)
        key = self.model_requests.keys(run, summariser.edition)(chunk, 0)
        work.requests.append(Request(key, chunk))
        work.waits = True
        return replace(telling, waiting=key, upto=upto)

    def _retried(self, run: Run, summariser: ModelSummariser, episodes: Sequence[StoredEpisode], work: Work) -> None:
        """Request the chosen turns of sessions again; a dead request gets a new round number, and so a new key."""
        chosen: dict[str, list[StoredEpisode]] = defaultdict(list)
        for episode in episodes:
            chosen[episode.session].append(episode)
        for one in self.tellings.of(run.tenant, run.scope, list(chosen)):
            telling = one.telling
            if telling.waiting is not None:
                raise Unavailable("a reply about this session is pending", retry_after_seconds=LATER_SECONDS)
            chunk = self._chunk(run, summariser, telling, chosen[telling.session or ""])
            request = self._another_round(run, summariser, chunk)
            work.requests.append(request)
            work.tellings.append(replace(telling, waiting=request.key, upto=telling.covered))

    def _another_round(self, run: Run, summariser: ModelSummariser, chunk: Chunk) -> Request:
        keys, number = self.model_requests.keys(run, summariser.edition), 0
        while self.model_requests.states(run, [key := keys(chunk, number)]).get(key) in ("dead", "split"):
            number += 1
        return Request(key, chunk, number)

    def _chunk(self, run: Run, summariser: ModelSummariser, telling: Telling, turns: Sequence[StoredEpisode]) -> Chunk:
        """Return the request for the next summary; leave out lines whose source episodes are gone."""
        lines = telling.lines or self._quotes(run, telling)
        there = self.tellings.at(run.tenant, run.scope, sorted({s.position for line in lines for s in line.sources}))
        previous = [line for line in lines if all(source.position in there for source in line.sources)]
        new = {turn.position for turn in turns}
        quoted = {s.position for line in previous for s in line.sources} - new
        return summariser.update(previous, turns, [there[position] for position in sorted(quoted)])

    def _quotes(self, run: Run, telling: Telling) -> list[Line]:
        """Return the quotes for the covered part of a session that has no model summary yet."""
        if not telling.covered or telling.session is None:
            return []
        kept = self.summaries.of(run.tenant, run.scope, [telling.session]).get(telling.session)
        return [line for line in kept.lines if line.source.position <= telling.covered] if kept else []
