"""Beliefs: routes for facts, explanations, deltas, feedback on recollections, and decisions of reviews."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Deciding, InQuery, Recalling, Remembering, ScopeNames
from slowwave.api.problems import documented
from slowwave.api.responses import Page, page
from slowwave.domain.arguments import Id, Instant, Limit, Name, Number, Share
from slowwave.domain.claim import Form
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.queries.unread import UnreadTurn
from slowwave.domain.recollection import Recollection
from slowwave.domain.standing import Standing
from slowwave.memory.queries.lookup import NamedMemories

beliefs_router = APIRouter(prefix="/v1", tags=["beliefs"])
_REFUSALS = documented(401, 403, 404, 422, 429, 500, 503)
feedback_router = APIRouter(prefix="/v1", tags=["judging"])


@beliefs_router.get("/facts", summary="List facts", responses=_REFUSALS)
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


@beliefs_router.get("/unread", summary="List turns in languages that no pack or model reads", responses=_REFUSALS)
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


@beliefs_router.get("/facts/{fact}/why", summary="Explain a fact", responses=_REFUSALS)
def why(caller: Recalling, memory: Remembering, fact: Id, session: Name | None = None) -> Explanation:
    """Return why a fact is or was believed, with the original words. *fact* is an id or a unique prefix of an id."""
    return memory.why(fact, tenant=caller.tenant, session=session)


@beliefs_router.get("/deltas", summary="List deltas", responses=_REFUSALS)
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


class Decision(BaseModel):
    """A person's decision of a review. *by* is the name of the person."""

    model_config = ConfigDict(extra="forbid")

    verdict: Verdict
    by: Name
    object: Name | None = None
    replaces: Id | None = None


class Decided(BaseModel):
    """The delta of a decided review."""

    delta: uuid.UUID


@feedback_router.post("/feedback", summary="Report how useful an answer was", responses=documented(
    400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503
))  # fmt: skip
def feedback(caller: Deciding, memory: Remembering, feedback_: Feedback) -> Standing:
    """Report how useful a recollection was; return the new tier and usage of the recalled memory."""
    scope = feedback_.of(memory, caller)
    (found,) = scope.quietly().entries([feedback_.id])
    return scope.feedback(_recalled(found, feedback_.score), feedback_.useful)


@feedback_router.get("/review", summary="List reviews", responses=documented(401, 403, 422, 429, 500, 503))
def review(caller: Deciding, memory: Remembering, limit: Limit = 100, after: Number | None = None) -> Page[Review]:
    """Return the claims that need a person's decision, oldest first."""
    return page(memory.review(limit=limit, after=after, tenant=caller.tenant), limit, lambda one: one.number)


@feedback_router.post("/review/{number}", summary="Decide a review", responses=documented(
    400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503
))  # fmt: skip
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
