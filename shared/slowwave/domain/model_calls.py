"""Model calls: a chunk with the turns of one request to a language model, and the claims from the reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

ENDS_UNHELD = "it ends or mends a belief that is not held"
REPLACES_UNHELD = "the belief that it replaces is not held here"
UNHELD = frozenset({ENDS_UNHELD, REPLACES_UNHELD})
"""The reasons for which a claim is rejected if it changes a belief that the request did not show. A nightly job reviews
these claims."""


_NOTHING: Mapping[str, Any] = {}
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
"""The JSON schemas of a text and of a whole number."""


def object_schema(**fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these *fields*."""
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}


def list_schema(items: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a list of *items*."""
    return {"type": "array", "items": items}


class Message(TypedDict):
    """One message to a model, with a role (`system`, `user`, `assistant`) and a content."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a request: its *messages* and the *schema* of the reply. *noted* has data for reading the reply.

    The key of a request covers only the turns, and not other context such as nearby beliefs, a summary, or the time of
    day.
    """

    messages: Sequence[Message]
    schema: Mapping[str, Any] = field(default_factory=dict)
    noted: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, prompt: str, text: str, schema: Mapping[str, Any], noted: Mapping[str, Any] = _NOTHING) -> "Words":
        """Return the words of a request that has a *prompt* and a *text*."""
        return cls([{"role": "system", "content": prompt}, {"role": "user", "content": text}], schema, noted)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The turns of one session in one request: the *episodes* to read, and the turns *before* the episodes as context.

    *prompt_tokens* counts the tokens of all messages, and *most_tokens* limits the reply. The request costs at most the
    sum of both.
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
    """A model's claim that was rejected, with its *position* and the *reason*.

    *fields* is the claim in the form of the reply.
    """

    position: int
    reason: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """The *claims* of a reply that the turns support, and the *rejected* claims."""

    claims: Sequence[Claim] = ()
    rejected: Sequence[Rejected] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's reply: its *text* and duration, and the *model* name and token counts that the provider reports.

    *cut* is True if the reply ended because it reached the token limit.
    """

    text: str
    model: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    latency_ms: float | None = None
    cut: bool = False
