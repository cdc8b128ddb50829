"""One model call, and its outcome as the request queue records it."""

from collections.abc import Sequence

from slowwave.domain.model_calls.chunk import Answer, Chunk, Message
from slowwave.errors import Crowded, Refused, Unavailable
from slowwave.ports.model_calls import Outcome, Provider

FAILED_SECONDS = 1.0
"""Seconds that a request waits after a failed call; a failing provider is paused by the circuit breaker."""


def call_provider(provider: Provider, chunk: Chunk, *, timeout_seconds: float, complaint: str = "") -> Answer | Outcome:
    """Return the *provider*'s answer about a chunk, or the outcome of a call that got no answer."""
    try:
        return call_provider_or_raise(provider, chunk, timeout_seconds=timeout_seconds, complaint=complaint)
    except Crowded as error:
        wait = error.retry_after_seconds
        return Outcome(
            "crowded", reason=error.message, wait_seconds=max(wait, FAILED_SECONDS), asked_to_wait=wait, billed=False
        )
    except Unavailable as error:
        billed = isinstance(error.__cause__, TimeoutError)  # the provider may have answered, and bill the call
        return Outcome(
            "failed", reason=error.message, wait_seconds=FAILED_SECONDS, billed=billed,
            asked_to_wait=error.retry_after_seconds if error.retry_after_seconds > 1 else 0,
        )  # fmt: skip
    except Refused as error:
        return Outcome("refused", reason=error.message, too_long=error.too_long, billed=False)


def call_provider_or_raise(provider: Provider, chunk: Chunk, *, timeout_seconds: float, complaint: str = "") -> Answer:
    """Return the *provider*'s answer about a chunk, after telling it the *complaint* about its last reply.

    Raises the provider's errors.
    """
    messages: Sequence[Message] = chunk.words.messages
    if complaint:
        text = f"Your last reply to this could not be read: {complaint}. Reply again in the format of the schema."
        messages = [*messages, {"role": "user", "content": text}]
    return provider.ask(messages, chunk.words.schema, most_tokens=chunk.most_tokens, timeout_seconds=timeout_seconds)
