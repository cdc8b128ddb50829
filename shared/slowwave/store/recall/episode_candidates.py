"""A question with its parameters, the rows of its candidates, and the episodes that may answer it."""

import hashlib
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection

from slowwave.core.blocks.episode_rows import EpisodeRow
from slowwave.core.blocks.estimate import Measures, Word
from slowwave.core.recall.candidate import Candidate, only_asks
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.domain.queries.filters import Filters
from slowwave.domain.recollection import Remembered
from slowwave.ports import Vectors
from slowwave.store.beliefs.facts import source
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import CachedScopes
from slowwave.store.statements import sql

Row = tuple[float, Candidate]
"""A candidate, preceded by its match. The match includes the matches of the candidate's neighbours."""
END_CHARACTERS = 200
"""The number of last characters of an episode that are read to find whether the episode only asks a question."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question of a recall. *asked* has the parameters of the recall's statements.

    *near* has the similarities of episodes that have no stored vector. The memories in *beside* are always read.
    """

    words: Sequence[Word]
    vector: Vectors | None
    most: int
    measures: Measures
    filters: Filters
    near: Mapping[tuple[uuid.UUID, int], float]
    beside: Collection[uuid.UUID]
    asked: Mapping[str, Any]


def best_first(rows: Iterable[Row]) -> list[Row]:
    """Return *rows* in order of match, the best first. Of equal matches, the latest comes first."""
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
    """Return the candidate in a row. The arguments are the row's columns in order, because access by name is slower."""
    if ending is not None:
        ending, gist = _of_text(ending, gist)
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


def _of_text(ending: str, gist: str | None) -> tuple[str, str]:
    """Return the end of a turn's text and the digest of the text. For an encrypted text, *ending* is the whole text."""
    if gist is not None:
        return ending, gist
    return ending[-END_CHARACTERS:], hashlib.md5(ending.strip(" ").lower().encode(), usedforsecurity=False).hexdigest()


def episodes(
    connection: Connection,
    cached: CachedScopes,
    question: Question,
    scopes: Sequence[uuid.UUID],
    positions: Sequence[int],
    received: Sequence[int],
) -> list[EpisodeRow | None]:
    """Return the episode at each of *positions* in *scopes*; None if no episode exists.

    An archived episode counts as missing, unless the question includes archived episodes.

    *received* are the episodes' times of receipt, in microseconds since 1970.
    """
    places = list(zip(scopes, positions, strict=True))
    found = [cached.episodes[scope].get(position) for scope, position in places]
    shelved = question.asked["shelved"]
    unread = [number for number, row in enumerate(found) if row is None or not shelved]
    if not unread:
        return found
    asked = {
        "of_scopes": [scopes[number] for number in unread],
        "positions": [positions[number] for number in unread],
        "received": [received[number] for number in unread],
        "end_characters": END_CHARACTERS,
        "shelved": shelved,
    }
    found = found if shelved else [None] * len(found)
    for ordinal, id_, session, occurred, at, speaker, role, key, ending, gist, put_by in execute_binary(
        connection, sql("recall/episode_rows"), asked
    ):
        number = unread[ordinal - 1]
        scope, position = places[number]
        ending, gist = _of_text(ending, gist)
        row = EpisodeRow(
            id_, session, occurred, at, speaker, role, (Source(id_, key, position, 0, 0),), ending, gist,
            only_asks(ending),
        )  # fmt: skip
        cached.episodes[scope].add(position, row)
        if not put_by:
            found[number] = row
    for rows in cached.episodes.values():
        rows.limit()
    return found


def filtering(filters: Filters) -> dict[str, Any]:
    """Return *filters* as the parameters of a statement."""
    named = ("roles", "sessions", "exclude_sessions", "tiers")
    return {
        "archived": filters.archived,
        "forms": None if filters.kinds is None else _forms(filters.kinds),
        "since": filters.since,
        "until": filters.until,
        **{name: None if (chosen := getattr(filters, name)) is None else list(chosen) for name in named},
    }


def _forms(kinds: Collection[Remembered]) -> list[str]:
    """Return the forms of facts for *kinds*, and `episode` if *kinds* has episodes."""
    both = ["typed", "statement"] if "fact" in kinds else []
    return [*both, *(kind for kind in kinds if kind != "fact")]
