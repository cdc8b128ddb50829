"""A chunk: turns that a model is asked about in one request, and what is read out of its reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

ENDS_UNHELD = "it ends or mends what is not held"
REPLACES_UNHELD = "what it replaces is not held here"
UNHELD = frozenset({ENDS_UNHELD, REPLACES_UNHELD})
"""Why a claim is rejected that changes a belief which the model was not shown: its words are looked at by night."""


class Message(TypedDict):
    """One message to a model: who speaks (`system`, `user`, `assistant`), and what."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a request: *messages*, the *schema* of the reply, and what the extractor *noted* for reading it.

    They may tell more than the turns (what is held near, a summary, the time of day): none of that is in the key.
    """

    messages: Sequence[Message]
    schema: Mapping[str, Any] = field(default_factory=dict)
    noted: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Turns of one session to ask a model about: *episodes*, quoting those *before* them besides.

    *prompt_tokens* are counted over all messages, *most_tokens* is the limit of the reply: together what it can cost.
    """

    episodes: tuple[StoredEpisode, ...]
    before: tuple[StoredEpisode, ...]
    words: Words
    prompt_tokens: int
    most_tokens: int

    @property
    def positions(self) -> list[int]:
        """The positions it is about, in order."""
        return [episode.position for episode in self.episodes]

    @property
    def quotes(self) -> list[int]:
        """The positions whose words it carries besides, in order."""
        return [episode.position for episode in self.before]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A claim of a model that is dropped: at which *position*, for which *reason*, and the claim as it was *said*."""

    position: int
    reason: str
    said: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """Claims of a reply that hold against the text, and those that were rejected."""

    claims: Sequence[Claim] = ()
    rejected: Sequence[Rejected] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's reply: its *text*, the *model* as it names it, tokens as it counts them, how long it took.

    *cut* says that the reply ended at its limit of tokens.
    """

    text: str
    model: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    latency_ms: float | None = None
    cut: bool = False
