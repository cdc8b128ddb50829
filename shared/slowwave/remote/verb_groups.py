"""Groups of verbs over HTTP: goals, strategies, an operator's verbs, undo, replay and permanent erasure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field, SkipValidation

from slowwave.domain.access import Quota
from slowwave.domain.arguments import (
    Description,
    Id,
    Instance,
    Instant,
    Limit,
    Most,
    Name,
    Names,
    Note,
    Number,
    Reason,
    Result,
    Timeout,
    checked,
    checked_type,
)
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.encryption import DataKey, StaleRows
from slowwave.domain.erasure import Erasure, Token, Words
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.overview import ModelCallsOverview, Overview, PastRun, Waiting
from slowwave.domain.pattern import Strategy
from slowwave.domain.undo import Undone, What
from slowwave.formatting import brief
from slowwave.remote.http import HttpConnection
from slowwave.remote.responses import only, paged
from slowwave.remote.verbs import RemoteVerbs, sends

Listed = list[Goal]
"""A list of goals, named here because `list` is a method inside `RemoteGoals`."""
Letters = Annotated[Sequence[Number], Field(min_length=1)]
TheWire = Instance[HttpConnection]


@dataclass(frozen=True, slots=True, repr=False)
class _RemoteGroup(RemoteVerbs):
    """A group of verbs of one scope on a server, called over an HTTP connection."""

    _wire: HttpConnection
    _scope: Mapping[str, str | None]

    @property
    def _owner(self) -> Mapping[str, str | None]:
        return self._scope

    def __repr__(self) -> str:
        return brief(self, self._owner["user"])


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class _TenantGroup(RemoteVerbs):
    """A group of verbs of a key's tenant, called over an HTTP connection."""

    _wire: TheWire

    def __repr__(self) -> str:
        return brief(self, self._wire.url)


class RemoteGoals(_RemoteGroup):
    """The goals of one scope, on a server; see `MemoryScope.goals`."""

    __slots__ = ()
    called = "goals"
    beside_the_database = frozenset({"scope"})

    @sends("POST /v1/goals")
    def add(
        self, description: Description, *, priority: Number = 0, deadline: Instant | None = None,
        parent: Id | None = None, key: Name | None = None,
    ) -> Goal:  # fmt: skip
        """Store a goal and return it. With a *key*, a repeat changes nothing, and retries are safe."""

    @sends("GET /v1/goals/{goal_id}")
    def get(self, goal_id: Id, *, session: Name | None = None) -> Goal:
        """Return one goal, with its parent. Raises `NotFound`."""

    @sends("GET /v1/goals")
    def list(self, status: GoalStatus | None = "active", *, limit: Limit = 100, session: Name | None = None) -> Listed:
        """Return the goals with *status*, or all goals. The order is by descending priority, then oldest first."""

    @sends("POST /v1/goals/{goal_id}/end")
    def complete(self, goal_id: Id, status: GoalStatus = "completed", result: Result | None = None) -> Goal:
        """End a goal as `completed` or `abandoned`, with its outcome. A repeat changes nothing."""

    @sends("POST /v1/goals/{goal_id}/block")
    def block(self, goal_id: Id, reason: Reason, *, by: Id | None = None) -> Goal:
        """Mark a goal as blocked, with the reason. *by* is the goal that blocks it, if there is one."""

    @sends("POST /v1/goals/{goal_id}/resume")
    def resume(self, goal_id: Id) -> Goal:
        """Mark a blocked goal as active again. Raises `NotFound`, and `Conflict` if the goal has ended."""


class RemoteStrategies(_RemoteGroup):
    """The strategies of one scope, on a server; see `MemoryScope.strategies`."""

    __slots__ = ()
    called = "strategies"
    beside_the_database = frozenset(
        {"get_tool_stats", "paths", "reads", "record_invocation", "reinforce_strategy", "scope"}
    )

    @sends("GET /v1/strategies", beside=["channels"], task_description="task", top_k="limit")
    def find_strategies(
        self, task_description: Description, channels: Names | None = None, top_k: Limit = 5, *,
        session: Name | None = None,
    ) -> list[Strategy]:  # fmt: skip
        """Return at most *top_k* strategies, best first: by similarity to the task, times the strategy's confidence."""

    @sends("POST /v1/strategies", key="strategy", from_conversation_id="conversation")
    def learn_strategy(
        self, description: Note, context_pattern: Note, tool_sequence: Names, from_conversation_id: Name,
        success: bool, channel: Name | None = None, *, task: Note = "", key: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Store that *tool_sequence* succeeded or failed in a conversation; return the strategy's id.

        A repeat with the same *key* changes nothing, so retries are safe.
        """

    @sends("GET /v1/strategies/{strategy_id}")
    def get(self, strategy_id: Id, *, session: Name | None = None) -> Strategy:
        """Return one strategy. Raises `NotFound`."""

    @sends("GET /v1/strategies")
    def all(self, *, session: Name | None = None) -> list[Strategy]:
        """Return every strategy of any confidence, sorted by agent, channel, task and tools."""


class RemoteOperator(_TenantGroup):
    """The queries and actions for an operator of a key's tenant, on a server."""

    __slots__ = ()
    called = "operator"
    beside_the_database = frozenset({"drop", "moves", "night", "people", "tenant"})

    @sends("GET /v1/status")
    def overview(self) -> Overview:
        """Return the amount of stored data, the state of the work on it, and the pending model calls."""

    @sends("GET /v1/intents")
    def queue(self) -> list[Waiting]:
        """Return each job with pending intents: its name, the number of its intents, and the first due time."""

    @sends("GET /v1/budget")
    def budget(self) -> ModelCallsOverview:
        """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""

    @sends("GET /v1/runs", pages="before")
    def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the latest runs of the tenant and of the installation, at most *limit*, newest first."""

    @sends("GET /v1/runs/{number}")
    def run(self, number: Number) -> PastRun:
        """Return one run. Raises `NotFound`."""

    @checked
    def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first. *everything* includes retried and dropped letters."""
        only(reviews=not reviews)
        return list(paged(
            self._wire, DeadLetter, "/v1/dead-letters", limit=limit, after=after, everything=everything
        ))  # fmt: skip

    @sends("POST /v1/dead-letters/retry", key="retried", again=False)
    def retry(self, letters: Letters) -> int:
        """Retry open dead letters, given by number; return how many are retried. Raises `NotFound` and `Incorrect`."""


class RemoteCanaries(_TenantGroup):
    """The canaries of the packs, on a server; see `Memory.canaries`."""

    __slots__ = ()
    called = "canaries"
    beside_the_database = frozenset()

    @sends("GET /v1/canaries")
    def listing(self) -> list[StoredCanary]:
        """Return the present and past canaries of all packs: declared ones first."""

    @sends("GET /v1/canaries/{pack}")
    def status(self, pack: Name, *, tenant: Name | None = None) -> CanaryStatus:
        """Return how the canary of *pack* has read in the tenant, compared with the installed version.

        *pack* is a name, or NAME@VERSION for an earlier canary.
        """

    @sends("POST /v1/canaries/{pack}/promote")
    def promote(
        self, pack: Name, *, replay: bool = False, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """Let the canary of *pack* read in all scopes of all tenants. The key must be one of SLOWWAVE_TENANT."""

    @sends("POST /v1/canaries/{pack}/roll-back")
    def roll_back(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", timeout: Timeout = 60.0
    ) -> DecidedCanary:
        """End the canary of *pack*, and take back what it has read. The key must be one of SLOWWAVE_TENANT.

        *pack* is a name, or NAME@VERSION for an earlier canary.
        """


class RemoteQuotas(_TenantGroup):
    """The quotas of tenants, on a server. To change a quota, or to name a *tenant*, the key must be one of
    SLOWWAVE_TENANT.
    """

    __slots__ = ()
    called = "quotas"
    beside_the_database = frozenset()

    @sends("GET /v1/quotas", tenant="tenant")
    def listing(self, *, tenant: Name | None = None) -> Sequence[Quota]:
        """Return the quotas of the tenant and its users, each with the amount that is left."""

    @sends("PUT /v1/quotas/{what}", tenant="tenant")
    def set(
        self, what: Name, most: Most, *, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
    ) -> None:
        """Set the quota *what* of a tenant, of each user or of one *user* to *most*. Raises `Incorrect`."""

    @sends("DELETE /v1/quotas/{what}", again=False, tenant="tenant")
    def remove(
        self, what: Name, *, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
    ) -> None:
        """Remove the quota *what* of a tenant, of each user, or of one *user*. Raises `NotFound` if there is none."""


class RemoteEncryption(_TenantGroup):
    """The data keys of tenants, on a server. The key must be one of SLOWWAVE_TENANT; no response has a data key."""

    __slots__ = ()
    called = "encryption"
    beside_the_database = frozenset({"destroy", "encrypt_stored", "new_master_key"})

    @sends("GET /v1/encryption", tenant="tenant")
    def listing(self, *, tenant: Name | None = None) -> Sequence[DataKey]:
        """Return the data keys of a tenant, oldest first, without the keys themselves."""

    @sends("POST /v1/encryption/rotate", again=False, tenant="tenant")
    def rotate(self, *, tenant: Name | None = None) -> DataKey:
        """Add a data key of a tenant, which is used after a minute; return its number and times. See `Encryption`."""

    @sends("GET /v1/encryption/status", tenant="tenant")
    def status(self, *, tenant: Name | None = None) -> Sequence[StaleRows]:
        """Count the rows of a tenant with readable words, and the rows with words under an older data key, by table."""


class RemoteUndoingAll(RemoteVerbs):
    """The verbs that undo decisions in a whole tenant."""

    @property
    def canaries(self) -> RemoteCanaries:
        """The canaries of the packs: new versions that read in a share of the scopes."""
        return RemoteCanaries(self._wire)

    @sends("POST /v1/undo")
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Undo the decisions that *what* names; return the changes. See `Memory.undo`.

        Whatever *timeout* is, a server waits at most a minute.
        """

    @sends("POST /v1/replay", always={"all_users": True})
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, ask: bool = False,
        timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Replay an installed *pack* in all scopes of the tenant; see `Memory.replay`.

        A server waits for at most a minute.
        """

    @sends("GET /v1/undos")
    def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of the tenant, newest first, each with its changes."""


class RemoteUndoing(RemoteVerbs):
    """The verbs that undo or replay decisions in one scope."""

    @sends("POST /v1/undo")
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo decisions in this scope; see `MemoryScope.undo`.

        Whatever *timeout* is, a server waits at most a minute.
        """

    @sends("GET /v1/undos")
    def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos here, newest first, each with its changes."""

    @sends("POST /v1/replay")
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, ask: bool = False,
        timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Read all episodes here again with the installed *pack*, and replace its claims; see `MemoryScope.replay`."""

    @sends("POST /v1/facts/{fact}/correct")
    def correct(
        self, fact: Id, object: Name | None = None, *, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a wrong fact and all facts derived from it. If *object* is given, add a fact with this *object*.

        See `MemoryScope.correct`.
        """


class RemoteErasingAll(RemoteVerbs):
    """The verbs that delete permanently, anywhere in a tenant."""

    @sends("POST /v1/forget")
    def forget(
        self, *, user: Name | None = None, session: Name | None = None, fact: Id | None = None,
        matching: Words | None = None, preview: bool = False, confirm: Token | None = None, learn_again: bool = False,
        rewrite: bool = True, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase memories permanently and return the receipt. See `Memory.forget`.

        Whatever *timeout* is, a server waits at most a minute.
        """

    @sends("GET /v1/erasures")
    def erasures(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Erasure]:
        """Return the receipts of the latest erasures, newest first."""

    @sends("POST /v1/erasures/rewrite", key="rewritten")
    def rewrite_erased(self, *, tenant: Name | None = None) -> int:
        """Rewrite tables, statistics and log without erased content; see `Memory.rewrite_erased`."""

    @checked
    def verify_erasure(
        self, receipt: Annotated[Erasure | dict[str, Any], SkipValidation], *, tenant: Name | None = None
    ) -> bool:
        """Return whether *receipt* (or its JSON object) is unchanged since it was signed with the tenant's key."""
        only(tenant=tenant)
        fields = asdict(receipt) if isinstance(receipt, Erasure) else receipt
        return bool(self._wire.post("/v1/erasures/verify", fields)["genuine"])


class RemoteErasing(RemoteVerbs):
    """The verbs that delete permanently in one scope."""

    @sends("POST /v1/scopes/forget")
    def forget(
        self, *, session: Name | None = None, fact: Id | None = None, matching: Words | None = None,
        preview: bool = False, confirm: Token | None = None, learn_again: bool = False, rewrite: bool = True,
        timeout: Timeout = 60.0,
    ) -> Erasure:  # fmt: skip
        """Erase a session, a fact, all matches of a text, or this whole scope; see `MemoryScope.forget`."""
