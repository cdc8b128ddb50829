"""The job of model summaries: replies are applied, then summaries of sessions and tree nodes are requested."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.summaries.extractive_summary import Line, join
from slowwave.core.summaries.model_summary import ModelSummariser, Reading, fitting
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Chunk, Rejected
from slowwave.domain.run import Run
from slowwave.errors import Unavailable, Unreadable
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, Plan
from slowwave.ports.model_calls import Applied, DeadPositions, Planned, Reply, Request
from slowwave.store.model_requests import PostgresModelRequests
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.summaries.model_summaries import (
    ModelSummary,
    Open,
    PostgresModelSummaries,
    PostgresSummaries,
    WriteModelSummaries,
)
from slowwave.store.summaries.tree import Branch, PostgresBranches

PAGE = 200
"""The maximum number of messages that are read for one request."""
LATER_SECONDS = 5.0
"""Seconds that a retried dead letter waits for the pending request."""
CATEGORIES = {"vanished": "vanished", "failed": "fault"}
"""The category of dead letters about summaries by the reason why a request is dead.

Any other reason gives `incorrect`.
"""


@dataclass(slots=True)
class Work:
    """The model summaries, requests and refusals that one run collects.

    *waits* is True if a reply about a session is pending.
    """

    model_summaries: list[ModelSummary] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    hopeless: list[str] = field(default_factory=list)
    let_go: list[str] = field(default_factory=list)
    buried: list[DeadPositions] = field(default_factory=list)
    rejected: list[tuple[str, Rejected]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    waits: bool = False


@dataclass(slots=True)
class Branches:
    """The nodes of one scope's tree at the time of a run. *work* collects the results."""

    run: Run
    summariser: ModelSummariser
    model_requests: PostgresModelRequests
    model_summaries: PostgresModelSummaries
    work: Work
    _lines: dict[object, list[Line]] = field(default_factory=dict)

    def tell(self, store: PostgresBranches, embedder: Embedder) -> None:
        """Apply replies about nodes, and request summaries of nodes whose children are all summarised."""
        found = sorted(store.branches(self.run.tenant, self.run.scope), key=lambda one: (one.level, one.id))
        children = defaultdict[object, list[Branch]](list)
        for branch in found:
            if branch.parent is not None:
                children[branch.parent].append(branch)
            if all(child.id in self._lines for child in children[branch.id]):
                self._branch(branch, [self._lines[child.id] for child in children[branch.id]], embedder)

    def _branch(self, branch: Branch, items: list[list[Line]], embedder: Embedder) -> None:
        """Apply the reply about a branch, or make a request.

        Unless a reply is pending, also record the lines of the branch.
        """
        if branch.level == 0:
            self._lines[branch.id] = _of_leaf(branch)
            return
        summary_version = branch.open.summary if branch.open else None
        if summary_version is None:
            summary_version = self._next(branch, items)
        elif summary_version.waiting is not None and branch.open is not None:
            reply = branch.open.reply
            if (
                reply is not None
                and reply.state in ("pending", "asked")
                and branch.open.edition == self.summariser.edition
            ):
                return
            summary_version = _taken_over(self.summariser, summary_version, reply, self.work)
            if summary_version.lines:
                summary_version = replace(summary_version, vector=embedder.embed([join(summary_version.lines)])[0])
            elif summary_version.request is None:
                summary_version = self._next(branch, items)
            self.work.model_summaries.append(summary_version)
        if summary_version.waiting is None:
            self._lines[branch.id] = list(summary_version.lines or branch.quotes)

    def _next(self, branch: Branch, items: list[list[Line]]) -> ModelSummary:
        positions = sorted({s.position for lines in items for line in lines for s in line.sources})
        there = self.model_summaries.at(self.run.tenant, self.run.scope, positions)
        known = [[line for line in lines if all(s.position in there for s in line.sources)] for lines in items]
        chunk = self.summariser.together(known, [there[position] for position in positions if position in there])
        request = _round(self.model_requests, self.run, f"{self.summariser.edition} tree", chunk, "erased")
        self.work.requests.append(request)
        return self._recorded(ModelSummary(branch.about, waiting=request.key))

    def _recorded(self, summary_version: ModelSummary) -> ModelSummary:
        self.work.model_summaries.append(summary_version)
        return summary_version


def _of_leaf(branch: Branch) -> list[Line]:
    """Return the lines of a session's model summary, and quotes from the later turns.

    If there is no model summary, return only quotes.
    """
    summary_version = branch.open.summary if branch.open else None
    if summary_version is None or not summary_version.lines:
        return list(branch.quotes)
    return [*summary_version.lines, *(line for line in branch.quotes if line.source.position > summary_version.covered)]


@dataclass(frozen=True, slots=True)
class Retell(JobWithoutCases):
    """A `Job` that applies and requests model summaries.

    Without a *summariser* (summary model), the job does nothing, and summaries consist of quotes. A repeat is safe,
    because replies stay stored.
    """

    summariser: ModelSummariser | None
    model_requests: PostgresModelRequests
    model_summaries: PostgresModelSummaries
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
            for one in self.model_summaries.open(run.tenant, run.scope):
                self._session(run, self.summariser, one, work)
            if not work.waits:
                Branches(run, self.summariser, self.model_requests, self.model_summaries, work).tell(
                    self.branches, self.embedder
                )
        return _plan_of(run, self.summariser, work, (self.embedder.space, self.embedder.dimensions))

    def _session(self, run: Run, summariser: ModelSummariser, one: Open, work: Work) -> None:
        """Apply the pending reply, and request a summary of the session's new turns."""
        summary_version, most = one.summary, None
        if summary_version.waiting is not None:
            if one.reply is not None and one.reply.state in ("pending", "asked") and one.edition == summariser.edition:
                work.waits = True
                return
            if one.reply is not None and one.reply.state == "split" and len(one.reply.chunk.episodes) > 1:
                most = len(one.reply.chunk.episodes) // 2
                summary_version = replace(summary_version, waiting=None)
            else:
                summary_version = _taken_over(summariser, summary_version, one.reply, work)
        anew = one.summary.waiting not in (None, summary_version.request)
        if anew or summary_version.covered < summary_version.reached:
            summary_version = self._next(run, summariser, summary_version, work, most=most)
        work.model_summaries.append(summary_version)

    def _next(
        self, run: Run, summariser: ModelSummariser, summary_version: ModelSummary, work: Work, *, most: int | None
    ) -> ModelSummary:
        """Request a summary of *summary_version* and the next turns, and return it. It waits for the reply.

        Without turns, ask only to rephrase the quotes. Without quotes, return a summary that waits for nothing.
        """
        assert summary_version.session is not None
        turns = self.model_summaries.messages(
            run.tenant,
            run.scope,
            summary_version.session,
            after=summary_version.covered,
            upto=summary_version.reached,
            most=PAGE,
        )
        first = fitting(turns)[:most]
        chunk = self._chunk(run, summariser, summary_version, first)
        if not first and (summary_version.lines or not chunk.before):
            return replace(summary_version, covered=summary_version.reached)
        upto = first[-1].position if len(first) < len(turns) or len(turns) == PAGE else summary_version.reached
        request = _round(self.model_requests, run, summariser.edition, chunk, "erased")
        work.requests.append(request)
        work.waits = True
        return replace(summary_version, waiting=request.key, upto=upto)

    def _retried(self, run: Run, summariser: ModelSummariser, episodes: Sequence[StoredEpisode], work: Work) -> None:
        """Request summaries of the turns in *episodes* again.

        A dead request gets a new round.
        """
        chosen: dict[str, list[StoredEpisode]] = defaultdict(list)
        for episode in episodes:
            chosen[episode.session].append(episode)
        for one in self.model_summaries.of(run.tenant, run.scope, list(chosen)):
            summary_version = one.summary
            if summary_version.waiting is not None:
                raise Unavailable("a reply about this session is pending", retry_after_seconds=LATER_SECONDS)
            chunk = self._chunk(run, summariser, summary_version, chosen[summary_version.session or ""])
            request = _round(self.model_requests, run, summariser.edition, chunk, "dead", "split", "erased")
            work.requests.append(request)
            work.model_summaries.append(replace(summary_version, waiting=request.key, upto=summary_version.covered))

    def _chunk(
        self, run: Run, summariser: ModelSummariser, summary_version: ModelSummary, turns: Sequence[StoredEpisode]
    ) -> Chunk:
        """Return the request for the next summary. Lines with missing source episodes are left out."""
        lines = summary_version.lines or self._quotes(run, summary_version)
        there = self.model_summaries.at(
            run.tenant, run.scope, sorted({s.position for line in lines for s in line.sources})
        )
        previous = [line for line in lines if all(source.position in there for source in line.sources)]
        new = {turn.position for turn in turns}
        quoted = {s.position for line in previous for s in line.sources} - new
        return summariser.update(previous, turns, [there[position] for position in sorted(quoted)])

    def _quotes(self, run: Run, summary_version: ModelSummary) -> list[Line]:
        """Return the quotes for the covered part of a session that has no model summary yet."""
        if not summary_version.covered or summary_version.session is None:
            return []
        summary = self.summaries.of(run.tenant, run.scope, [summary_version.session]).get(summary_version.session)
        return [line for line in summary.lines if line.source.position <= summary_version.covered] if summary else []


def _round(requests: PostgresModelRequests, run: Run, edition: str, chunk: Chunk, *over: str) -> Request:
    """Return the first round whose request is in none of the states *over*. Each round has its own key."""
    keys, number = requests.keys(run, edition), 0
    while requests.states(run, [key := keys(chunk, number)]).get(key) in over:
        number += 1
    return Request(key, chunk, number)


def _taken_over(
    summariser: ModelSummariser, summary_version: ModelSummary, reply: Reply | None, work: Work
) -> ModelSummary:
    """Return *summary_version* (a model summary) with the lines that the *reply* gives.

    If the reply is unusable, the result has no lines, and the reason is added to *work*. If the request was abandoned
    or erased, the result waits for no reply, and a later run requests the summary again.
    """
    asked, covered = summary_version.waiting, max(summary_version.covered, summary_version.upto)
    ended = replace(summary_version, waiting=None, request=asked, covered=covered)
    if reply is None or reply.state not in ("answered", "dead", "split"):
        work.let_go += [asked] if asked else []
        return replace(summary_version, waiting=None)
    if reply.state == "split":
        work.hopeless.append(reply.request)
    if reply.state != "answered" or reply.raw is None:
        reason = reply.reason or "its reply is unreadable"
        if summary_version.session is not None:
            category = CATEGORIES.get(reason.partition(":")[0], "incorrect")
            work.buried.append(DeadPositions(reply.chunk.positions, category, f"the model's part: {reason}"))
        work.counts["dead"] += 1
        return replace(ended, model=None, lines=(), vector=None)
    return _read(summariser, ended, reply, reply.raw, work)


def _read(summariser: ModelSummariser, ended: ModelSummary, reply: Reply, raw: str, work: Work) -> ModelSummary:
    try:
        reading = summariser.read(reply.chunk, raw)
    except Unreadable as error:  # another version of this code could read the reply
        reading = Reading((), Counter(refused_unreadable=1), error.message)
    if reading.reasons is not None:
        work.counts.update(reading.reasons)
        reason = "; ".join(sorted(name.replace("_", " ") for name in reading.reasons))
        first = min(reply.chunk.positions, default=0)
        work.rejected.append((reply.request, Rejected(first, reason, {"text": reading.unsaid})))
        return replace(ended, model=None, lines=(), vector=None)
    work.counts["told"] += 1
    return replace(ended, model=summariser.model, lines=reading.lines)


def _plan_of(run: Run, summariser: ModelSummariser, work: Work, space: tuple[str, int]) -> Plan:
    """Return the plan that writes the *work* of a run; its vectors are in *space*."""
    if not (work.model_summaries or work.requests):
        return Plan()
    planned = Planned(run.pack, summariser.model, summariser.edition, work.requests, work.hopeless)
    effects: list[object] = [WriteModelSummaries(work.model_summaries, planned, work.let_go, space)]
    if work.buried or work.rejected:
        effects.append(Applied(work.buried, work.rejected))
    return Plan(effects=effects, counts={**work.counts, "asked": len(work.requests)})
