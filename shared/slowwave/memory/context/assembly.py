"""A context assembled from its parts within a token budget, and a model's answer from it."""

import json
import uuid
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from slowwave.core.beliefs.identity import normal
from slowwave.core.context import Offered, carried, fit, words_of
from slowwave.core.tokens import tokens_at_most
from slowwave.domain.context import Part, PromptContext, SourcedAnswer
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.queries.filters import EVERYTHING
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation
from slowwave.errors import Incorrect, Refused, Unavailable
from slowwave.memory import counted_recall
from slowwave.memory.context.parts import ConversationMemory, conversation_memory, graphs, includes_graph, summary_part
from slowwave.memory.model_calls import call_synchronously
from slowwave.ports.model_calls import Outcome
from slowwave.retrieval.reach import Reads, reach_of
from slowwave.retrieval.recall import recall
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Parts

NEAR = 2
"""The number of best memories that are also used as cues, because the next question is often about a related memory."""
A_CUE = 30
"""The number of memories looked up per cue.

The number is high because many of these memories are already in the context.
"""
MOST = 60
Count = Callable[[str], int]
OVERFETCH = 2
"""The number of memories to recall per used memory, because recollections repeat each other and working memory."""
ANTICIPATED = 10
"""The maximum number of anticipated memories in a context: half of the default number of recalled memories."""
REPLY_TOKENS = 500
"""The maximum number of tokens of a reply: enough for about three hundred words with citation numbers."""


def look_ahead(
    parts: Parts, scope: Scope, reach: Sequence[Scope], session: str, question: str,
    recollections: Sequence[Recollection],
) -> None:  # fmt: skip
    """Look up in the background the memories that the session will probably need after *question*.

    *recollections* are the memories that answered the question.
    """
    of = Conversation(scope, session)

    def look() -> list[Recollection]:
        store, apart = Memories(parts.database), parts.embedders(reach)
        found = [
            recall(cue, reach, store=store, embedder=parts.embedder, apart=apart, limit=A_CUE, session=session)
            for cue in [question, *(one.text for one in recollections[:NEAR]), *_goal(parts, of)]
        ]
        return _merged([recollections, *found])

    parts.anticipation.expect(of, recollections, look)


def _goal(parts: Parts, of: Conversation) -> list[str]:
    """Return the conversation's goal from the cache, as a list of one text; the list is empty without a goal."""
    try:
        goal = parts.cache.cache.entries(of, "goal")
    except Unavailable:  # without a cache, a goal cannot be set
        return []
    return [json.loads(goal[-1].text)[1]] if goal else []


def _merged(found: Iterable[Sequence[Recollection]]) -> list[Recollection]:
    """Return the memories of all look-ups, without repeated texts. The best memories of each look-up come first."""
    once: dict[str, Recollection] = {}
    for one in chain.from_iterable(zip_longest(*found)):
        if one is not None:
            once.setdefault(normal(one.text), one)
    return list(once.values())[:MOST]


@dataclass(frozen=True, slots=True)
class WantedParts:
    """The options of a context: parts and limits; see `Prompting.context`."""

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
    """Return the context of *question* in *scope*. Only the memories in the context are counted as accessed."""
    context, included = made(parts, scope, reads, question, wanted)
    parts.accesses.add(scope.tenant, included)
    return context


def made(
    parts: Parts, scope: Scope, reads: Reads, question: str, wanted: WantedParts
) -> tuple[PromptContext, list[Recollection]]:
    """Return the context of *question* in *scope*, and the recollections in the context. Counts no accesses."""
    reach, session = reach_of(parts.records, scope, reads), wanted.session
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
    included = [one for one in [*found, *anticipated] if one.id in ids]
    if session and wanted.anticipate:
        look_ahead(parts, scope, reach, session, question, included)
    at_hand = in_mind | ready_ids
    reused = sum(one.id in at_hand for one in found) / len(found) if found else None
    return replace(chosen, reused=reused), included


def _without_repetitions(
    found: Sequence[Recollection], question: str, summary: Part | None, in_mind: Set[uuid.UUID | None], *, limit: int
) -> list[Recollection]:
    """Return the best of *found*, until *limit* of them are not in working memory.

    Leaves out the question itself, the fact that holds the summary, and texts that repeat another text.
    """
    seen, best, room = {normal(question)}, [], limit
    for one in found:
        if room and normal(one.text) not in seen and (summary is None or one.id != summary.id):
            seen.add(normal(one.text))
            best.append(one)
            room -= one.id not in in_mind
    return best


def _anticipated(
    ready: Sequence[Recollection], found: Sequence[Recollection], summary: Part | None
) -> list[Recollection]:
    """Return the memories of *ready* that are not among *found*, marked as anticipated."""
    texts = {normal(one.text) for one in found}
    others = [one for one in ready if normal(one.text) not in texts and (summary is None or one.id != summary.id)]
    return [replace(one, reasons={**one.reasons, "anticipated": 1.0}) for one in others[:ANTICIPATED]]


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
    """Return *count*, wrapped to raise `Incorrect` for an invalid number of tokens.

    Without *count*, return Slowwave's estimate.
    """
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


def answered(
    parts: Parts, scope: Scope, reads: Reads, question: str, wanted: WantedParts, *, deadline_seconds: float
) -> SourcedAnswer:
    """Return the sentences of a model's answer that the context supports. Cited memories are counted as accessed."""
    if (provider := parts.provider) is None:
        raise Incorrect(
            "answers in sentences need a model, and none is set",
            hint="set SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY; `recall` and `context` need none",
        )
    context, recalled = made(parts, scope, reads, question, wanted)
    memories = [part for part in context.parts if part.type not in ("system", "tools")]
    if not memories:
        return SourcedAnswer(question, (), (), "")

    answer = call_synchronously(
        parts, provider, scope, words_of(question, memories), lambda reply: carried(reply, "", ()),
        by="answer", most_tokens=REPLY_TOKENS, deadline_seconds=deadline_seconds,
    )  # fmt: skip
    if isinstance(answer, Outcome):
        raise _error_of(answer)
    sentences, rejected = carried(answer.text, question, memories)

    cited = {part.id for sentence in sentences for part in sentence.memories}
    parts.accesses.add(scope.tenant, [one for one in recalled if one.id in cited])
    return SourcedAnswer(question, sentences, rejected, answer.model)


def _error_of(outcome: Outcome) -> Refused | Unavailable:
    if outcome.kind == "refused":
        return Refused(f"no answer: {outcome.reason}", hint="ask with fewer memories: max_tokens=, limit=")
    return Unavailable(
        f"no answer: {outcome.reason}",
        retry_after_seconds=max(1.0, outcome.asked_to_wait),
        hint="ask again; `recall` and `context` need no model",
    )
