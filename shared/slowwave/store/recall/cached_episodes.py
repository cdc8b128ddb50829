"""Episodes that may answer a question, from the cache of this process or from the database."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.blocks.episode_rows import EpisodeRow
from slowwave.core.recall.duplicates import only_asks
from slowwave.domain.claim import Source
from slowwave.store.blocks.binary_results import execute
from slowwave.store.blocks.block_cache import CachedScopes
from slowwave.store.recall.question import Question
from slowwave.store.statements import sql

END_CHARACTERS = 200
"""The end of an episode that is read to tell whether it only asks a question."""


def episodes(
    connection: Connection,
    cached: CachedScopes,
    question: Question,
    scopes: Sequence[uuid.UUID],
    positions: Sequence[int],
    received: Sequence[int],
) -> list[EpisodeRow | None]:
    """Return the episode at each of *positions* in *scopes*; None where no episode exists, or it is archived.

    *received* are their times of receipt in microseconds since 1970.
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
    for ordinal, id_, session, occurred, at, speaker, role, key, ending, gist, put_by in execute(
        connection, sql("recall/told"), asked
    ):
        number = unread[ordinal - 1]
        scope, position = places[number]
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
