"""Groups of verbs over HTTP: `scope.goals`, `scope.strategies` and `memory.operator()`."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from slowwave.domain.arguments import (
    Description,
    Id,
    Instance,
    Instant,
    Limit,
    Name,
    Names,
    Note,
    Number,
    Reason,
    Result,
    checked,
    checked_type,
)
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.overview import DeskOverview, Overview, PastRun, Waiting
from slowwave.domain.pattern import Strategy
from slowwave.formatting import brief
from slowwave.remote.http import HttpConnection, at
from slowwave.remote.responses import listed, only, out_of_reach, paged, read

Listed = list[Goal]
"""A list of goals, named here because `list` is a method inside `RemoteGoals`."""


@dataclass(frozen=True, slots=True, repr=False)
class _RemoteGroup:
    """A group of verbs on the server's memory of *whose*, called over the connection *wire*."""

    _wire: HttpConnection
    _whose: Mapping[str, str | None]

    beside_the_database: ClassVar[frozenset[str]] = frozenset()
    """The verbs that work only with the database, not over HTTP."""

    def __getattr__(self, name: str) -> Any:
        """Raise `OutOfReach` for a verb that works only with the database."""
        if name in type(self).beside_the_database:
            raise out_of_reach(f"{type(self).__name__.removeprefix('Remote').lower()}.{name}")
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __repr__(self) -> str:
        return brief(self, self._whose["user"])


class RemoteGoals(_RemoteGroup):
    """The goals of one scope, on a server; see `MemoryScope.goals`."""

    __slots__ = ()
    beside_the_database = frozenset({"scope"})

    @checked
    def add(
        self, description: Description, *, priority: Number = 0, deadline: Instant | None = None,
        parent: Id | None = None, key: Name | None = None,
    ) -> Goal:  # fmt: skip
        """Store a goal; return it. With a *key*, a repeat changes nothing, so retries are safe."""
        fields = {"description": description, "priority": priority, "deadline": deadline, "parent": parent, "key": key}
        return read(Goal, self._wire.post("/v1/goals", {**self._whose, **fields}, again=key is not None))

    @checked
    def get(self, goal_id: Id, *, session: Name | None = None) -> Goal:
        """Return one goal, with its parent. Raises `NotFound`."""
        return read(Goal, self._wire.get(at("v1", "goals", goal_id), session=session, **self._whose))

    @checked
    def list(self, status: GoalStatus | None = "active", *, limit: Limit = 100, session: Name | None = None) -> Listed:
        """Return the goals with *status*, or all: by descending priority, then oldest first."""
        return listed(Goal, self._wire.get("/v1/goals", status=status, limit=limit, session=session, **self._whose))

    @checked
    def complete(self, goal_id: Id, status: GoalStatus = "completed", result: Result | None = None) -> Goal:
        """End a goal as `completed` or `abandoned`, with its outcome. A repeat changes nothing."""
        return self._moved(goal_id, "end", status=status, result=result)

    @checked
    def block(self, goal_id: Id, reason: Reason, *, by: Id | None = None) -> Goal:
        """Mark a goal as blocked, with the reason and, if there is one, the goal it is blocked *by*."""
        return self._moved(goal_id, "block", reason=reason, by=by)

    @checked
    def resume(self, goal_id: Id) -> Goal:
        """Mark a blocked goal as active again. Raises `NotFound`, and `Conflict` once it has ended."""
        return self._moved(goal_id, "resume")

    def _moved(self, goal_id: uuid.UUID | str, how: str, **told: Any) -> Goal:
        return read(Goal, self._wire.post(at("v1", "goals", goal_id, how), {**self._whose, **told}))


class RemoteStrategies(_RemoteGroup):
    """The strategies of one scope, on a server; see `MemoryScope.strategies`."""

    __slots__ = ()
    beside_the_database = frozenset(
        {"get_tool_stats", "paths", "reads", "record_invocation", "reinforce_strategy", "scope"}
    )

    @checked
    def find_strategies(
        self, task_description: Description, channels: Names | None = None, top_k: Limit = 5, *,
        session: Name | None = None,
    ) -> list[Strategy]:  # fmt: skip
        """Return the *top_k* strategies for a task, best first: by similarity times confidence."""
        only(channels=channels)
        return listed(Strategy, self._wire.get(
            "/v1/strategies", task=task_description, limit=top_k, session=session, **self._whose
        ))  # fmt: skip

    @checked
    def learn_strategy(
        self, description: Note, context_pattern: Note, tool_sequence: Names, from_conversation_id: Name,
        success: bool, channel: Name | None = None, *, task: Note = "", key: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Store that *tool_sequence* succeeded or failed in a conversation; return the strategy's id.

        A repeat with the same *key* changes nothing, so retries are safe.
        """
        fields = {
            "description": description, "context_pattern": context_pattern, "tool_sequence": list(tool_sequence),
            "conversation": from_conversation_id, "success": success, "task": task, "key": key,
        }  # fmt: skip
        whose = {**self._whose, **({} if channel is None else {"channel": channel})}
        return uuid.UUID(self._wire.post("/v1/strategies", {**whose, **fields}, again=key is not None)["strategy"])

    @checked
    def get(self, strategy_id: Id, *, session: Name | None = None) -> Strategy:
        """Return one strategy. Raises `NotFound`."""
        return read(Strategy, self._wire.get(at("v1", "strategies", strategy_id), session=session, **self._whose))

    @checked
    def all(self, *, session: Name | None = None) -> list[Strategy]:
        """Return every strategy of any confidence, sorted by agent, channel, task and tools."""
        return listed(Strategy, self._wire.get("/v1/strategies", session=session, **self._whose))


Letters = Annotated[Sequence[Number], Field(min_length=1)]
TheWire = Instance[HttpConnection]
BESIDE_THE_DATABASE = frozenset({"drop", "moves", "night", "people", "tenant"})
"""The verbs of an operator that work only with the database, not over HTTP."""


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class RemoteOperator:
    """The queries and actions for an operator of a key's tenant, on a server."""

    _wire: TheWire

    @checked
    def overview(self) -> Overview:
        """Return the amount of stored data, the state of the work on it, and the pending model calls."""
        return read(Overview, self._wire.get("/v1/status"))

    @checked
    def queue(self) -> list[Waiting]:
        """Return each job with pending intents: its name, their number, and the due time of the first."""
        return [read(Waiting, one) for one in self._wire.get("/v1/intents")["items"]]

    @checked
    def budget(self) -> DeskOverview:
        """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""
        return read(DeskOverview, self._wire.get("/v1/budget"))

    @checked
    def runs(self, limit: Limit = 20, *, before: Number | None = None) -> list[PastRun]:
        """Return the *limit* latest runs of the tenant and of the installation, newest first."""
        return list(paged(self._wire, PastRun, "/v1/runs", limit=limit, cursor="before", before=before))

    @checked
    def run(self, number: Number) -> PastRun:
        """Return one run. Raises `NotFound`."""
        return read(PastRun, self._wire.get(at("v1", "runs", number)))

    @checked
    def dead_letters(
        self, limit: Limit = 100, *, after: Number | None = None, everything: bool = False, reviews: bool = True
    ) -> list[DeadLetter]:
        """Return at most *limit* open dead letters, oldest first; with *everything* also those retried or dropped."""
        only(reviews=not reviews)
        return list(paged(
            self._wire, DeadLetter, "/v1/dead-letters", limit=limit, after=after, everything=everything
        ))  # fmt: skip

    @checked
    def retry(self, letters: Letters) -> int:
        """Retry open dead letters, by number; return how many. Raises `NotFound` and `Incorrect`."""
        fields = {"letters": list(letters)}
        retried: int = self._wire.post("/v1/dead-letters/retry", fields, again=False)["retried"]
        return retried

    def __getattr__(self, name: str) -> Any:
        """Raise `OutOfReach` for a verb that works only with the database."""
        if name in BESIDE_THE_DATABASE:
            raise out_of_reach(f"operator.{name}")
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def __repr__(self) -> str:
        return brief(self, self._wire.url)
