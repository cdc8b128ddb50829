"""One synchronous model call within the limits of the model call queue, which always gets its outcome and cost."""

from collections.abc import Callable

from slowwave.core.context.token_budget import A_MESSAGE
from slowwave.core.tokens import tokens_at_most
from slowwave.domain.model_calls.chunk import Answer, Chunk, Words
from slowwave.errors import Unreadable
from slowwave.jobs.model_calls.single_call import call_provider
from slowwave.ports.model_calls import Outcome, Provider
from slowwave.runtime.owner_name import owner_name
from slowwave.wiring import Parts
from slowwave.wiring.model_client import synchronous_calls


def call_synchronously(
    parts: Parts, provider: Provider, tenant: str, words: Words, read: Callable[[str], object],
    *, by: str, most_tokens: int, deadline_seconds: float,
) -> Answer | Outcome:  # fmt: skip
    """Return a reply that *read* can parse, or the failed call's outcome. Raises `Unavailable` without a free slot.

    *by* is the caller, *most_tokens* the limit of the reply. A reply is unreadable if *read* raises `Unreadable`.
    """
    prompt = sum(tokens_at_most(message["content"]) + A_MESSAGE for message in words.messages)
    chunk = Chunk((), (), words, prompt, most_tokens)
    calls = synchronous_calls(parts.database, parts.settings, provider)
    taken = calls.begin(owner_name(by), tenant, chunk, deadline_seconds=deadline_seconds)
    said = call_provider(provider, chunk, timeout_seconds=deadline_seconds)
    outcome = said if isinstance(said, Outcome) else _judged(said, read)
    calls.end(taken, outcome)
    return said if outcome.kind == "ok" else outcome


def _judged(answer: Answer, read: Callable[[str], object]) -> Outcome:
    try:
        read(answer.text)
    except Unreadable as error:
        return Outcome("unreadable", answer, reason="it was cut off" if answer.cut else error.message)
    return Outcome("ok", answer)
