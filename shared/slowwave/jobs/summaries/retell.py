"""The job of model summaries: replies are applied, then summaries of sessions and tree nodes are requested."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from slowwave.core.summaries.extractive_summary import Line, join
from slowwave.core.summaries.model_summary import ModelSummariser, fitting
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk
from slowwave.domain.run import Run
from slowwave.errors import Unavailable
from slowwave.jobs.summaries.model_summaries import Work, plan_of, taken_over
from slowwave.ports import Embedder, Plan
from slowwave.ports.model_calls import Request
from slowwave.store.model_requests import PostgresModelRequests
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.summaries.model_summaries import ModelSummary, Open, PostgresModelSummaries, PostgresSummaries
from slowwave.store.summaries.tree import Branch, PostgresBranches

PAGE = 200
"""The most messages that are read for one request."""
LATER_SECONDS = 5.0
"""Seconds that a retried dead letter waits for the pending request."""


class Branches:
    """The nodes of one scope's tree at the time of a run. *work* collects the results."""

    def __init__(
        self,
        run: Run,
        summariser: ModelSummariser,
        model_requests: PostgresModelRequests,
        tellings: PostgresModelSummaries,
        work: Work,
    ) -> None:
        self._run, self._summariser, self._model_requests, self._tellings, self._work = (
            run,
            summariser,
            model_requests,
            tellings,
            work,
        )
        self._told = dict[object, list[Line]]()

    def tell(self, store: PostgresBranches, embedder: Embedder) -> None:
        """Apply replies about nodes, and request summaries of nodes whose children are all summarised."""
        found = sorted(store.branches(self._run.tenant, self._run.scope), key=lambda one: (one.level, one.id))
        children = defaultdict[object, list[Branch]](list)
        for branch in found:
            if branch.parent is not None:
                children[branch.parent].append(branch)
            if all(child.id in self._told for child in children[branch.id]):
                self._branch(branch, [self._told[child.id] for child in children[branch.id]], embedder)

    def _branch(self, branch: Branch, items: list[list[Line]], embedder: Embedder) -> None:
        """Apply the reply about a branch, or make a request.

        Unless a reply is pending, also record the lines of the branch.
        """
        if branch.level == 0:
            self._told[branch.id] = _of_leaf(branch)
            return
        telling = branch.open.summary if branch.open else None
        if telling is None:
            telling = self._next(branch, items)
        elif telling.waiting is not None and branch.open is not None:
            reply = branch.open.reply
            if (
                reply is not None
                and reply.state in ("pending", "asked")
                and branch.open.edition == self._summariser.edition
            ):
                return
            telling = taken_over(self._summariser, telling, reply, self._work)
            if telling.lines:
                telling = replace(telling, vector=embedder.embed([join(telling.lines)])[0])
            elif telling.request is None:
                telling = self._next(branch, items)
            self._work.tellings.append(telling)
        if telling.waiting is None:
            self._told[branch.id] = list(telling.lines or branch.quotes)

    def _next(self, branch: Branch, items: list[list[Line]]) -> ModelSummary:
        positions = sorted({s.position for lines in items for line in lines for s in line.sources})
        there = self._tellings.at(self._run.tenant, self._run.scope, positions)
        known = [[line for line in lines if all(s.position in there for s in line.sources)] for lines in items]
        chunk = self._summariser.together(known, [there[position] for position in positions if position in there])
        key = self._model_requests.keys(self._run, f"{self._summariser.edition} tree")(chunk, 0)
        self._work.requests.append(Request(key, chunk))
        return self._kept(ModelSummary(branch.about, waiting=key))

    def _kept(self, telling: ModelSummary) -> ModelSummary:
        self._work.tellings.append(telling)
        return telling


def _of_leaf(branch: Branch) -> list[Line]:
    """Return the lines of a session's model summary, and quotes from the later turns.

    If there is no model summary, return only quotes.
    """
    telling = branch.open.summary if branch.open else None
    if telling is None or not telling.lines:
        return list(branch.quotes)
    return [*telling.lines, *(line for line in branch.quotes if line.source.position > telling.covered)]


@dataclass(frozen=True, slots=True)
class Retell:
    """A `Job` that applies and requests model summaries.

    Without a *summariser* (summary model), the job does nothing, and summaries consist of quotes. A repeat is safe,
    because replies stay stored.
    """

    summariser: ModelSummariser | None
    model_requests: PostgresModelRequests
    tellings: PostgresModelSummaries
    summaries: PostgresSummaries
    branches: PostgresBranches
    embedder: Embedder

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the summaries from replies, and the next requests.

        The counts are `told`, `refused_…` and `asked`. Positions of retried dead letters get a new request.
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
        """Return True: this job has no test cases."""
        del run
        return True

    def _session(self, run: Run, summariser: ModelSummariser, one: Open, work: Work) -> None:
        """Apply the pending reply, and request a summary of the session's new turns."""
        telling, most = one.summary, None
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
        self, run: Run, summariser: ModelSummariser, telling: ModelSummary, work: Work, *, most: int | None
    ) -> ModelSummary:
        """Request a summary of *telling* and the next turns; return *telling*, which now waits for the reply."""
        assert telling.session is not None
        turns = self.tellings.messages(
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
        """Request summaries of the turns in *episodes* again.

        A dead request gets a new round number, and therefore a new key.
        """
        chosen: dict[str, list[StoredEpisode]] = defaultdict(list)
        for episode in episodes:
            chosen[episode.session].append(episode)
        for one in self.tellings.of(run.tenant, run.scope, list(chosen)):
            telling = one.summary
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

    def _chunk(
        self, run: Run, summariser: ModelSummariser, telling: ModelSummary, turns: Sequence[StoredEpisode]
    ) -> Chunk:
        """Return the request for the next summary. Lines with missing source episodes are left out."""
        lines = telling.lines or self._quotes(run, telling)
        there = self.tellings.at(run.tenant, run.scope, sorted({s.position for line in lines for s in line.sources}))
        previous = [line for line in lines if all(source.position in there for source in line.sources)]
        new = {turn.position for turn in turns}
        quoted = {s.position for line in previous for s in line.sources} - new
        return summariser.update(previous, turns, [there[position] for position in sorted(quoted)])

    def _quotes(self, run: Run, telling: ModelSummary) -> list[Line]:
        """Return the quotes for the covered part of a session that has no model summary yet."""
        if not telling.covered or telling.session is None:
            return []
        kept = self.summaries.of(run.tenant, run.scope, [telling.session]).get(telling.session)
        return [line for line in kept.lines if line.source.position <= telling.covered] if kept else []
