"""The parts of a context that fit its budget, and their order."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.core.context.token_budget import Count, TokenBudget
from slowwave.domain.context import Part, PromptContext
from slowwave.errors import Incorrect

FOR_TURNS = 0.5
"""The share of the room that the newest turns get first: current turns and memories are worth the same. Room that
memories leave goes to older turns."""
FOR_GRAPH = 0.25
"""The largest share of the room for the graph: it covers every named entity, and seldom answers alone."""


@dataclass(frozen=True, slots=True)
class Offered:
    """All parts that could be in a context: *fixed* always are; *turns* are oldest first, *recalled* best first.

    *graphs* are versions of the graph part, each with fewer entities: the first that fits is used.
    """

    fixed: Sequence[Part] = ()
    summary: Part | None = None
    turns: Sequence[Part] = ()
    recalled: Sequence[Part] = ()
    graphs: Sequence[Part] = ()


def fit(
    question: str, offered: Offered, max_tokens: int, count: Count, *, stop_at_overflow: bool = False
) -> PromptContext:
    """Return the context of *question*, at most *max_tokens* by *count*, as messages and as text.

    The order of priority: fixed parts, the summary, the newest turns, the graph, recollections, older turns. A
    recollection that is too long is skipped and the next one tried; with *stop_at_overflow* none follows. A memory that
    is also among the turns is included once, as a turn. Raises `Incorrect` if the fixed parts do not fit.
    """
    room = TokenBudget(max_tokens, count)
    fixed = room.those_that_fit(offered.fixed)
    if len(fixed) < len(offered.fixed):
        raise _too_small(max_tokens, sum(room.cost(part) for part in offered.fixed))
    summary = room.those_that_fit([offered.summary] if offered.summary else [])
    turns = room.newest(offered.turns, share=FOR_TURNS)
    graph = room.first_that_fits(offered.graphs, share=FOR_GRAPH)

    memories = _without(offered.recalled, turns)
    recalled = room.those_that_fit(memories, stop_at_overflow=stop_at_overflow)
    older = _without(offered.turns[: len(offered.turns) - len(turns)], recalled)
    earlier = room.newest(older)

    left_out = len(memories) - len(recalled) + len(older) - len(earlier)
    return _bounded(question, [*fixed, *summary], [*recalled, *graph], [*earlier, *turns], room, left_out)


def _bounded(
    question: str, first: list[Part], memories: list[Part], turns: list[Part], room: TokenBudget, left_out: int
) -> PromptContext:
    """Return the context; if its joined text takes more tokens than its parts do, the last memories are dropped."""
    while True:
        parts = [*first, *memories, *turns]
        context = PromptContext(question, parts, sum(part.tokens for part in parts), room.most, left_out)
        if room.count(context.as_text()) <= room.most:
            return context
        dropped = memories.pop() if memories else turns.pop(0) if turns else first.pop() if first else None
        if dropped is None or dropped.type in ("system", "tools"):
            raise _too_small(room.most, room.count(context.as_text()))
        left_out += 1


def _without(parts: Sequence[Part], told: Sequence[Part]) -> list[Part]:
    ids = {part.id for part in told}
    return [part for part in parts if part.id not in ids]


def _too_small(most: int, needed: int) -> Incorrect:
    return Incorrect.listing(
        "the context",
        [f"max_tokens: prompt and tools in working memory take {needed} tokens, but only {most} are allowed"],
        hint="raise max_tokens, or set a shorter `system_prompt` or fewer `tools`",
    )
