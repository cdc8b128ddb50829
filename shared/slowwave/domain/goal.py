"""A goal: something that an agent should achieve for a user."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowwave.formatting import brief

GoalStatus = Literal["active", "completed", "abandoned", "blocked"]
OPEN: tuple[GoalStatus, ...] = ("active", "blocked")
"""The statuses of goals that can still be achieved."""
ENDED: tuple[GoalStatus, ...] = ("completed", "abandoned")


@dataclass(frozen=True, slots=True)
class ParentGoal:
    """A goal that another goal serves, or that blocks another goal."""

    goal_id: uuid.UUID
    description: str
    status: GoalStatus

    def __repr__(self) -> str:
        return brief(self, self.description, self.status, id=self.goal_id)


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal. A goal with a higher *priority* comes first. *embedding* is the vector of the goal, or None.

    *completed_at* is the time when the goal ended, with or without success. *result* is the result, or the reason why
    the goal is blocked. *blocked_by* is the blocking goal, or None.
    """

    goal_id: uuid.UUID
    user_id: str
    agent: str
    channel: str
    description: str
    status: GoalStatus
    priority: int
    created_at: datetime
    completed_at: datetime | None
    result: str | None
    deadline: datetime | None
    parent: ParentGoal | None
    blocked_by: ParentGoal | None = None
    embedding: Sequence[float] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return brief(self, self.description, self.status, f"priority {self.priority}", id=self.goal_id)
