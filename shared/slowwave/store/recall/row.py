"""A row of the statement of candidates, as the candidate it is."""

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
    """Return one row, its columns in the statement's order: rows are many, and names cost."""
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
"""The place of the sources in a row."""


def with_sources(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row as the statement gives it, of which the sources are told in JSON, with its sources."""
    return (*row[:SOURCES], tuple(source(*each) for each in row[SOURCES] or ()), *row[SOURCES + 1 :])
