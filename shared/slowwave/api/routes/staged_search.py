"""Search in stages: an index to choose from, the surroundings of an entry, and chosen memories in full."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from slowwave.api.access import InQuery, Recalling, Remembering
from slowwave.api.problems import documented
from slowwave.domain.arguments import Id, Instant, Limit, Name, Question
from slowwave.domain.queries.index import IndexEntry
from slowwave.domain.recollection import Remembered
from slowwave.memory.queries.lookup import NamedMemories

router = APIRouter(prefix="/api/v1/memory", tags=["staged search"])
_REFUSALS = documented(401, 403, 404, 422, 429, 500, 503)
MOST_AROUND = 100
MOST_IDS = 100
"""The most ids that fit in a URL."""


class Entries(BaseModel):
    """Entries of an index. *failed* has the reason for each external memory that did not answer."""

    items: list[IndexEntry]
    failed: dict[str, str] = Field(default_factory=dict)


class InFull(BaseModel):
    """Memories in full, in the order requested."""

    items: list[NamedMemories]


@router.get("/search-index", summary="First stage: an index", responses=_REFUSALS)
def search_index(
    caller: Recalling, memory: Remembering, owner: InQuery, question: Question, limit: Limit = 20,
    archived: bool = False, kinds: Annotated[list[Remembered] | None, Query()] = None,
    exclude_sessions: Annotated[list[Name] | None, Query(max_length=MOST_IDS)] = None, since: Instant | None = None,
    until: Instant | None = None, include_external: bool = False, session: Name | None = None,
) -> Entries:  # fmt: skip
    """Return an index of memories relevant to the question: id, first 80 characters, token count and tier of each."""
    found = owner.of(memory, caller).search_index(
        question, limit=limit, archived=archived, kinds=kinds, exclude_sessions=exclude_sessions, since=since,
        until=until, include_external=include_external, session=session,
    )  # fmt: skip
    return Entries(items=found, failed=found.failed)


@router.get("/search-timeline", summary="Second stage: the surroundings of an entry", responses=_REFUSALS)
def search_timeline(
    caller: Recalling, memory: Remembering, owner: InQuery, anchor: Id,
    before: Annotated[int, Query(ge=0, le=MOST_AROUND)] = 5, after: Annotated[int, Query(ge=0, le=MOST_AROUND)] = 5,
    session: Name | None = None,
) -> Entries:  # fmt: skip
    """Return an episode, or a fact's source, between the episodes before and after it, in the order stored."""
    return Entries(items=owner.of(memory, caller).timeline(anchor, before=before, after=after, session=session))


@router.get("/entries", summary="Third stage: entries in full", responses=_REFUSALS)
def entries(
    caller: Recalling, memory: Remembering, owner: InQuery,
    ids: Annotated[list[Id], Query(min_length=1, max_length=MOST_IDS)], session: Name | None = None,
) -> InFull:  # fmt: skip
    """Return the episodes and facts with these ids, in that order, each in full."""
    return InFull(items=owner.of(memory, caller).entries(ids, session=session))
