"""Model summaries of sessions and tree nodes: requests, and replies that are applied."""

from collections import Counter
from dataclasses import dataclass, field, replace

from slowwave.core.summaries.model_summary import ModelSummariser, Reading
from slowwave.domain.model_calls import Rejected
from slowwave.domain.run import Run
from slowwave.errors import Unreadable
from slowwave.ports import Plan
from slowwave.ports.model_calls import Applied, DeadPositions, Planned, Reply, Request
from slowwave.store.summaries.model_summaries import ModelSummary, WriteModelSummaries

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


def taken_over(
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


def plan_of(run: Run, summariser: ModelSummariser, work: Work, space: tuple[str, int]) -> Plan:
    """Return the plan that writes the *work* of a run; its vectors are in *space*."""
    if not (work.model_summaries or work.requests):
        return Plan()
    planned = Planned(run.pack, summariser.model, summariser.edition, work.requests, work.hopeless)
    effects: list[object] = [WriteModelSummaries(work.model_summaries, planned, work.let_go, space)]
    if work.buried or work.rejected:
        effects.append(Applied(work.buried, work.rejected))
    return Plan(effects=effects, counts={**work.counts, "asked": len(work.requests)})
