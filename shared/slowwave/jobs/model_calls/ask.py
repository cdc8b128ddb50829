"""Send pending model requests, one call at a time. No lock or transaction is held during a call."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from slowwave.domain.model_calls import Answer, Chunk, Message
from slowwave.errors import Conflict, Crowded, Refused, Unavailable, Unreadable
from slowwave.jobs.heartbeat import Heartbeat
from slowwave.ports.model_calls import CallTerms, ClaimedRequest, Outcome, Provider, SendableExtractor
from slowwave.store.model_calls.call_queue import PostgresCallQueue
from slowwave.threads import Pause

FAILED_SECONDS = 1.0
"""Seconds that a request waits after a failed call. The circuit breaker pauses a provider that keeps failing."""
T = TypeVar("T")
_LOG = logging.getLogger(__name__)
MOST_LOOKS = 2
"""A stored reply counts as unreadable after the process has died during this number of attempts to parse the reply."""


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
        billed = isinstance(error.__cause__, TimeoutError)  # the provider may have answered, and may bill the call
        return Outcome(
            "failed", reason=error.message, wait_seconds=FAILED_SECONDS, billed=billed,
            asked_to_wait=error.retry_after_seconds if error.retry_after_seconds > 1 else 0,
        )  # fmt: skip
    except Refused as error:
        return Outcome("refused", reason=error.message, too_long=error.too_long, billed=False)


def call_provider_or_raise(provider: Provider, chunk: Chunk, *, timeout_seconds: float, complaint: str = "") -> Answer:
    """Return the *provider*'s answer about a chunk.

    A *complaint* about the provider's last reply is sent with the request. Raises the provider's errors.
    """
    messages: Sequence[Message] = chunk.words.messages
    if complaint:
        text = f"Your last reply to this could not be read: {complaint}. Reply again in the format of the schema."
        messages = [*messages, {"role": "user", "content": text}]
    return provider.ask(messages, chunk.words.schema, most_tokens=chunk.most_tokens, timeout_seconds=timeout_seconds)


@dataclass(frozen=True, slots=True)
class RequestSender:
    """Sends requests to one provider, for the packs that this process has loaded.

    While the database is unreachable, the sender waits. To end the wait, set *stop*.
    """

    store: PostgresCallQueue
    provider: Provider
    extractors: Mapping[str, SendableExtractor]
    terms: CallTerms
    stop: threading.Event = field(default_factory=threading.Event)

    def ask(self, owner: str) -> str | None:
        """Send one request; return the outcome, or None if no request can be sent now. A repeated call is safe."""
        packs, models = list(self.extractors), sorted({one.model for one in self.extractors.values()})
        if not packs:
            return None
        self._find_witness(owner, packs, models)
        taken = self.store.take(owner, packs, models)
        if taken is None:
            return None
        with Heartbeat(
            lambda: self.store.renew(taken.call),
            every_seconds=self.terms.lease_seconds / 4,
            until_seconds=self.terms.timeout_seconds + self.terms.lease_seconds,
        ):
            answer = (
                Answer(taken.unread)
                if taken.unread is not None
                else call_provider(
                    self.provider, taken.chunk, timeout_seconds=self.terms.timeout_seconds, complaint=taken.complaint
                )
            )
            outcome = answer if isinstance(answer, Outcome) else self._judged(taken, answer)
            return self._insist(lambda: self.store.settle(taken, outcome))

    def bring(self, taken: ClaimedRequest, answer: Answer | Refused | Unavailable) -> str:
        """Record a reply that was not received by `ask`, such as a line of a batch file; return the outcome.

        A repeated call is safe.
        """
        if isinstance(answer, Answer):
            outcome = self._judged(taken, answer)
        elif isinstance(answer, Refused):
            outcome = Outcome("refused", reason=answer.message, too_long=answer.too_long, billed=False)
        else:
            outcome = Outcome("failed", reason=answer.message, wait_seconds=FAILED_SECONDS, billed=False)
        return self._insist(lambda: self.store.settle(taken, outcome))

    def _judged(self, taken: ClaimedRequest, answer: Answer) -> Outcome:
        """Store the reply, then try to parse it. Return the outcome."""
        looks = self._insist(lambda: self.store.keep(taken, answer))
        if not looks:
            return Outcome("dropped", answer)
        if looks > MOST_LOOKS:
            return Outcome("unreadable", answer, reason="every process that reads it crashes")
        complaint = self._complaint(taken.pack, taken.chunk, answer)
        if complaint is None:
            return Outcome("ok", answer)
        return Outcome("unreadable", answer, reason=complaint, too_long=answer.cut)

    def _complaint(self, pack: str, chunk: Chunk, answer: Answer) -> str | None:
        """Return the problem of a reply, or None if the reply can be read."""
        try:
            self.extractors[pack].read(chunk, answer.text)
        except Unreadable as error:
            return "it was cut off" if answer.cut else error.message
        except Exception as error:  # noqa: BLE001  # the edge to a pack's own code: a reply that breaks it is unreadable
            _LOG.error("the pack %s failed on a reply with %s", pack, type(error).__name__)
            return f"{type(error).__name__} while it was read"
        return None

    def _find_witness(self, owner: str, packs: Sequence[str], models: Sequence[str]) -> None:
        """After unexplained failures of a request, send the smallest test case of its pack, and record the result.

        If the test case fails too, the provider is the cause, not the request.
        """
        witness = self.store.unwitnessed(owner, packs, models)
        if witness is None:
            return
        case = self.extractors[witness.pack].smallest()
        try:
            answer = call_provider_or_raise(self.provider, case, timeout_seconds=self.terms.timeout_seconds)
        except (Unavailable, Refused) as error:
            return self.store.witnessed(witness, Outcome("failed", reason=error.message, billed=False))
        readable = self._complaint(witness.pack, case, answer) is None
        self.store.witnessed(witness, Outcome("ok" if readable else "unreadable", answer))

    def _insist(self, act: Callable[[], T]) -> T:
        """Repeat *act* while the database is unreachable or the outcome of a commit is unknown; return the result of
        *act*.
        """
        pause = Pause(0.1, 5.0)
        while True:
            try:
                return act()
            except (Unavailable, Conflict):
                if self.stop.wait(pause.seconds):
                    raise
                pause.double()
