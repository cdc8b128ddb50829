"""`RemoteScope`: an agent's memory of one user, on a server: push, recall, list and explain."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Unpack

from pydantic import Field, SkipValidation

from slowwave.core.feedback import UNKNOWN
from slowwave.domain.arguments import (
    Id,
    Instance,
    Instant,
    Limit,
    Name,
    Names,
    Number,
    Question,
    Share,
    checked,
    checked_type,
)
from slowwave.domain.claim import Form
from slowwave.domain.context import PromptContext
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.episode import Episode, EpisodeFields, Item, Role
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.overview import Due
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.index import Index, IndexEntry
from slowwave.domain.queries.unread import UnreadTurn, UnreadTurns
from slowwave.domain.receipt import Receipt, item_of, items_of, read_items, receipts
from slowwave.domain.recollection import Recollection, Recollections, Remembered
from slowwave.domain.standing import Standing
from slowwave.formatting import brief
from slowwave.remote.http import HttpConnection, at
from slowwave.remote.responses import listed, only, pushed, read, receipt_of
from slowwave.remote.subscriptions import RemoteDeltas, callback_thread, delta_iterator
from slowwave.remote.verb_groups import RemoteErasing, RemoteGoals, RemoteStrategies, RemoteUndoing
from slowwave.remote.verbs import sends
from slowwave.subscriptions import DeltaCallback, Subscription

Recalled = Instance[Recollection]
TheWire = Instance[HttpConnection]
Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
Count = Callable[[str], int]
Around = Annotated[int, Field(ge=0, le=MOST_RESULTS)]
Ids = Annotated[Sequence[Id], Field(min_length=1, max_length=MOST_RESULTS)]
AT_ONCE = 100
"""The maximum number of ids in one URL, and of entries before and after the anchor of a timeline."""


def _page(kind: Callable[..., list[Any]], of: type, *beside: str) -> Callable[[Any], Any]:
    """Return a function that reads a page of items *of* a type, and the fields *beside* them, as *kind*."""
    return lambda found: kind(listed(of, found), **{name: found[name] for name in beside})


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class RemoteScope(RemoteUndoing, RemoteErasing):
    """The memory of one user in one channel, held by one agent or by all agents, on a server.

    It has the verbs of `MemoryScope`, with the same arguments and results; verbs that the server does not offer raise
    `OutOfReach`. The key determines the tenant.
    """

    called = "scope"
    beside_the_database = frozenset({
        "answer", "apply", "archive", "archived", "consensus", "consolidate", "continuum", "conversation",
        "conversations", "counted", "decide", "digest", "episode", "graph", "history", "hold", "outlook", "pin",
        "profile", "promote", "quietly", "reach", "reads", "recent", "remember", "restore", "retrieve", "review",
        "scope", "standing", "store_turn", "stream", "summary", "sweep", "tools", "tree", "unpin", "versions",
        "working",
    })  # fmt: skip

    _wire: TheWire
    user: Name
    agent: Name | None = None
    channel: Name | None = None

    @checked
    def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one episode durably; return its receipt. See `MemoryScope.push`.

        Retries with the episode's key until the server responds or patience runs out; the episode is stored only once.
        Raises `Incorrect` with every problem of the episode, `Conflict` if the key already has other content, and
        `Unavailable` when the server, or its Postgres, is down.
        """
        episode = Episode.read(item_of(item, fields))
        return receipt_of(self._wire.post("/v1/push", {**self._owner, **episode.to_message()}))

    @checked
    def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Store many episodes in order.

        Return one receipt per item, which is `refused` with an error if an item is invalid.
        """
        return receipts(read_items(items_of(items)), lambda episodes: pushed(self._wire, self._owner, episodes))

    @sends("POST /v1/sessions/end", key="due")
    def end_session(self, session: Name) -> list[Due]:
        """End a session; return the work that the end makes due. See `MemoryScope.end_session`."""

    @sends("POST /v1/recall", into=_page(Recollections, Recollection, "by_words_alone", "embedder_away"))
    def recall(
        self, question: Question, *, limit: Limit = 10, as_of: Instant | None = None, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, roles: Sequence[Role] | None = None, sessions: Names | None = None,
        exclude_sessions: Names | None = None, since: Instant | None = None, until: Instant | None = None,
        channels: Names | None = None, agents: Names | None = None, session: Name | None = None,
        min_score: Share = 0.0, explain: bool = False,
    ) -> Recollections:  # fmt: skip
        """Return the facts and episodes that answer *question* best, best first, with reasons and sources.

        See `MemoryScope.recall`; *explain* is not available over HTTP.
        """

    @sends("POST /v1/context")
    def context(
        self, question: Question, *, session: Name | None = None, max_tokens: Tokens = 4_000,
        count: Count | None = None, limit: Limit = 20, include_summary: bool = True,
        include_graph: bool | None = None, stop_at_overflow: bool = False, anticipate: bool = True,
    ) -> PromptContext:  # fmt: skip
        """Return the context for answering *question*, in at most *max_tokens*; each part has its sources.

        See `MemoryScope.context`; the server estimates tokens, and *count* is not available over HTTP.
        """

    @sends("GET /v1/facts", pages="after")
    def facts(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None, form: Form | None = None,
        limit: Limit | None = None, after: Id | None = None, session: Name | None = None,
    ) -> Sequence[Fact]:  # fmt: skip
        """Return the facts that are believed here and true now, or at the time *as_of*.

        See `MemoryScope.facts`. Without a *limit*, requests all pages.
        """

    @sends("GET /v1/unread", into=_page(UnreadTurns, UnreadTurn, "languages", "reason", "remedy"))
    def unread(self, limit: Limit = 20, *, before: Id | None = None, session: Name | None = None) -> UnreadTurns:
        """Return the user turns here in languages that no pack and no model reads; see `MemoryScope.unread`."""

    @checked
    def why(self, fact: Id, *, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed; *fact* is its id or a prefix of the id. Raises `NotFound`.

        Any fact of the key's tenant is accepted, because the server does not check the fact's scope.
        """
        found = self._wire.get(at("v1", "facts", fact, "why"), session=session)
        return read(Explanation, found)

    @sends("GET /v1/deltas", pages="after")
    def deltas(
        self, *, run: Number | None = None, since: Instant | None = None, kind: Kind | None = None,
        after: Id | None = None, limit: Limit = 100,
    ) -> list[AppliedDelta]:  # fmt: skip
        """Return the deltas of this memory, in the order of application; see `Memory.deltas`."""

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> RemoteDeltas:  # fmt: skip
        """Return an iterator over the deltas of this scope as they are applied, each once; see `Memory.follow`."""
        return delta_iterator(self._wire, after=after, since=since, kind=kind, **self._owner)

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of this scope, in the background; see `Memory.on_delta`."""
        return callback_thread(self._wire, hear, after=after, since=since, kind=kind, **self._owner)

    @sends("GET /api/v1/memory/search-index", into=_page(Index, IndexEntry, "failed"))
    def search_index(
        self, question: Question, *, limit: Limit = 20, archived: bool = False,
        kinds: Sequence[Remembered] | None = None, exclude_sessions: Names | None = None, since: Instant | None = None,
        until: Instant | None = None, include_external: bool = False, session: Name | None = None,
        explain: bool = False,
    ) -> Index:  # fmt: skip
        """Return an index of what `recall` finds, best first; see `MemoryScope.search_index`."""

    @checked
    def timeline(
        self, anchor: Id, *, before: Around = 5, after: Around = 5, session: Name | None = None
    ) -> list[IndexEntry]:
        """Return an index of an episode and its neighbours; see `MemoryScope.timeline`.

        Raises `OutOfReach` for more than 100 neighbours on one side.
        """
        only(**{f"{name} over {AT_ONCE}": n > AT_ONCE for name, n in (("before", before), ("after", after))})
        return listed(IndexEntry, self._wire.get(
            "/api/v1/memory/search-timeline", anchor=anchor, before=before, after=after, session=session,
            **self._owner,
        ))  # fmt: skip

    @checked
    def entries(self, ids: Ids, *, session: Name | None = None) -> list[RememberedEpisode | Fact]:
        """Return the episodes and facts with these *ids*, in that order, each in full; see `MemoryScope.entries`."""
        found: list[Mapping[str, Any]] = []
        for begin in range(0, len(ids), AT_ONCE):
            some = list(ids[begin : begin + AT_ONCE])
            found += self._wire.get("/api/v1/memory/entries", ids=some, session=session, **self._owner)["items"]
        return [read(Fact, one) if "valid_from" in one else read(RememberedEpisode, one) for one in found]

    @checked
    def feedback(self, recollection: Recalled, useful: Share | bool = UNKNOWN) -> Standing:
        """Report how useful a recollection was, from 0 to 1 or as a boolean; return the memory's new state.

        A report is never sent twice, because every report counts. After `Unavailable`, it is unknown whether the report
        has been counted.
        """
        body = {**self._owner, "id": recollection.id, "score": recollection.score, "useful": useful}
        return read(Standing, self._wire.post("/v1/feedback", body, again=False))

    @property
    def goals(self) -> RemoteGoals:
        """The agent's goals here."""
        return RemoteGoals(self._wire, self._owner)

    @property
    def strategies(self) -> RemoteStrategies:
        """The agent's strategies here."""
        return RemoteStrategies(self._wire, self._owner)

    @checked
    def in_channel(self, channel: Name) -> "RemoteScope":
        """Return the memory of the same user and agent in another channel.

        If this memory names no agent, neither does the returned memory.
        """
        return replace(self, channel=channel)

    def __repr__(self) -> str:
        return brief(self, self.user, f"agent {self.agent or 'any'}", f"channel {self.channel or 'any'}")

    @property
    def _owner(self) -> Mapping[str, str | None]:
        return {"user": self.user, "agent": self.agent, "channel": self.channel}
