"""A chunk: the turns in one request to a language model, and the claims read from its reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

ENDS_UNHELD = "it ends or mends a belief that is not held"
REPLACES_UNHELD = "the belief that it replaces is not held here"
UNHELD = frozenset({ENDS_UNHELD, REPLACES_UNHELD})
"""The reasons to reject a claim that changes a belief which the request did not show; a nightly job reviews these."""


class Message(TypedDict):
    """One message to a model: its role (`system`, `user`, `assistant`), and its content."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a request: *messages*, the *schema* of the reply, and *noted* data for reading the reply.

    The request's key covers only the turns, not other context such as nearby beliefs, a summary, or the time of day.
    """

    messages: Sequence[Message]
    schema: Mapping[str, Any] = field(default_factory=dict)
    noted: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The turns of one session in one request: *episodes* to read, and the turns *before* them as context.

    *prompt_tokens* counts all messages, *most_tokens* limits the reply: the request costs at most their sum.
    """

    episodes: tuple[StoredEpisode, ...]
    before: tuple[StoredEpisode, ...]
    words: Words
    prompt_tokens: int
    most_tokens: int

    @property
    def positions(self) -> list[int]:
        """The positions of the turns to read, in order."""
        return [episode.position for episode in self.episodes]

    @property
    def quotes(self) -> list[int]:
        """The positions of the turns that are only context, in order."""
        return [episode.position for episode in self.before]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A model's claim that was rejected: its *position*, the *reason*, and the claim as the model *said* it."""

    position: int
    reason: str
    said: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """The claims of a reply that the turns support, and the rejected claims."""

    claims: Sequence[Claim] = ()
    rejected: Sequence[Rejected] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's reply: its *text*, the *model* name and token counts as the provider reports them, its duration.

    *cut* is True if the reply was cut off at its token limit.
    """

    text: str
    model: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    latency_ms: float | None = None
    cut: bool = False
