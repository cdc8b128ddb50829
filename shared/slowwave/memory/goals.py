"""What an agent is to achieve for a user: added, listed, and ended one way or the other."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.goal import ENDED, Goal, GoalStatus
from slowwave.domain.scope import Scope
from slowwave.domain.text import text_problems
from slowwave.errors import Incorrect, NotFound
from slowwave.store.notes import goals
from slowwave.store.spaces import space_number
from slowwave.wiring import Parts

DESCRIPTION_CHARACTERS = 10_000
LOWEST, HIGHEST = -(2**31), 2**31 - 1


@dataclass(frozen=True, slots=True)
class Goals:
    """The goals of one scope."""

    parts: Parts
    scope: Scope

    def add(
        self,
        description: str,
        *,
        priority: int = 0,
        deadline: datetime | None = None,
        parent: uuid.UUID | str | None = None,
        key: str | None = None,
    ) -> Goal:
        """Write a goal down; return it. With a *key*, adding it again changes nothing.

        Raises `Incorrect` with every problem, and `NotFound` for a *parent* that is no goal here.
        """
        _check(description, priority, deadline)
        parts, scope = self.parts, self.scope
        id_ = uuid.uuid4() if key is None else uuid.uuid5(scope.id, f"goal/{key}")
        vector = parts.embedder.embed([description])[0]
        with parts.database.tenant(scope.tenant) as connection:
            return goals.add(
                connection,
                scope,
                id_,
                description,
                priority=priority,
                deadline=deadline,
                parent=None if parent is None else _id(parent),
                space=space_number(connection, parts.embedder.space, parts.embedder.dimensions),
                vector=vector if vector.any() else None,
            )

    def get(self, goal_id: uuid.UUID | str) -> Goal:
        """Return one goal, with its parent. Raises `NotFound`."""
        with self.parts.database.tenant(self.scope.tenant) as connection:
            return goals.get(connection, self.scope.id, _id(goal_id))

    def list(self, status: GoalStatus | None = "active", *, limit: int = 100) -> list[Goal]:
        """Return the goals of a *status*, or all: those of the highest priority first, then the oldest."""
        with self.parts.database.tenant(self.scope.tenant) as connection:
            return goals.listed(connection, self.scope.id, status=status, most=limit)

    def complete(self, goal_id: uuid.UUID | str, status: GoalStatus = "completed", result: str | None = None) -> Goal:
        """End a goal, as `completed` or `abandoned`, and say what came of it. Ending it so again changes nothing.

        Raises `NotFound`, and `Conflict` when it ended in another way.
        """
        if status not in ENDED:
            raise Incorrect(f"a goal does not end as {status!r}", hint=f"say {' or '.join(ENDED)}; see also `block`")
        return self._move(goal_id, status, result)

    def block(self, goal_id: uuid.UUID | str, reason: str) -> Goal:
        """Say that a goal cannot be achieved for now, and why. Raises `NotFound`, and `Conflict` once it has ended."""
        return self._move(goal_id, "blocked", reason)

    def resume(self, goal_id: uuid.UUID | str) -> Goal:
        """Take a blocked goal up again. Raises `NotFound`, and `Conflict` once it has ended."""
        return self._move(goal_id, "active", None)

    def _move(self, goal_id: uuid.UUID | str, status: GoalStatus, result: str | None) -> Goal:
        with self.parts.database.tenant(self.scope.tenant) as connection:
            return goals.move(connection, self.scope.id, _id(goal_id), status, result)


def _check(description: str, priority: int, deadline: datetime | None) -> None:
    problems = [f"description: {problem}" for problem in text_problems(description)]
    if not description.strip():
        problems.append("description: is empty")
    if len(description) > DESCRIPTION_CHARACTERS:
        problems.append(f"description: has {len(description)} characters, at most {DESCRIPTION_CHARACTERS} are allowed")
    if not LOWEST <= priority <= HIGHEST:
        problems.append(f"priority: expected a number of 32 bits, got {priority}")
    if deadline is not None and deadline.utcoffset() is None:
        problems.append("deadline: has no time zone")
    if problems:
        raise Incorrect.listing("the goal", problems)


def _id(text: uuid.UUID | str) -> uuid.UUID:
    try:
        return text if isinstance(text, uuid.UUID) else uuid.UUID(text)
    except ValueError:
        raise NotFound(f"there is no goal {text!r}") from None
