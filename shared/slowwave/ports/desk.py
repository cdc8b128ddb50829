"""Ports of the desk: what a pack that needs a model brings, who is asked, and where it is all written down."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model.chunk import Answer, Chunk, Message, Reading, Rejected, Words
from slowwave.domain.run import Run

if TYPE_CHECKING:  # see slowwave.ports
    from slowwave.core.fold import Version


class Asking(Protocol):
    """Of what has requests made to a model, as much as who asks it needs."""

    @property
    def model(self) -> str:
        """The model with its settings (`provider:model?temperature=0`), as it goes into the key of a request."""

    def read(self, chunk: Chunk, reply: str) -> object:
        """Read a raw *reply* about *chunk*. Raises `Unreadable` with the complaint that the model is told."""

    def smallest(self) -> Chunk:
        """Return the smallest case, that any model in working order can answer about."""


class ModelExtractor(Protocol):
    """A pack that reads episodes with a language model: turns to requests, replies to claims. It calls nobody."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version."""

    @property
    def model(self) -> str:
        """The model with its settings (`provider:model?temperature=0`), as it goes into the key of a request."""

    @property
    def prompt_version(self) -> str:
        """Names the prompt and the schema of replies: requests made under another are others."""

    def plan(
        self,
        episodes: Sequence[StoredEpisode],
        before: Sequence[StoredEpisode],
        held: "Sequence[Version]",
        names: Sequence[str],
    ) -> list[Chunk]:
        """Return *episodes* as chunks: of one session each, of a limited length, in order. Pure.

        *before* are the turns that came before them in their sessions, *held* what is believed near them, *names* who
        and what the scope knows by name. An episode that is in no chunk claims nothing.
        """

    def halves(self, chunk: Chunk) -> tuple[Chunk, Chunk] | None:
        """Return a chunk cut in two, None where nothing could be claimed of a half. Pure: the same halves each time."""

    def read(self, chunk: Chunk, reply: str) -> Reading:
        """Return the claims of a raw *reply* about *chunk* that hold against its turns, and those that do not. Pure.

        Raises `Unreadable` with the complaint that the model is told when it is asked once more.
        """

    def smallest(self) -> Chunk:
        """Return the pack's smallest case: made-up turns that any model in working order can answer about."""

    def sound(self) -> bool:
        """Return whether the extractor passes its own cases, with their recorded replies, here and now."""


class Provider(Protocol):
    """Somebody who answers for a model."""

    @property
    def name(self) -> str:
        """Endpoint and key in a word, without the key: what is throttled together."""

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        """Return the reply to *messages*, at temperature 0, of at most *most_tokens*; *schema* is its JSON schema.

        It takes *timeout_seconds* at the most and is tried once. Raises `Crowded` for 429, other `Unavailable` for what
        may pass (5xx, time-outs, no connection), and `Refused` for a request that will never be answered.
        """


@dataclass(frozen=True, slots=True)
class Request:
    """A chunk under its *key*, in its *round*: 0, or higher where it is asked anew."""

    key: str
    chunk: Chunk
    round: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """An effect: the window's requests, asked or at hand, and those of which no half could be made."""

    pack: str
    model: str
    edition: str
    requests: Sequence[Request]
    hopeless: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Buried:
    """Positions that end as dead letters, and why."""

    positions: Sequence[int]
    category: str
    reason: str


@dataclass(frozen=True, slots=True)
class Applied:
    """An effect: what became of a window's replies besides claims."""

    buried: Sequence[Buried] = ()
    rejected: "Sequence[tuple[str, Rejected]]" = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One request of a window and its end: its chunk as it was asked, and its *raw* reply if it was *answered*."""

    request: str
    state: str
    reason: str | None
    chunk: Chunk
    raw: str | None


@dataclass(frozen=True, slots=True)
class Near:
    """The surroundings of a window: turns before it, beliefs near it, names."""

    before: Sequence[StoredEpisode] = ()
    held: "Sequence[Version]" = ()
    names: Sequence[str] = ()


Keys = Callable[[Chunk, int], str]
"""A chunk and a round to the key of the request."""


@dataclass(frozen=True, slots=True)
class Read:
    """The replies of a window, read: claims in order, about so many *episodes*, an effect, and counts to tell.

    *unread* are turns in languages that nobody reads, which claim nothing: languages by position.
    """

    claims: Sequence[Claim]
    episodes: int
    effect: Applied
    counts: Mapping[str, int]
    unread: Mapping[int, str] = field(default_factory=dict)


class ReplyReader(Protocol):
    """Reads a window's replies for its consolidation."""

    def read(self, run: Run) -> Read:
        """Return what the replies about the run's positions come to. Raises `Unavailable` without the pack."""

    def sound(self, run: Run) -> bool:
        """Return whether the run's pack passes its own cases here."""


class DeskStore(Protocol):
    """The desk as planning and consolidating runs see it. Every method is one transaction; raises `Unavailable`."""

    def near(self, run: Run, episodes: Sequence[StoredEpisode]) -> Near:
        """Return what surrounds the window's *episodes*."""

    def keys(self, run: Run, edition: str) -> Keys:
        """Return what makes keys for requests of this run's scope and pack, under the tenant's secret."""

    def states(self, run: Run, keys: Sequence[str]) -> Mapping[str, str]:
        """Return the states of those requests that are there."""

    def replies(self, run: Run) -> list[Reply]:
        """Return what the run's window waited for, in order of position."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms on which a *provider* is asked: at most so many *slots* at once, under a lease each, up to daily caps.

    Prices are millionths of money a token.
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
class Taken:
    """A request that is to be asked now, under its *call*; with the *complaint* about its last reply, if any.

    *unread* is the reply that was kept already, by somebody who came no further: nobody is asked then.
    """

    call: int
    request: str
    tenant: str
    pack: str
    chunk: Chunk
    complaint: str = ""
    unread: str | None = None

    @classmethod
    def closed(cls, call: int, request: str, tenant: str) -> "Taken":
        """Return a call whose words are gone."""
        return cls(call, request, tenant, "", Chunk((), (), Words(()), 0, 0))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a call: `ok`, `unreadable`, `failed`, `crowded`, `refused`, or `dropped` where nobody wants the reply.

    *wait_seconds* is how long the request waits, *asked_to_wait* how long the provider wants to be left alone. What is
    not *billed* costs nothing; without an answer, what is costs all that was set aside.
    """

    kind: str
    answer: Answer | None = None
    reason: str = ""
    wait_seconds: float = 0.0
    asked_to_wait: float = 0.0
    too_long: bool = False
    billed: bool = True


@dataclass(frozen=True, slots=True)
class Witness:
    """A call of a pack's smallest case, to tell the provider's fault from that of a *request* that *last* ended so."""

    call: int
    request: str
    pack: str
    last: str


class AskStore(Protocol):
    """The desk as who asks sees it. Every method is a short transaction or two; raises `Unavailable`."""

    def take(self, owner: str, packs: Collection[str], models: Collection[str]) -> Taken | None:
        """Return the next request that may be asked now, with a slot, its money set aside, its call written down."""

    def renew(self, call: int) -> bool:
        """Extend the lease of the call's slot; return whether it was still ours."""

    def keep(self, taken: Taken, answer: Answer) -> int:
        """Keep a raw reply before anybody looks at it; return how often somebody has; 0 where nobody is to."""

    def settle(self, taken: Taken, outcome: Outcome) -> str:
        """Write how a call ended, once; return what came of it. Repeatable."""

    def unwitnessed(self, owner: str, packs: Collection[str], models: Collection[str]) -> Witness | None:
        """Return a request that failed three times while nobody else was answered, for this asker alone."""

    def witnessed(self, witness: Witness, outcome: Outcome) -> None:
        """Write what the smallest case came to; where it was answered, the failure counts against the request."""
