"""An answer from a context: one call of a model that somebody waits for, and a check of what it cites."""

from slowwave.core.context.answering import carried, words_of
from slowwave.core.context.room import A_MESSAGE
from slowwave.core.tokens import tokens_at_most
from slowwave.domain.context import Part
from slowwave.domain.context.answer import SourcedAnswer
from slowwave.domain.model.chunk import Answer, Chunk
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Refused, Unavailable, Unreadable
from slowwave.jobs.desk.calling import called
from slowwave.memory.context.assembling import Wanted, made
from slowwave.memory.reach import Reads
from slowwave.ports.desk import Outcome, Provider
from slowwave.wiring import Parts
from slowwave.wiring.asking import at_once
from slowwave.wiring.parts import owner_name

REPLY_TOKENS = 500
"""Some three hundred words, with the numbers of what they cite."""


def answered(
    parts: Parts, scope: Scope, reads: Reads, question: str, wanted: Wanted, *, deadline_seconds: float
) -> SourcedAnswer:
    """Return what a model says to *question*, as far as its context carries it. What is cited counts as accessed."""
    if (provider := parts.provider) is None:
        raise Incorrect(
            "answers in sentences need a model, and none is set",
            hint="set SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY; `recall` and `context` need none",
        )
    context, recalled = made(parts, scope, reads, question, wanted)
    told = [part for part in context.parts if part.type not in ("system", "tools")]
    if not told:
        return SourcedAnswer(question, (), (), "")

    answer = _ask(parts, provider, scope.tenant, _chunk(question, told), deadline_seconds)
    if isinstance(answer, Outcome):
        raise _told(answer)
    sentences, rejected = carried(answer.text, question, told)

    cited = {part.id for sentence in sentences for part in sentence.memories}
    parts.accesses.add(scope.tenant, [one for one in recalled if one.id in cited])
    return SourcedAnswer(question, sentences, rejected, answer.model)


def _chunk(question: str, told: list[Part]) -> Chunk:
    words = words_of(question, told)
    prompt = sum(tokens_at_most(message["content"]) + A_MESSAGE for message in words.messages)
    return Chunk((), (), words, prompt, REPLY_TOKENS)


def _ask(parts: Parts, provider: Provider, tenant: str, chunk: Chunk, deadline_seconds: float) -> Answer | Outcome:
    """Return the readable reply, or how the call ended; either way it is settled."""
    calls = at_once(parts.database, parts.settings, provider)
    taken = calls.begin(owner_name("answer"), tenant, chunk, deadline_seconds=deadline_seconds)
    said = called(provider, chunk, timeout_seconds=deadline_seconds)
    outcome = said if isinstance(said, Outcome) else _judged(said)
    calls.end(taken, outcome)
    return said if outcome.kind == "ok" else outcome


def _judged(answer: Answer) -> Outcome:
    try:
        carried(answer.text, "", ())
    except Unreadable as error:
        return Outcome("unreadable", answer, reason="it was cut off" if answer.cut else error.message)
    return Outcome("ok", answer)


def _told(outcome: Outcome) -> Refused | Unavailable:
    if outcome.kind == "refused":
        return Refused(f"no answer: {outcome.reason}", hint="ask with fewer memories: max_tokens=, limit=")
    return Unavailable(
        f"no answer: {outcome.reason}",
        retry_after_seconds=max(1.0, outcome.asked_to_wait),
        hint="ask again; `recall` and `context` need no model",
    )
