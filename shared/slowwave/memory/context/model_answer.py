"""An answer that a model gives from a context, with its citations checked."""

from slowwave.core.context.answering import carried, words_of
from slowwave.domain.context.answer import SourcedAnswer
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Refused, Unavailable
from slowwave.memory.context.assembly import WantedParts, made
from slowwave.memory.model_calls.synchronous import call_synchronously
from slowwave.memory.reach import Reads
from slowwave.ports.model_calls import Outcome
from slowwave.wiring import Parts

REPLY_TOKENS = 500
"""Enough for about three hundred words with citation numbers."""


def answered(
    parts: Parts, scope: Scope, reads: Reads, question: str, wanted: WantedParts, *, deadline_seconds: float
) -> SourcedAnswer:
    """Return the sentences of a model's answer that its context supports. Cited memories count as accessed."""
    if (provider := parts.provider) is None:
        raise Incorrect(
            "answers in sentences need a model, and none is set",
            hint="set SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY; `recall` and `context` need none",
        )
    context, recalled = made(parts, scope, reads, question, wanted)
    told = [part for part in context.parts if part.type not in ("system", "tools")]
    if not told:
        return SourcedAnswer(question, (), (), "")

    answer = call_synchronously(
        parts, provider, scope.tenant, words_of(question, told), lambda reply: carried(reply, "", ()),
        by="answer", most_tokens=REPLY_TOKENS, deadline_seconds=deadline_seconds,
    )  # fmt: skip
    if isinstance(answer, Outcome):
        raise _told(answer)
    sentences, rejected = carried(answer.text, question, told)

    cited = {part.id for sentence in sentences for part in sentence.memories}
    parts.accesses.add(scope.tenant, [one for one in recalled if one.id in cited])
    return SourcedAnswer(question, sentences, rejected, answer.model)


def _told(outcome: Outcome) -> Refused | Unavailable:
    if outcome.kind == "refused":
        return Refused(f"no answer: {outcome.reason}", hint="ask with fewer memories: max_tokens=, limit=")
    return Unavailable(
        f"no answer: {outcome.reason}",
        retry_after_seconds=max(1.0, outcome.asked_to_wait),
        hint="ask again; `recall` and `context` need no model",
    )
