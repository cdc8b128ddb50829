"""Search in stages: an index to choose from, what surrounds an entry of it, and what was chosen in full."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from slowwave.api.access import Recalling
from slowwave.api.problems import documented
from slowwave.api.whose import InQuery, Remembering
from slowwave.domain.arguments import Id, Instant, Limit, Name, Question
from slowwave.domain.reading.index import IndexEntry
from slowwave.domain.recollection import Remembered
from slowwave.memory.reading.naming import Named

router = APIRouter(prefix="/api/v1/memory", tags=["staged search"])
_REFUSALS = documented(401, 403, 404, 422, 429, 500, 503)
MOST_AROUND = 100
MOST_IDS = 100
"""As many ids as an address has room for."""


class Entries(BaseModel):
    """Entries of an index. *failed* names the other memories that did not answer, and says why."""

    items: list[IndexEntry]
    failed: dict[str, str] = Field(default_factory=dict)


class InFull(BaseModel):
    """Memories in full, in the order in which they were asked for."""

    items: list[Named]


@router.get("/search-index", summary="First stage: an index", responses=_REFUSALS)
def search_index(
    caller: Recalling, memory: Remembering, whose: InQuery, question: Question, limit: Limit = 20,
    archived: bool = False, kinds: Annotated[list[Remembered] | None, Query()] = None,
    exclude_sessions: Annotated[list[Name] | None, Query(max_length=MOST_IDS)] = None, since: Instant | None = None,
    until: Instant | None = None, include_external: bool = False, session: Name | None = None,
) -> Entries:  # fmt: skip
    """Answer with what bears on the question as an index: an id, the first 80 characters, tokens and tier of each."""
    found = whose.of(memory, caller).search_index(
        question, limit=limit, archived=archived, kinds=kinds, exclude_sessions=exclude_sessions, since=since,
        until=until, include_external=include_external, session=session,
    )  # fmt: skip
    return Entries(items=found, failed=found.failed)


@router.get("/search-timeline", summary="Second stage: what surrounds an entry", responses=_REFUSALS)
def search_timeline(
    caller: Recalling, memory: Remembering, whose: InQuery, anchor: Id,
    before: Annotated[int, Query(ge=0, le=MOST_AROUND)] = 5, after: Annotated[int, Query(ge=0, le=MOST_AROUND)] = 5,
    session: Name | None = None,
) -> Entries:  # fmt: skip
    """Answer with what was told before and after an episode or fact, with it in between, in the order told."""
    return Entries(items=whose.of(memory, caller).timeline(anchor, before=before, after=after, session=session))


@router.get("/entries", summary="Third stage: entries in full", responses=_REFUSALS)
def entries(
    caller: Recalling, memory: Remembering, whose: InQuery,
    ids: Annotated[list[Id], Query(min_length=1, max_length=MOST_IDS)], session: Name | None = None,
) -> InFull:  # fmt: skip
    """Answer with the episodes and facts of these ids, in that order, each in full."""
    return InFull(items=whose.of(memory, caller).entries(ids, session=session))
