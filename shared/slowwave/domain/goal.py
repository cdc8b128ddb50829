"""A goal: what an agent is to achieve for a user."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowwave.brief import brief

GoalStatus = Literal["active", "completed", "abandoned", "blocked"]
OPEN: tuple[GoalStatus, ...] = ("active", "blocked")
"""What may still be achieved."""
ENDED: tuple[GoalStatus, ...] = ("completed", "abandoned")


@dataclass(frozen=True, slots=True)
class ParentGoal:
    """The goal that another one serves, or that blocks it."""

    goal_id: uuid.UUID
    description: str
    status: GoalStatus

    def __repr__(self) -> str:
        return brief(self, self.description, self.status, id=self.goal_id)


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal. The higher its *priority*, the sooner; *embedding* is what it means to the embedder, if anything.

    *completed_at* is when it ended, one way or the other; *result* is what came of it, or what blocks it;
    *blocked_by* is the goal that does, if it is one.
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
