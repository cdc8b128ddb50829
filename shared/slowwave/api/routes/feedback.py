"""Judgement by people and agents: feedback on recollections, and decisions of reviews."""

import uuid

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from slowwave.api.access import Deciding, Remembering, Whose
from slowwave.api.problems import documented
from slowwave.api.responses import Page, page
from slowwave.domain.arguments import Id, Limit, Name, Number, Share
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.fact import Fact
from slowwave.domain.recollection import Recollection
from slowwave.domain.standing import Standing
from slowwave.memory.queries.lookup import NamedMemories

router = APIRouter(prefix="/v1", tags=["judging"])


class Feedback(Whose):
    """The usefulness of a recollection: its id and score, and the feedback."""

    id: uuid.UUID
    score: Share
    useful: Share | bool


class Decision(BaseModel):
    """A person's decision of a review; *by* names the person."""

    model_config = ConfigDict(extra="forbid")

    verdict: Verdict
    by: Name
    object: Name | None = None
    replaces: Id | None = None


class Decided(BaseModel):
    """The delta of a decided review."""

    delta: uuid.UUID


@router.post("/feedback", summary="Report how useful an answer was", responses=documented(
    400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503
))  # fmt: skip
def feedback(caller: Deciding, memory: Remembering, feedback_: Feedback) -> Standing:
    """Report how useful a recollection was; return its new standing."""
    scope = feedback_.of(memory, caller)
    (found,) = scope.quietly().entries([feedback_.id])
    return scope.feedback(_recalled(found, feedback_.score), feedback_.useful)


@router.get("/review", summary="List reviews", responses=documented(401, 403, 422, 429, 500, 503))
def review(caller: Deciding, memory: Remembering, limit: Limit = 100, after: Number | None = None) -> Page[Review]:
    """Return the claims that need a person's decision, oldest first."""
    return page(memory.review(limit=limit, after=after, tenant=caller.tenant), limit, lambda one: one.number)


@router.post("/review/{number}", summary="Decide a review", responses=documented(
    400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503
))  # fmt: skip
def decide(caller: Deciding, memory: Remembering, number: Number, decision: Decision) -> Decided:
    """Accept a review's claim, reject it, or edit its object; return the delta's id."""
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
