"""A context assembled: what is in mind, what is remembered, and what of both fits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slowwave.core.beliefs.identity import normal
from slowwave.core.context import Offered, fit
from slowwave.core.tokens import tokens_at_most
from slowwave.domain.context import Part, PromptContext
from slowwave.domain.reading.filters import EVERYTHING
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import answers
from slowwave.memory.context.knowing import graphs, there
from slowwave.memory.context.mind import Mind, mind_of
from slowwave.memory.context.summing_up import summary_of
from slowwave.memory.reach import Reads, reach_of
from slowwave.wiring import Parts

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wishes for a context: of what it is made, and how much it may take; see `Prompting.context`."""

    session: str | None
    max_tokens: int
    count: Count | None
    limit: int
    working: bool
    summary: bool
    graph: bool | None
    stop_at_overflow: bool


def assembled(parts: Parts, scope: Scope, reads: Reads, question: str, wanted: Wanted) -> PromptContext:
    """Return the context of *question* asked in *scope*. What it tells is counted as accessed, nothing else."""
    reach, session = reach_of(parts, scope, reads), wanted.session
    mind = mind_of(parts, scope, session) if session and wanted.working else Mind()
    in_mind = {part.id for part in mind.turns}
    summary = summary_of(parts, reach, session, wanted.max_tokens, in_mind) if session and wanted.summary else None
    found = answers.answer(
        parts, reach, question, limit=wanted.limit, at=None, filters=EVERYTHING, session=session, accessed=False
    )
    offered = Offered(
        fixed=mind.notes,
        summary=summary,
        turns=mind.turns,
        recalled=_worth_telling(found, question, summary),
        graphs=graphs(parts, scope, reads, reach, question, session) if there(wanted.graph) else (),
    )

    chosen = fit(question, offered, wanted.max_tokens, _checked(wanted.count), stop_at_overflow=wanted.stop_at_overflow)
    told = {part.id for part in chosen.retrieved if part.id is not None}
    parts.accesses.add(scope.tenant, [one for one in found if one.id in told])
    return chosen


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
    )


def _worth_telling(found: Sequence[Recollection], question: str, summary: Part | None) -> list[Part]:
    """Leave out what says nothing more: the question itself, the belief that is the summary, the same words again."""
    told = {normal(question)}
    worth = []
    for one in found:
        if normal(one.text) not in told and (summary is None or one.id != summary.id):
            told.add(normal(one.text))
            worth.append(_remembered(one))
    return worth


def _checked(count: Count | None) -> Count:
    """Return *count*, which raises `Incorrect` where it gives no number of tokens; else our own estimate."""
    if count is None:
        return tokens_at_most

    def counted(text: str) -> int:
        found = count(text)
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            raise Incorrect.listing(
                "the context", [f"count: gave {found!r} for a text, expected a whole number of 0 or more"],
                hint="count=lambda text: len(tokenizer.encode(text)) is one",
            )  # fmt: skip
        return found

    return counted
