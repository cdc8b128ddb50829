"""`scope.goals`: the verbs that add, list and end an agent's goals for a user."""

import uuid
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from slowwave.domain.arguments import Description, Id, Instant, Limit, Name, Number, Reason, Result, checked, id_of
from slowwave.domain.goal import ENDED, Goal, GoalStatus
from slowwave.errors import Incorrect, NotFound
from slowwave.memory.queries.access_tracking import audited_lookup
from slowwave.memory.verb_group import VerbGroup
from slowwave.store.goals import goals
from slowwave.store.transaction import space_number

Listed = list[Goal]
"""A list of goals, named here because `list` is a method inside `Goals`."""


class Goals(VerbGroup):
    """The goals of one scope."""

    __slots__ = ()

    @checked
    def add(
        self, description: Description, *, priority: Number = 0, deadline: Instant | None = None,
        parent: Id | None = None, key: Name | None = None,
    ) -> Goal:  # fmt: skip
        """Store a goal; return the goal. With a *key*, a repeat changes nothing.

        Raises `Incorrect` with every problem, and `NotFound` if *parent* is not a goal of this scope.
        """
        parts, scope = self._parts, self.scope
        description = parts.masking.text(description)
        id_ = uuid.uuid4() if key is None else uuid.uuid5(scope.id, f"goal/{key}")
        embedder = parts.embedder_for(self.scope)
        vector = embedder.embed([description])[0]
        with parts.quotas.writing(scope) as connection:
            new = goals.NewGoal(
                id_,
                description,
                space_number(connection, embedder.space, embedder.dimensions),
                vector if vector.any() else None,
                parent=None if parent is None else _id(parent),
                priority=priority,
                deadline=deadline,
            )
            return goals.add(connection, scope, new)

    @checked
    def get(self, goal_id: Id, *, session: Name | None = None) -> Goal:
        """Return one goal, with its parent. *session* is the caller's session, for the audit log. Raises `NotFound`."""
        id_ = _id(goal_id)
        return self._read(lambda connection: [goals.get(connection, self.scope.id, id_)], "goals.get", session)[0]

    @checked
    def list(
        self, status: GoalStatus | None = "active", *, limit: Limit = 100, session: Name | None = None
    ) -> list[Goal]:
        """Return the goals with *status*, or all goals if *status* is None, sorted by descending priority, then oldest
        first.

        *session* is the caller's session, for the audit log.
        """

        def read(connection: Any) -> Listed:
            return goals.listed(connection, self.scope.id, status=status, most=limit)

        return self._read(read, "goals.list", session)

    @checked
    def complete(self, goal_id: Id, status: GoalStatus = "completed", result: Result | None = None) -> Goal:
        """End a goal as `completed` or `abandoned`, with its *result*; return the goal. A repeat changes nothing.

        Raises `NotFound`, and `Conflict` if the goal has already ended with the other status.
        """
        if status not in ENDED:
            raise Incorrect(f"a goal cannot end as {status!r}", hint=f"say {' or '.join(ENDED)}; see also `block`")
        return self._move(goal_id, status, result)

    @checked
    def block(self, goal_id: Id, reason: Reason, *, by: Id | None = None) -> Goal:
        """Mark a goal as blocked, with the reason; return the goal.

        *by* is the id of the other goal that blocks this goal.

        Raises `NotFound`, and `Conflict` if the goal has ended.
        """
        return self._move(goal_id, "blocked", reason, None if by is None else _id(by))

    @checked
    def resume(self, goal_id: Id) -> Goal:
        """Mark a blocked goal as active again; return the goal.

        Raises `NotFound`, and `Conflict` if the goal has ended.
        """
        return self._move(goal_id, "active", None)

    def _read(self, read: Callable[[Any], Listed], verb: str, session: str | None) -> Listed:
        scope = self.scope
        return audited_lookup(
            self._parts, scope.tenant, read, kind=goals.KIND, scope=scope, verb=verb, session=session,
            of=attrgetter("goal_id"),
        )  # fmt: skip

    def _move(
        self, goal_id: uuid.UUID | str, status: GoalStatus, result: str | None, by: uuid.UUID | None = None
    ) -> Goal:
        masked = None if result is None else self._parts.masking.text(result)
        with self._parts.quotas.writing(self.scope) as connection:
            return goals.move(connection, self.scope.id, _id(goal_id), status, masked, by)


def _id(text: uuid.UUID | str) -> uuid.UUID:
    if not (found := id_of(text)):
        raise NotFound(f"there is no goal {text!r}")
    return found
