"""A context assembled from working memory and recollections, as far as they fit."""

import uuid
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, replace

from slowwave.core.beliefs.identity import normal
from slowwave.core.context import Offered, fit
from slowwave.core.tokens import tokens_at_most
from slowwave.domain.context import Part, PromptContext
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.queries.filters import EVERYTHING
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation
from slowwave.errors import Incorrect
from slowwave.memory import counted_recall
from slowwave.memory.context.anticipation import look_ahead
from slowwave.memory.context.graph_part import graphs, includes_graph
from slowwave.memory.context.summary_part import summary_part
from slowwave.memory.context.working_memory_part import ConversationMemory, conversation_memory
from slowwave.memory.reach import Reads, reach_of
from slowwave.wiring import Parts

Count = Callable[[str], int]
OVERFETCH = 2
"""Memories to recall per used memory, since recollections repeat each other and working memory."""
ANTICIPATED = 10
"""The most anticipated memories in a context: half as many as are recalled for the question itself."""


@dataclass(frozen=True, slots=True)
class WantedParts:
    """The options of a context: its parts and its limits; see `Prompting.context`."""

    session: str | None
    max_tokens: int
    count: Count | None
    limit: int
    working: bool
    summary: bool
    graph: bool | None
    stop_at_overflow: bool
    anticipate: bool


def assemble(parts: Parts, scope: Scope, reads: Reads, question: str, wanted: WantedParts) -> PromptContext:
    """Return the context of *question* asked in *scope*. Only the memories in it count as accessed."""
    context, told = made(parts, scope, reads, question, wanted)
    parts.accesses.add(scope.tenant, told)
    return context


def made(
    parts: Parts, scope: Scope, reads: Reads, question: str, wanted: WantedParts
) -> tuple[PromptContext, list[Recollection]]:
    """Return the context of *question* in *scope*, and its recollections; counts no accesses."""
    reach, session = reach_of(parts, scope, reads), wanted.session
    mind = conversation_memory(parts, scope, session) if session and wanted.working else ConversationMemory()
    in_mind = {part.id for part in mind.turns}
    summary = summary_part(parts, reach, session, wanted.max_tokens, in_mind) if session and wanted.summary else None
    recalled = counted_recall.counted_recall(
        parts,
        reach,
        question,
        limit=min(OVERFETCH * wanted.limit, MOST_RESULTS),
        at=None,
        filters=EVERYTHING,
        session=session,
        accessed=False,
    )
    found = _without_repetitions(recalled, question, summary, in_mind, limit=wanted.limit)
    ready = parts.anticipation.ready(Conversation(scope, session)) if session and wanted.anticipate else ()
    if ready_ids := {one.id for one in ready}:
        ahead = sum(one.id in ready_ids for one in found)
        parts.tally.anticipated(scope.tenant, hits=ahead, misses=len(found) - ahead)
    anticipated = _anticipated(ready, found, summary)
    offered = Offered(
        fixed=mind.notes,
        summary=summary,
        turns=mind.turns,
        recalled=[_remembered(one) for one in [*found, *anticipated]],
        graphs=graphs(parts, scope, reads, reach, question, session) if includes_graph(wanted.graph) else (),
    )

    chosen = fit(question, offered, wanted.max_tokens, _checked(wanted.count), stop_at_overflow=wanted.stop_at_overflow)
    ids = {part.id for part in chosen.retrieved}
    told = [one for one in [*found, *anticipated] if one.id in ids]
    if session and wanted.anticipate:
        look_ahead(parts, scope, reach, session, question, told)
    return replace(chosen, reused=_reused(found, in_mind | ready_ids)), told


def _without_repetitions(
    found: Sequence[Recollection], question: str, summary: Part | None, in_mind: Set[uuid.UUID | None], *, limit: int
) -> list[Recollection]:
    """Return the best of *found* without repetitions: at most *limit*, not counting those in working memory.

    Leaves out the question itself, the fact that holds the summary, and texts that repeat another one.
    """
    said, best, room = {normal(question)}, [], limit
    for one in found:
        if room and normal(one.text) not in said and (summary is None or one.id != summary.id):
            said.add(normal(one.text))
            best.append(one)
            room -= one.id not in in_mind
    return best


def _anticipated(
    ready: Sequence[Recollection], found: Sequence[Recollection], summary: Part | None
) -> list[Recollection]:
    """Return the memories of *ready* that are not among *found*, marked as anticipated."""
    said = {normal(one.text) for one in found}
    others = [one for one in ready if normal(one.text) not in said and (summary is None or one.id != summary.id)]
    return [replace(one, reasons={**one.reasons, "anticipated": 1.0}) for one in others[:ANTICIPATED]]


def _reused(found: Sequence[Recollection], at_hand: Collection[uuid.UUID | None]) -> float | None:
    return sum(one.id in at_hand for one in found) / len(found) if found else None


def _remembered(one: Recollection) -> Part:
    return Part(
        type=one.kind,
        content=one.text,
        role=one.role or "system",
        score=one.score,
        reasons=one.reasons,
        sources=one.sources,
        id=one.id,
        scope=one.scope,
        session=one.session,
        occurred=one.occurred,
        until=one.until,
    )


def _checked(count: Count | None) -> Count:
    """Return *count*, wrapped to raise `Incorrect` for an invalid number of tokens; or our own estimate."""
    if count is None:
        return tokens_at_most

    def counted(text: str) -> int:
        found = count(text)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            raise Incorrect.listing(
                "the context", [f"count: gave {found!r} for a text, expected a whole number of 0 or more"],
                hint="use for example count=lambda text: len(tokenizer.encode(text))",
            )  # fmt: skip
        return found

    return counted
