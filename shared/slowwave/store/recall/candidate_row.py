"""A row of the candidates statement, as a candidate with the match by which it was chosen."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.duplicates import only_asks
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.store.beliefs.facts import source

Row = tuple[float, Candidate]
"""A candidate's match, including that of its neighbours, and the candidate."""


def best_first(rows: Iterable[Row]) -> list[Row]:
    """Return *rows*, the best match first, then the latest."""
    return sorted(rows, key=order)


def order(row: Row) -> tuple[float, timedelta, bool, int]:
    """Return the sort key of a row."""
    reached, one = row
    return -reached, one.age, one.kind == "fact", one.id.int


def candidate(
    form: Form | Literal["episode"],
    id_: uuid.UUID,
    scope: uuid.UUID,
    position: int,
    session: str,
    occurred: datetime,
    received: datetime,
    age_seconds: float,
    speaker: str | None,
    role: Role | None,
    similarity: float,
    keyword: float,
    key: str,
    text: str,
    confidence: float | None,
    sources: Sequence[Sequence[Any]] | None,
    of_user: bool | None,
    words: list[int] | None,
    word_shares: list[float] | None,
    saturation: float,
    ending: str | None,
    gist: str | None,
    reached: float,
) -> Row:
    """Return the candidate in one row. The arguments are in the order of its columns: access by name is slower."""
    return reached, Candidate(
        "episode" if form == "episode" else "fact",
        id_,
        scope,
        position,
        session,
        occurred,
        received,
        timedelta(seconds=age_seconds),
        speaker,
        similarity,
        keyword,
        (Source(id_, key, position, 0, 0),) if form == "episode" else tuple(source(*each) for each in sources or ()),
        text,
        confidence,
        None if form == "episode" else form,
        bool(of_user),
        role,
        shares=dict(zip(words or (), word_shares or (), strict=True)),
        saturation=saturation,
        asks=ending is not None and only_asks(ending),
        gist=gist,
        ending=ending or "",
    )
