"""Ports of model calls: model extractors, providers, requests and replies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import Answer, Chunk, Message, Reading, Rejected, Words
from slowwave.domain.run import Run

if TYPE_CHECKING:  # see slowwave.ports
    from slowwave.core.fold import Version
Keys = Callable[[Chunk, int], str]
"""A function that returns the key of a request, given a chunk and a round."""


class SendableExtractor(Protocol):
    """The part of an extractor that sends requests to a model and reads the replies."""

    @property
    def model(self) -> str:
        """The model with its settings (`provider:model?temperature=0`). This text is part of every request key."""

    def read(self, chunk: Chunk, reply: str) -> object:
        """Read a raw *reply* about *chunk*.

        Raises `Unreadable`, whose message is sent to the model with the next attempt.
        """

    def smallest(self) -> Chunk:
        """Return the smallest test case: made-up turns that any working model can answer."""


class ModelExtractor(SendableExtractor, Protocol):
    """A pack that extracts claims with a language model. It plans requests and reads replies, but makes no calls."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version."""

    @property
    def prompt_version(self) -> str:
        """The version of the prompt and the reply schema. A request with another version is a new request."""

    def plan(
        self,
        episodes: Sequence[StoredEpisode],
        before: Sequence[StoredEpisode],
        believed: "Sequence[Version]",
        names: Sequence[str],
    ) -> list[Chunk]:
        """Return *episodes* as chunks, in order. A chunk has turns of one session, and a limited length.

        *before* are the preceding turns of the same sessions. *believed* are related beliefs. *names* are the names
        that the scope knows. An episode that is in no chunk yields no claims.
        """

    def halves(self, chunk: Chunk) -> tuple[Chunk, Chunk] | None:
        """Return a chunk split in two; None if a half could not yield a claim.

        The same chunk always gives the same halves.
        """

    def read(self, chunk: Chunk, reply: str) -> Reading:
        """Return the claims of a raw *reply* that the turns of *chunk* support, and the rejected claims.

        Raises `Unreadable`. Its message is sent to the model in a second attempt.
        """

    def sound(self) -> bool:
        """Return whether the extractor passes its own test cases, with their recorded replies, in this process."""


class Provider(Protocol):
    """A provider of a model."""

    @property
    def name(self) -> str:
        """A label for endpoint and key, without the key itself. Calls with the same label share a rate limit."""

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        """Return the reply to *messages*, at temperature 0, with at most *most_tokens*.

        *schema* is the reply's JSON schema. The provider makes one attempt of at most *timeout_seconds*. Raises
        `Crowded` for 429, `Unavailable` for other temporary errors (5xx, timeouts, no connection), and `Refused` for a
        request that can never succeed.
        """


@dataclass(frozen=True, slots=True)
class Request:
    """A model request: a *chunk* of turns, and its *key*.

    *round* is 0 at first, and higher if the request is sent again.
    """

    key: str
    chunk: Chunk
    round: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """A write of a run, besides its decisions: the requests of the window, whether new or already answered.

    *hopeless* has the keys of requests that cannot be split any further.
    """

    pack: str
    model: str
    edition: str
    requests: Sequence[Request]
    hopeless: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class DeadPositions:
    """Positions that become dead letters, and the reason."""

    positions: Sequence[int]
    category: str
    reason: str


@dataclass(frozen=True, slots=True)
class Applied:
    """A write of a run, besides its decisions: dead letters and rejected claims from the replies of a window."""

    buried: Sequence[DeadPositions] = ()
    rejected: "Sequence[tuple[str, Rejected]]" = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One request of a window with its result: the *chunk* that was sent, and the *raw* reply if the *state* is
    `answered`.
    """

    request: str
    state: str
    reason: str | None
    chunk: Chunk
    raw: str | None


@dataclass(frozen=True, slots=True)
class WindowContext:
    """The context of a window: the turns before the window, related beliefs, and names."""

    before: Sequence[StoredEpisode] = ()
    beliefs: "Sequence[Version]" = ()
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """The parsed replies of a window: claims in order, number of *episodes*, the *effect* to write, and counts to
    report.

    *unread* has the language of each turn that no pack can read, by position. *occurred* has the time of each turn.
    """

    claims: Sequence[Claim]
    episodes: int
    effect: Applied
    counts: Mapping[str, int]
    unread: Mapping[int, str] = field(default_factory=dict)
    occurred: Mapping[int, datetime] = field(default_factory=dict)


class ReplyReader(Protocol):
    """A reader of a window's replies for its consolidation."""

    def read(self, run: Run) -> Read:
        """Return the claims and counts from the replies about the run's positions.

        Raises `Unavailable` if the pack is not installed.
        """

    def news(self, run: Run, before: Sequence[StoredEpisode], turns: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the changes that packs without a model read in *turns*.

        A turn may refer to the earlier turns in *before*.
        """

    def sound(self, run: Run) -> bool:
        """Return whether the run's pack passes its own test cases in this process."""


@dataclass(frozen=True, slots=True)
class CallTerms:
    """Limits for calls to a *provider*: the number of parallel calls (*slots*), the lease of each call, and daily caps.

    Prices are in millionths of the currency per token.
    """

    provider: str
    slots: int = 4
    lease_seconds: float = 60.0
    timeout_seconds: float = 120.0
    cap_tokens: int | None = None
    cap_micros: int | None = None
    prompt_price: float = 0.0
    reply_price: float = 0.0


@dataclass(frozen=True, slots=True)
class ClaimedRequest:
    """A claimed request, to be sent now as the model call with the number *call*.

    *complaint* is the complaint about the last reply to the request, if there is one. *unread* is a stored reply that
    was never processed, because the worker stopped. If there is one, no call is made.
    """

    call: int
    request: str
    tenant: str
    pack: str
    chunk: Chunk
    complaint: str = ""
    unread: str | None = None

    @classmethod
    def closed(cls, call: int, request: str, tenant: str) -> "ClaimedRequest":
        """Return a call whose text was erased."""
        return cls(call, request, tenant, "", Chunk((), (), Words(()), 0, 0))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a call: `ok`, `unreadable`, `failed`, `crowded`, `refused`, or `dropped` if the reply is not needed.

    *wait_seconds* is the time until the request may be sent again. *asked_to_wait* is the time that the provider asks
    callers to wait. A call that is not *billed* costs nothing; a billed call without an answer costs its whole
    reservation.
    """

    kind: str
    answer: Answer | None = None
    reason: str = ""
    wait_seconds: float = 0.0
    asked_to_wait: float = 0.0
    too_long: bool = False
    billed: bool = True


@dataclass(frozen=True, slots=True)
class TestCall:
    """A call of a pack's smallest test case, to distinguish a provider's fault from a fault of a *request*.

    *last* is the result of the last call of the request.
    """

    call: int
    request: str
    pack: str
    last: str
