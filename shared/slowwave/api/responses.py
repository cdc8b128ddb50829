"""Responses as JSON: the library's values in pages with a cursor, and receipts with their problems."""

import uuid
from collections.abc import Callable, Sequence
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from slowwave.api.problems import Problem, problem_of
from slowwave.domain.receipt import Receipt

T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """One page of a list: *next* is the cursor of the next page, null on the last one."""

    items: list[T]
    next: str | None = Field(None, description="the cursor of the next page")


def page(items: Sequence[T], limit: int, cursor: Callable[[T], object]) -> Page[T]:
    """Return a page of up to *limit* *items*; a full page may have another after it."""
    return Page(items=list(items), next=str(cursor(items[-1])) if len(items) >= limit else None)


class Told(BaseModel):
    """The receipt of one episode: `stored` in Postgres, `spooled` in the host's outbox, or `refused`."""

    id: uuid.UUID | None
    key: str
    state: Literal["stored", "queued", "spooled", "refused"]
    position: int | None = None
    repeated: bool = Field(False, description="whether its key had been pushed before")
    problem: Problem | None = Field(None, description="why it was refused")
    masked: list[str] = Field(default_factory=list, description="the kinds of secrets masked in it, like `password`")


def json_response(receipt: Receipt) -> Told:
    """Return *receipt* in its HTTP form."""
    return Told(
        id=receipt.id, key=receipt.key, state=receipt.state, position=receipt.position, repeated=receipt.repeated,
        problem=None if receipt.error is None else problem_of(receipt.error), masked=list(receipt.masked),
    )  # fmt: skip
