"""A row of the candidates statement, as a candidate."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.echo import only_asks
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.store.beliefs.facts import source


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
    sources: Sequence[Source],
    of_user: bool | None,
    words: list[int] | None,
    word_shares: list[float] | None,
    saturation: float,
    ending: str | None,
    gist: str | None,
) -> Candidate:
    """Return one row as a candidate, its columns in the statement's order: access by name would be slower."""
    return Candidate(
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
        (Source(id_, key, position, 0, 0),) if form == "episode" else sources,
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


SOURCES = 15
"""The index of the sources in a row."""


def with_sources(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row of the statement with its sources, which come as JSON, converted to values."""
    return (*row[:SOURCES], tuple(source(*each) for each in row[SOURCES] or ()), *row[SOURCES + 1 :])
