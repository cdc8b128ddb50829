"""A question with its parameters, the rows of its candidates, and the episodes that may answer it."""

import hashlib
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Measures, Word
from slowwave.core.recall.candidate import Candidate, Scores, only_asks
from slowwave.core.recall.candidates import Candidates, Mask, Numbers
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.domain.queries.filters import Filters
from slowwave.domain.recollection import Remembered
from slowwave.ports import Vectors
from slowwave.store.beliefs.facts import source
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import CachedScopes
from slowwave.store.statements import sql

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


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, each with the match that it *reached*, which includes the matches of its neighbours."""

    reached: Scores
    candidates: Candidates

    def then(self, other: "Found") -> "Found":
        """Return these candidates followed by those of *other*."""
        return Found(np.concatenate([self.reached, other.reached]), self.candidates.then(other.candidates))

    def only(self, numbers: Numbers | Mask) -> "Found":
        """Return the candidates that *numbers* selects, in this order."""
        return Found(self.reached[numbers], self.candidates.only(numbers))

    def best_first(self) -> Numbers:
        """Return the numbers of the candidates in order of match, the best first."""
        return self.candidates.best_first(self.reached)


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
    _reached: float,
) -> Candidate:
    """Return the candidate in a row. The arguments are the row's columns in order, because access by name is slower."""
    if ending is not None:
        ending, gist = _of_text(ending, gist)
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
    sides: Sequence[int],
    positions: Sequence[int],
    received: Sequence[int],
) -> list[Candidate | None]:
    """Return the episode at each of *positions*; None if no episode exists. *sides* are numbers of scopes.

    An archived episode counts as missing, unless the question includes archived episodes.

    *received* are the episodes' times of receipt, in microseconds since 1970.
    """
    scopes, rows = list(cached.episodes), [each.rows for each in cached.episodes.values()]
    found = [rows[side].get(position) for side, position in zip(sides, positions, strict=True)]
    shelved = question.asked["shelved"]
    unread = [number for number, row in enumerate(found) if row is None or not shelved]
    if not unread:
        return found
    asked = {
        "of_scopes": [scopes[sides[number]] for number in unread],
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
        side, position = sides[number], positions[number]
        ending, gist = _of_text(ending, gist)
        row = Candidate(
            "episode", id_, scopes[side], position, session, occurred, at, timedelta(0), speaker, 0.0, 0.0,
            (Source(id_, key, position, 0, 0),), role=role, asks=only_asks(ending), gist=gist, ending=ending,
        )  # fmt: skip
        rows[side][position] = row
        if not put_by:
            found[number] = row
    for each in cached.episodes.values():
        each.limit()
    return found


def flat(words: Iterable[Word]) -> dict[str, list[Any]]:
    """Return *words* and their near synonyms as parameters of a statement that scans memories."""
    rows = [(number, *pair) for number, one in enumerate(words) for pair in ((one.lexeme, 1.0), *one.near.items())]
    numbers, lexemes, weights = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    return {"words": numbers, "lexemes": lexemes, "word_weights": weights}


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
