"""Questions: recall, the context of a prompt, and a search in stages."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from slowwave.api.access import InQuery, Recalling, Remembering, ScopeNames
from slowwave.api.problems import ASKED, FOUND
from slowwave.api.responses import in_json
from slowwave.domain.arguments import Id, Instant, Limit, Name, Names, Question, Share
from slowwave.domain.context import PromptContext
from slowwave.domain.episode import Role
from slowwave.domain.queries.index import IndexEntry
from slowwave.domain.recollection import Recollection, Remembered
from slowwave.memory.queries.lookup import NamedMemories

recall_router = APIRouter(prefix="/v1", tags=["recall"])
Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]
staged_search_router = APIRouter(prefix="/api/v1/memory", tags=["staged search"])
MOST_AROUND = 100
MOST_IDS = 100
"""The maximum number of ids that fit in a URL."""


class Asking(ScopeNames):
    """A question, and filters for the answers; see `recall` of the library."""

    question: Question
    limit: Limit = 10
    as_of: Instant | None = None
    archived: bool = False
    kinds: list[Remembered] | None = None
    roles: list[Role] | None = None
    sessions: Names | None = None
    exclude_sessions: Names | None = None
    since: Instant | None = None
    until: Instant | None = None
    channels: Names | None = None
    agents: Names | None = None
    session: Name | None = None
    min_score: Share = 0.0


class Recalled(BaseModel):
    """The best recollections, best first.

    *by_words_alone* is the number of episodes that only a keyword search covered, because they have no vector yet. If
    *embedder_away* is true, the embedder did not answer, and the keyword search covered all episodes.
    """

    items: list[Recollection]
    by_words_alone: int = 0
    embedder_away: bool = False


class Prompting(ScopeNames):
    """A question, and the limits of the context; see `context` of the library."""

    question: Question
    session: Name | None = None
    max_tokens: Tokens = 4_000
    limit: Limit = 20
    include_summary: bool = True
    include_graph: bool | None = None
    stop_at_overflow: bool = False
    anticipate: bool = True


@recall_router.post("/recall", summary="Ask a question", responses=ASKED, response_model=Recalled)
def recall(caller: Recalling, memory: Remembering, asking: Asking) -> Response:
    """Return the facts and episodes that answer the question best, with reasons and sources."""
    given = {name: getattr(asking, name) for name in asking.model_fields_set - ScopeNames.model_fields.keys()}
    found = asking.of(memory, caller).recall(**given)
    answer = Recalled(items=found, by_words_alone=found.by_words_alone, embedder_away=found.embedder_away)
    return in_json(answer)


@recall_router.post("/context", summary="Build the context of a prompt", responses=ASKED)
def context(caller: Recalling, memory: Remembering, prompting: Prompting) -> PromptContext:
    """Return the context for an answer to the question, within the token limit. Each part has its sources."""
    given = {name: getattr(prompting, name) for name in prompting.model_fields_set - ScopeNames.model_fields.keys()}
    return prompting.of(memory, caller).context(**given)


class Entries(BaseModel):
    """Entries of an index. *failed* has the reasons why external memories did not answer, by name."""

    items: list[IndexEntry]
    failed: dict[str, str] = Field(default_factory=dict)


class InFull(BaseModel):
    """Memories in full, in the order requested."""

    items: list[NamedMemories]


@staged_search_router.get("/search-index", summary="First stage: an index", responses=FOUND)
def search_index(
    caller: Recalling, memory: Remembering, owner: InQuery, question: Question, limit: Limit = 20,
    archived: bool = False, kinds: Annotated[list[Remembered] | None, Query()] = None,
    exclude_sessions: Annotated[list[Name] | None, Query(max_length=MOST_IDS)] = None, since: Instant | None = None,
    until: Instant | None = None, include_external: bool = False, session: Name | None = None,
) -> Entries:  # fmt: skip
    """Return an index of the memories relevant to the question: each entry has the id, the first 80 characters, the
    number of tokens and the tier.
    """
    found = owner.of(memory, caller).search_index(
        question, limit=limit, archived=archived, kinds=kinds, exclude_sessions=exclude_sessions, since=since,
        until=until, include_external=include_external, session=session,
    )  # fmt: skip
    return Entries(items=found, failed=found.failed)


@staged_search_router.get("/search-timeline", summary="Second stage: the surroundings of an entry", responses=FOUND)
def search_timeline(
    caller: Recalling, memory: Remembering, owner: InQuery, anchor: Id,
    before: Annotated[int, Query(ge=0, le=MOST_AROUND)] = 5, after: Annotated[int, Query(ge=0, le=MOST_AROUND)] = 5,
    session: Name | None = None,
) -> Entries:  # fmt: skip
    """Return index entries for the episode *anchor* and its neighbours, in the order stored. If *anchor* is a fact, its
    source episode is used.
    """
    return Entries(items=owner.of(memory, caller).timeline(anchor, before=before, after=after, session=session))


@staged_search_router.get("/entries", summary="Third stage: entries in full", responses=FOUND)
def entries(
    caller: Recalling, memory: Remembering, owner: InQuery,
    ids: Annotated[list[Id], Query(min_length=1, max_length=MOST_IDS)], session: Name | None = None,
) -> InFull:  # fmt: skip
    """Return the episodes and facts with these *ids* in full, in the order of *ids*."""
    return InFull(items=owner.of(memory, caller).entries(ids, session=session))
