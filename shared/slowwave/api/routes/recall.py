"""Recall: questions to the memory, and the context of a prompt."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from slowwave.api.access import Recalling, Remembering, Whose
from slowwave.api.problems import documented
from slowwave.domain.arguments import Instant, Limit, Name, Names, Question, Share
from slowwave.domain.context import PromptContext
from slowwave.domain.episode import Role
from slowwave.domain.recollection import Recollection, Remembered

router = APIRouter(prefix="/v1", tags=["recall"])
Tokens = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Asking(Whose):
    """A question, and filters for its answers; see `recall` of the library."""

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

    *by_words_alone* counts the episodes that only a keyword search covered, since they have no vector yet. With
    *embedder_away*, the embedder did not answer, and the keyword search covered all episodes.
    """

    items: list[Recollection]
    by_words_alone: int = 0
    embedder_away: bool = False


class Prompting(Whose):
    """A question, and the limits of its context; see `context` of the library."""

    question: Question
    session: Name | None = None
    max_tokens: Tokens = 4_000
    limit: Limit = 20
    include_summary: bool = True
    include_graph: bool | None = None
    stop_at_overflow: bool = False
    anticipate: bool = True


_REFUSALS = documented(400, 401, 403, 413, 415, 422, 429, 500, 503)


@router.post("/recall", summary="Ask a question", responses=_REFUSALS)
def recall(caller: Recalling, memory: Remembering, asking: Asking) -> Recalled:
    """Return the facts and episodes that answer the question best, with reasons and sources."""
    said = {name: getattr(asking, name) for name in asking.model_fields_set - Whose.model_fields.keys()}
    found = asking.of(memory, caller).recall(**said)
    return Recalled(items=found, by_words_alone=found.by_words_alone, embedder_away=found.embedder_away)


@router.post("/context", summary="Build the context of a prompt", responses=_REFUSALS)
def context(caller: Recalling, memory: Remembering, prompting: Prompting) -> PromptContext:
    """Return the context for answering the question, each part with its sources, within the token limit."""
    said = {name: getattr(prompting, name) for name in prompting.model_fields_set - Whose.model_fields.keys()}
    return prompting.of(memory, caller).context(**said)
