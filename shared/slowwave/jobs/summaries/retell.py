"""Have a model tell of sessions: replies are taken over, and what was said since is asked about next.

A session has one request at a time: the summary so far and what is new. Until its reply is there, and where it is
refused, quotes stand in its place.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from slowwave.core.summaries.retelling import Reading, Teller, fitting
from slowwave.core.summaries.rolling import Line
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model.chunk import Chunk, Rejected
from slowwave.domain.run import Run
from slowwave.errors import Unavailable, Unreadable
from slowwave.jobs.summaries.retold import Open, Retold, Telling, TellingStore
from slowwave.jobs.summaries.rolling import SummaryStore
from slowwave.ports import Plan, RunStore
from slowwave.ports.desk import Applied, Buried, Keys, Planned, Reply, Request

PAGE = 200
"""Messages that are looked at for one request."""
LATER_SECONDS = 5.0
"""How long a retried dead letter waits for the request under way."""
CATEGORIES = {"vanished": "vanished", "failed": "fault"}
"""Why a request is dead, as the category of its episodes' letters; any other reason is in the words themselves."""


class Requests(Protocol):
    """Of the desk, what a request needs."""

    def keys(self, run: Run, edition: str) -> Keys:
        """Return what makes keys for requests of this run's scope and pack."""

    def states(self, run: Run, keys: Sequence[str]) -> Mapping[str, str]:
        """Return the states of those requests that are there."""


@dataclass(slots=True)
class Work:
    """The tellings, requests and refusals that one run comes to, as they are gathered."""

    tellings: list[Telling] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    hopeless: list[str] = field(default_factory=list)
    let_go: list[str] = field(default_factory=list)
    buried: list[Buried] = field(default_factory=list)
    rejected: list[tuple[str, Rejected]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Retell:
    """A `Job`. Without a *teller* nobody is asked: summaries quote. It is safe to repeat: replies stay at the desk."""

    teller: Teller | None
    desk: Requests
    tellings: TellingStore
    summaries: SummaryStore

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
        return _plan(run, self.teller, work)

    def witness(self, run: Run) -> bool:
        """Return True: it reads no episode that could be to blame."""
        del run
        return True

    def _session(self, run: Run, teller: Teller, one: Open, work: Work) -> None:
        """Take over the reply there is, and ask about what was said since."""
        telling, most = one.telling, None
        if telling.waiting is not None:
            if one.reply is not None and one.reply.state in ("pending", "asked") and one.edition == teller.edition:
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


def taken_over(teller: Teller, telling: Telling, reply: Reply | None, work: Work) -> Telling:
    """Return a telling after the reply it waited for: in the model's words, or quotes again, with the reason kept.

    One whose request was let go, or erased, waits for none: it is asked about anew.
    """
    asked, covered = telling.waiting, max(telling.covered, telling.upto)
    ended = replace(telling, waiting=None, request=asked, covered=covered)
    if reply is None or reply.state not in ("answered", "dead", "split"):
        work.let_go += [asked] if asked else []
        return replace(telling, waiting=None)
    if reply.state == "split":
        work.hopeless.append(reply.request)
    if reply.state != "answered" or reply.raw is None:
        reason = reply.reason or "its reply cannot be read"
        if telling.session is not None:
            category = CATEGORIES.get(reason.partition(":")[0], "incorrect")
            work.buried.append(Buried(reply.chunk.positions, category, f"the model's part: {reason}"))
        work.counts["dead"] += 1
        return replace(ended, model=None, lines=(), vector=None)
    return _read(teller, ended, reply, reply.raw, work)


def _read(teller: Teller, ended: Telling, reply: Reply, raw: str, work: Work) -> Telling:
    try:
        reading = teller.read(reply.chunk, raw)
    except Unreadable as error:  # it was read once: by another version of this code
        reading = Reading((), Counter(refused_unreadable=1), error.message)
    if reading.reasons is not None:
        work.counts.update(reading.reasons)
        reason = "; ".join(sorted(name.replace("_", " ") for name in reading.reasons))
        first = min(reply.chunk.positions, default=0)
        work.rejected.append((reply.request, Rejected(first, reason, {"text": reading.unsaid})))
        return replace(ended, model=None, lines=(), vector=None)
    work.counts["told"] += 1
    return replace(ended, model=teller.model, lines=reading.lines)


def _plan(run: Run, teller: Teller, work: Work) -> Plan:
    if not (work.tellings or work.requests):
        return Plan()
    planned = Planned(run.pack, teller.model, teller.edition, work.requests, work.hopeless)
    effects: list[object] = [Retold(work.tellings, planned, work.let_go)]
    if work.buried or work.rejected:
        effects.append(Applied(work.buried, work.rejected))
    return Plan(effects=effects, counts={**work.counts, "asked": len(work.requests)})
