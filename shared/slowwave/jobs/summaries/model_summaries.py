"""Model summaries of sessions and tree nodes: their stores, requests and applied replies."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from slowwave.core.summaries.extractive_summary import Line
from slowwave.core.summaries.model_summary import ModelSummariser, Reading
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Rejected
from slowwave.domain.run import Run
from slowwave.errors import Unreadable
from slowwave.ports import Plan, Vectors
from slowwave.ports.model_calls import Applied, DeadPositions, Keys, Planned, Reply, Request


@dataclass(frozen=True, slots=True)
class Telling:
    """A model summary: the *lines* by *model* about a session's subject or a node's id; no lines while quotes are used.

    For a *session*, the lines sum up its messages up to the position *covered*; its last message is at *reached*.
    *request* is the request that gave the lines, or whose reply was refused. *waiting* is the pending request, whose
    reply covers the session up to *upto*.
    """

    about: str
    session: str | None = None
    reached: int = 0
    covered: int = 0
    upto: int = 0
    waiting: str | None = None
    request: str | None = None
    model: str | None = None
    lines: Sequence[Line] = ()
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """A model summary that waits for a reply or needs its next request; with the *reply* so far, and its *edition*."""

    telling: Telling
    reply: Reply | None = None
    edition: str = ""


@dataclass(frozen=True, slots=True)
class RecordSummarised:
    """An effect: record up to which position sessions are summarised by quotes, so that a model may be asked."""

    reached: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class WriteTellings:
    """An effect: write these *tellings* (model summaries), their vectors in *space*, and their pending requests.

    *let_go* are abandoned requests. Planned requests that were to be split but have a single turn become dead.
    """

    tellings: Sequence[Telling]
    planned: Planned
    let_go: Sequence[str] = ()
    space: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree with its *quotes*, and the state of its model summary *about* it."""

    id: uuid.UUID
    level: int
    parent: uuid.UUID | None
    quotes: Sequence[Line]
    about: str
    open: Open | None = None


class BranchStore(Protocol):
    """The tree of a scope. Raises `Unavailable`."""

    def branches(self, tenant: str, scope: uuid.UUID) -> Sequence[Branch]:
        """Return the nodes of the tree; none while the tree is to be rebuilt."""


class TellingStore(Protocol):
    """The model summaries, as the database keeps them. Every method is one transaction; raises `Unavailable`."""

    def open(self, tenant: str, scope: uuid.UUID) -> Sequence[Open]:
        """Return the model summaries of sessions that wait for a reply, or have new turns."""

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Sequence[Open]:
        """Return the model summaries of these sessions."""

    def said(
        self, tenant: str, scope: uuid.UUID, session: str, *, after: int, upto: int, most: int
    ) -> list[StoredEpisode]:
        """Return the first *most* messages of a session at positions above *after*, up to *upto*."""

    def at(self, tenant: str, scope: uuid.UUID, positions: Sequence[int]) -> Mapping[int, StoredEpisode]:
        """Return the episodes at *positions* that still exist, by position."""


CATEGORIES = {"vanished": "vanished", "failed": "fault"}
"""The category of dead letters about summaries, by the reason why a request is dead; others give `incorrect`."""


class Requests(Protocol):
    """The part of the model request queue that summaries need."""

    def keys(self, run: Run, edition: str) -> Keys:
        """Return the function that makes request keys for this run's scope and pack."""

    def states(self, run: Run, keys: Sequence[str]) -> Mapping[str, str]:
        """Return the states of those requests that exist."""


@dataclass(slots=True)
class Work:
    """The model summaries, requests and refusals of one run, as they are collected.

    It *waits* while a reply about a session is pending.
    """

    tellings: list[Telling] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    hopeless: list[str] = field(default_factory=list)
    let_go: list[str] = field(default_factory=list)
    buried: list[DeadPositions] = field(default_factory=list)
    rejected: list[tuple[str, Rejected]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    waits: bool = False


def taken_over(summariser: ModelSummariser, telling: Telling, reply: Reply | None, work: Work) -> Telling:
    """Return a model summary after its pending reply: with the model's lines, or without, and the reason in *work*.

    If the request was abandoned or erased, the summary waits for no reply and is requested again.
    """
    asked, covered = telling.waiting, max(telling.covered, telling.upto)
    ended = replace(telling, waiting=None, request=asked, covered=covered)
    if reply is None or reply.state not in ("answered", "dead", "split"):
        work.let_go += [asked] if asked else []
        return replace(telling, waiting=None)
    if reply.state == "split":
        work.hopeless.append(reply.request)
    if reply.state != "answered" or reply.raw is None:
        reason = reply.reason or "its reply is unreadable"
        if telling.session is not None:
            category = CATEGORIES.get(reason.partition(":")[0], "incorrect")
            work.buried.append(DeadPositions(reply.chunk.positions, category, f"the model's part: {reason}"))
        work.counts["dead"] += 1
        return replace(ended, model=None, lines=(), vector=None)
    return _read(summariser, ended, reply, reply.raw, work)


def _read(summariser: ModelSummariser, ended: Telling, reply: Reply, raw: str, work: Work) -> Telling:
    try:
        reading = summariser.read(reply.chunk, raw)
    except Unreadable as error:  # another version of this code could read it
        reading = Reading((), Counter(refused_unreadable=1), error.message)
    if reading.reasons is not None:
        work.counts.update(reading.reasons)
        reason = "; ".join(sorted(name.replace("_", " ") for name in reading.reasons))
        first = min(reply.chunk.positions, default=0)
        work.rejected.append((reply.request, Rejected(first, reason, {"text": reading.unsaid})))
        return replace(ended, model=None, lines=(), vector=None)
    work.counts["told"] += 1
    return replace(ended, model=summariser.model, lines=reading.lines)


def plan_of(run: Run, summariser: ModelSummariser, work: Work, space: tuple[str, int]) -> Plan:
    """Return the plan that writes the *work* of a run; its vectors are in *space*."""
    if not (work.tellings or work.requests):
        return Plan()
    planned = Planned(run.pack, summariser.model, summariser.edition, work.requests, work.hopeless)
    effects: list[object] = [WriteTellings(work.tellings, planned, work.let_go, space)]
    if work.buried or work.rejected:
        effects.append(Applied(work.buried, work.rejected))
    return Plan(effects=effects, counts={**work.counts, "asked": len(work.requests)})
