"""Beliefs: routes for facts, explanations, deltas, feedback on recollections, and decisions of reviews; and the goals
of an agent, with the strategies that it learned.
"""

import uuid
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from slowwave.api.access import Body, Deciding, InQuery, Pushing, Recalling, Remembering, ScopeNames
from slowwave.api.problems import CHANGED, FOUND, LISTED
from slowwave.api.responses import Page, page
from slowwave.domain.arguments import Description, Id, Instant, Limit, Name, Note, Number, Reason, Result, Share
from slowwave.domain.claim import Form
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.goal import Goal, GoalStatus
from slowwave.domain.pattern import Strategy
from slowwave.domain.queries.unread import UnreadTurn
from slowwave.domain.recollection import Recollection
from slowwave.domain.standing import Standing
from slowwave.memory.queries.lookup import NamedMemories

beliefs_router = APIRouter(prefix="/v1", tags=["beliefs"])
feedback_router = APIRouter(prefix="/v1", tags=["judging"])
goals_router = APIRouter(prefix="/v1", tags=["goals"])
_BARE: Any = {"response_model_exclude": {"embedding"}}


@beliefs_router.get("/facts", summary="List facts", responses=FOUND)
def facts(
    caller: Recalling, memory: Remembering, owner: InQuery,
    as_of: Annotated[Instant | None, Query(description="facts true at that time in the world")] = None,
    known_at: Annotated[Instant | None, Query(description="facts believed at that time")] = None,
    form: Form | None = None, limit: Limit = 100, after: Id | None = None, session: Name | None = None,
) -> Page[Fact]:  # fmt: skip
    """Return the facts believed about a user. By default, these are the current beliefs about the present."""
    found = owner.of(memory, caller).facts(
        as_of=as_of, known_at=known_at, form=form, limit=limit, after=after, session=session
    )
    return page(found, limit, lambda fact: fact.id)


class NotRead(Page[UnreadTurn]):
    """Unread turns.

    *languages* has the number of all unread turns by language. *reason* explains why no pack or model reads these
    languages, and *remedy* is the setting to change.
    """

    languages: dict[str, int] = Field(description="the total number of turns by language code")
    reason: str
    remedy: str


@beliefs_router.get("/unread", summary="List turns in languages that no pack or model reads", responses=FOUND)
def unread(
    caller: Recalling, memory: Remembering, owner: InQuery, limit: Limit = 20, before: Id | None = None,
    session: Name | None = None,
) -> NotRead:  # fmt: skip
    """Return a user's unread turns, newest first.

    No pack or model could read the language of such a turn when it arrived.
    """
    found = owner.of(memory, caller).unread(limit, before=before, session=session)
    turns = page(found, limit, lambda turn: turn.episode.id)
    return NotRead(
        items=turns.items, next=turns.next, languages=found.languages, reason=found.reason, remedy=found.remedy
    )


@beliefs_router.get("/facts/{fact}/why", summary="Explain a fact", responses=FOUND)
def why(caller: Recalling, memory: Remembering, fact: Id, session: Name | None = None) -> Explanation:
    """Return why a fact is or was believed, with the original words. *fact* is an id or a unique prefix of an id."""
    return memory.why(fact, tenant=caller.tenant, session=session)


@beliefs_router.get("/deltas", summary="List deltas", responses=FOUND)
def deltas(
    caller: Recalling, memory: Remembering, user: Name | None = None, agent: Name | None = None,
    channel: Name | None = None, run: Number | None = None, since: Instant | None = None, kind: Kind | None = None,
    after: Id | None = None, limit: Limit = 100,
) -> Page[AppliedDelta]:  # fmt: skip
    """Return the deltas of the tenant, or of one memory if a user is named, in the order of application."""
    if user is None:
        found = memory.deltas(run=run, since=since, kind=kind, after=after, limit=limit, tenant=caller.tenant)
    else:
        scope = memory.scope(user, agent=agent, channel=channel, tenant=caller.tenant)
        found = scope.deltas(run=run, since=since, kind=kind, after=after, limit=limit)
    return page(found, limit, lambda delta: delta.id)


class Feedback(ScopeNames):
    """A rating of a recollection: the recollection's id and score, and how useful it was."""

    id: uuid.UUID
    score: Share
    useful: Share | bool


class Decision(Body):
    """A person's decision of a review. *by* is the name of the person."""

    verdict: Verdict
    by: Name
    object: Name | None = None
    replaces: Id | None = None


class Decided(BaseModel):
    """The delta of a decided review."""

    delta: uuid.UUID


@feedback_router.post("/feedback", summary="Report how useful an answer was", responses=CHANGED)
def feedback(caller: Deciding, memory: Remembering, feedback_: Feedback) -> Standing:
    """Report how useful a recollection was; return the new tier and usage of the recalled memory."""
    scope = feedback_.of(memory, caller)
    (found,) = scope.quietly().entries([feedback_.id])
    return scope.feedback(_recalled(found, feedback_.score), feedback_.useful)


@feedback_router.get("/review", summary="List reviews", responses=LISTED)
def review(caller: Deciding, memory: Remembering, limit: Limit = 100, after: Number | None = None) -> Page[Review]:
    """Return the claims that need a person's decision, oldest first."""
    return page(memory.review(limit=limit, after=after, tenant=caller.tenant), limit, lambda one: one.number)


@feedback_router.post("/review/{number}", summary="Decide a review", responses=CHANGED)
def decide(caller: Deciding, memory: Remembering, number: Number, decision: Decision) -> Decided:
    """Accept the claim of a review, reject the claim, or edit its object; return the id of the delta."""
    delta = memory.decide(
        number, decision.verdict, by=decision.by, object=decision.object, replaces=decision.replaces,
        tenant=caller.tenant,
    )  # fmt: skip
    return Decided(delta=delta)


def _recalled(found: NamedMemories, score: float) -> Recollection:
    """Return a memory as a recollection with the *score* from the request."""
    if isinstance(found, Fact):
        return Recollection("fact", found.id, found.text, score, {}, found.sources, found.valid_from, scope=found.scope)
    return Recollection("episode", found.id, found.content, score, {}, (), found.occurred, scope=found.scope)


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


@goals_router.get(
    "/goals", summary="List goals", responses=FOUND, response_model_exclude={"items": {"__all__": {"embedding"}}}
)
def goals(
    caller: Recalling, memory: Remembering, owner: InQuery, status: GoalStatus | None = None, limit: Limit = 100,
    session: Name | None = None,
) -> Page[Goal]:  # fmt: skip
    """Return the goals with a status, or all goals, sorted by descending priority, then oldest first."""
    return Page(items=owner.of(memory, caller).goals.list(status, limit=limit, session=session))


@goals_router.post("/goals", status_code=201, summary="Add a goal", responses=CHANGED, **_BARE)
def add_goal(caller: Deciding, memory: Remembering, goal: NewGoal) -> Goal:
    """Store a goal."""
    return goal.of(memory, caller).goals.add(
        goal.description, priority=goal.priority, deadline=goal.deadline, parent=goal.parent, key=goal.key
    )


@goals_router.get("/goals/{goal}", summary="Show a goal", responses=FOUND, **_BARE)
def show_goal(
    caller: Recalling, memory: Remembering, owner: InQuery, goal: Id, session: Name | None = None
) -> Goal:  # fmt: skip
    """Return one goal, with its parent."""
    return owner.of(memory, caller).goals.get(goal, session=session)


@goals_router.post("/goals/{goal}/end", summary="End a goal", responses=CHANGED, **_BARE)
def end_goal(caller: Deciding, memory: Remembering, goal: Id, ended: EndedGoal) -> Goal:
    """End a goal as completed or abandoned; a repeat changes nothing."""
    return ended.of(memory, caller).goals.complete(goal, ended.status, ended.result)


@goals_router.post("/goals/{goal}/block", summary="Block a goal", responses=CHANGED, **_BARE)
def block_goal(caller: Deciding, memory: Remembering, goal: Id, blocked: BlockedGoal) -> Goal:
    """Mark a goal as blocked."""
    return blocked.of(memory, caller).goals.block(goal, blocked.reason, by=blocked.by)


@goals_router.post("/goals/{goal}/resume", summary="Resume a goal", responses=CHANGED, **_BARE)
def resume_goal(caller: Deciding, memory: Remembering, goal: Id, fields: ScopeNames) -> Goal:
    """Mark a blocked goal as active again."""
    return fields.of(memory, caller).goals.resume(goal)


@goals_router.get("/strategies", summary="List strategies", responses=FOUND)
def strategies(
    caller: Recalling, memory: Remembering, owner: InQuery, task: Description | None = None, limit: Limit = 100,
    session: Name | None = None,
) -> Page[Strategy]:  # fmt: skip
    """Return the strategies for a task, best first. Without a task, return every strategy."""
    there = owner.of(memory, caller).strategies
    if task is not None:
        return Page(items=there.find_strategies(task, None, limit, session=session))
    return Page(items=there.all(session=session))


@goals_router.get("/strategies/{strategy}", summary="Show a strategy", responses=FOUND)
def show_strategy(
    caller: Recalling, memory: Remembering, owner: InQuery, strategy: Id, session: Name | None = None
) -> Strategy:  # fmt: skip
    """Return one strategy."""
    return owner.of(memory, caller).strategies.get(strategy, session=session)


@goals_router.post("/strategies", status_code=201, summary="Record a strategy", responses=CHANGED)
def learn_strategy(caller: Pushing, memory: Remembering, new: NewStrategy) -> Learned:
    """Store that a sequence of tools succeeded or failed; return the strategy's id.

    A repeat with the same key is stored once.
    """
    return Learned(strategy=new.of(memory, caller).strategies.learn_strategy(
        new.description, new.context_pattern, new.tool_sequence, new.conversation, new.success, task=new.task,
        key=new.key,
    ))  # fmt: skip
