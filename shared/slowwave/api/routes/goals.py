"""Goals of an agent, and strategies that it learned."""

import uuid
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from slowwave.api.access import Deciding, InQuery, Pushing, Recalling, Remembering, ScopeNames
from slowwave.api.problems import documented
from slowwave.api.responses import Page
from slowwave.domain.arguments import Description, Id, Instant, Limit, Name, Note, Number, Reason, Result
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.pattern import Strategy

router = APIRouter(prefix="/v1", tags=["goals"])
_READ = documented(401, 403, 404, 422, 429, 500, 503)
_WRITTEN = documented(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)
_BARE: Any = {"response_model_exclude": {"embedding"}}


class NewGoal(ScopeNames):
    """A new goal. A repeat with the same key changes nothing."""

    description: Description
    priority: Number = 0
    deadline: Instant | None = None
    parent: Id | None = None
    key: Name | None = None


class EndedGoal(ScopeNames):
    """The end of a goal, as `completed` or `abandoned`."""

    status: GoalStatus = "completed"
    result: Result | None = None


class BlockedGoal(ScopeNames):
    """The reason why a goal is blocked, and the blocking goal, if there is one."""

    reason: Reason
    by: Id | None = None


class NewStrategy(ScopeNames):
    """A sequence of tools that succeeded or failed in a conversation."""

    description: Note
    context_pattern: Note
    tool_sequence: list[Name]
    conversation: Name
    success: bool
    task: Note = ""
    key: Name | None = None


class Learned(BaseModel):
    """The id of the strategy that counts the reported success or failure."""

    strategy: uuid.UUID


@router.get(
    "/goals", summary="List goals", responses=_READ, response_model_exclude={"items": {"__all__": {"embedding"}}}
)
def goals(
    caller: Recalling, memory: Remembering, owner: InQuery, status: GoalStatus | None = None, limit: Limit = 100,
    session: Name | None = None,
) -> Page[Goal]:  # fmt: skip
    """Return the goals with a status, or all goals, sorted by descending priority, then oldest first."""
    return Page(items=owner.of(memory, caller).goals.list(status, limit=limit, session=session))


@router.post("/goals", status_code=201, summary="Add a goal", responses=_WRITTEN, **_BARE)
def add_goal(caller: Deciding, memory: Remembering, goal: NewGoal) -> Goal:
    """Store a goal."""
    return goal.of(memory, caller).goals.add(
        goal.description, priority=goal.priority, deadline=goal.deadline, parent=goal.parent, key=goal.key
    )


@router.get("/goals/{goal}", summary="Show a goal", responses=_READ, **_BARE)
def show_goal(
    caller: Recalling, memory: Remembering, owner: InQuery, goal: Id, session: Name | None = None
) -> Goal:  # fmt: skip
    """Return one goal, with its parent."""
    return owner.of(memory, caller).goals.get(goal, session=session)


@router.post("/goals/{goal}/end", summary="End a goal", responses=_WRITTEN, **_BARE)
def end_goal(caller: Deciding, memory: Remembering, goal: Id, ended: EndedGoal) -> Goal:
    """End a goal as completed or abandoned; a repeat changes nothing."""
    return ended.of(memory, caller).goals.complete(goal, ended.status, ended.result)


@router.post("/goals/{goal}/block", summary="Block a goal", responses=_WRITTEN, **_BARE)
def block_goal(caller: Deciding, memory: Remembering, goal: Id, blocked: BlockedGoal) -> Goal:
    """Mark a goal as blocked."""
    return blocked.of(memory, caller).goals.block(goal, blocked.reason, by=blocked.by)


@router.post("/goals/{goal}/resume", summary="Resume a goal", responses=_WRITTEN, **_BARE)
def resume_goal(caller: Deciding, memory: Remembering, goal: Id, fields: ScopeNames) -> Goal:
    """Mark a blocked goal as active again."""
    return fields.of(memory, caller).goals.resume(goal)


@router.get("/strategies", summary="List strategies", responses=_READ)
def strategies(
    caller: Recalling, memory: Remembering, owner: InQuery, task: Description | None = None, limit: Limit = 100,
    session: Name | None = None,
) -> Page[Strategy]:  # fmt: skip
    """Return the strategies for a task, best first. Without a task, return every strategy."""
    there = owner.of(memory, caller).strategies
    if task is not None:
        return Page(items=there.find_strategies(task, None, limit, session=session))
    return Page(items=there.all(session=session))


@router.get("/strategies/{strategy}", summary="Show a strategy", responses=_READ)
def show_strategy(
    caller: Recalling, memory: Remembering, owner: InQuery, strategy: Id, session: Name | None = None
) -> Strategy:  # fmt: skip
    """Return one strategy."""
    return owner.of(memory, caller).strategies.get(strategy, session=session)


@router.post("/strategies", status_code=201, summary="Record a strategy", responses=_WRITTEN)
def learn_strategy(caller: Pushing, memory: Remembering, new: NewStrategy) -> Learned:
    """Store that a sequence of tools succeeded or failed; return the strategy's id.

    A repeat with the same key is stored once.
    """
    return Learned(strategy=new.of(memory, caller).strategies.learn_strategy(
        new.description, new.context_pattern, new.tool_sequence, new.conversation, new.success, task=new.task,
        key=new.key,
    ))  # fmt: skip
