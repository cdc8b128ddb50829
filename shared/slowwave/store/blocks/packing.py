"""Packing of blocks.

A block is packed when its last episode is prepared, and again when some of its episodes expire.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.codes import BLOCK, PACKED_FROM, encode, encoded_bytes
from slowwave.core.blocks.words import EpisodeWords
from slowwave.core.blocks.words import pack as packed
from slowwave.store.advisory_locks import BLOCKS
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.statements import execute, sql

AT_ONCE = 64
"""The maximum number of blocks that one run packs: 16 000 episodes, in half a second. The next run packs the others."""


def pack(
    connection: Connection, scope: uuid.UUID, space: tuple[int, int], *, upto: int, late_positions: Collection[int] = ()
) -> int:
    """Pack the unpacked complete blocks of a scope up to a position; return how many blocks were packed.

    Blocks that an earlier version packed count as unpacked.

    *space* is the number of the embedding space and the number of its dimensions. *late_positions* are the positions
    whose vectors came after their block was packed. A small scope has no blocks. Call this at the end of the
    transaction that prepares the episodes.
    """
    if upto < PACKED_FROM:
        return 0
    number, dimensions = space
    _alone(connection, scope)
    rows = execute(
        connection,
        "blocks/missing",
        scope=scope,
        space=number,
        code_bytes=encoded_bytes(dimensions),
        complete=upto // BLOCK,
        late_blocks=sorted({block_of(position) for position in late_positions}),
        most=AT_ONCE,
    ).all()
    for block, words, vectors in rows:
        episodes = _gathered(connection, scope, block, number)
        if words:
            _write_words(connection, scope, block, episodes)
        if vectors:
            _write_vectors(connection, scope, block, episodes, number, dimensions)
    return len(rows)


def lacking(connection: Connection, scope: uuid.UUID, space: tuple[int, int], *, upto: int) -> bool:
    """Return whether a scope has complete blocks up to a position that are not packed in a space.

    *space* is the number of the embedding space and the number of its dimensions.
    """
    if upto < PACKED_FROM:
        return False
    number, dimensions = space
    asked = {"scope": scope, "space": number, "code_bytes": encoded_bytes(dimensions), "complete": upto // BLOCK}
    return bool(execute(connection, "blocks/missing", **asked, late_blocks=[], most=1).all())


def give_up(connection: Connection, conversations: Iterable[tuple[uuid.UUID, str]]) -> None:
    """Repack the blocks of *conversations* without their expired episodes, in the transaction that expires them."""
    gone = list(conversations)
    for scope in sorted({scope for scope, _ in gone}):
        _alone(connection, scope)
    rows = execute(
        connection,
        "blocks/of_conversations",
        scopes=[scope for scope, _ in gone],
        sessions=[session for _, session in gone],
    ).all()
    for scope, blocks in groupby(rows, key=lambda row: row.scope):
        _again(connection, scope, [row.block for row in blocks])


def erase(connection: Connection, scope: uuid.UUID, positions: Sequence[int]) -> None:
    """Repack the blocks that contain *positions*, in the transaction that erased the episodes there."""
    _alone(connection, scope)
    _again(connection, scope, sorted({block_of(position) for position in positions}))


def block_of(position: int) -> int:
    """Return the number of the block that contains a position.

    >>> block_of(1), block_of(256), block_of(257)
    (0, 0, 1)
    """
    return (position - 1) // BLOCK


def _alone(connection: Connection, scope: uuid.UUID) -> None:
    """Lock the packing of a scope's blocks until the transaction ends, so that no other transaction packs them."""
    connection.exec_driver_sql(
        "SELECT pg_advisory_xact_lock(%(lock)s, %(scope)s)", {"lock": BLOCKS, "scope": scope.int >> 97}
    )


def _again(connection: Connection, scope: uuid.UUID, blocks: Sequence[int]) -> None:
    rows = execute(connection, "blocks/packed", scope=scope, blocks=list(blocks)).all()
    for block, spaces in groupby(rows, key=lambda row: row.block):
        _write_words(connection, scope, block, _gathered(connection, scope, block, None))
        for _, space, dimensions in spaces:
            if space is not None:
                episodes = _gathered(connection, scope, block, space)
                _write_vectors(connection, scope, block, episodes, space, dimensions)


def _gathered(connection: Connection, scope: uuid.UUID, block: int, space: int | None) -> Sequence[Any]:
    where = {"scope": scope, "space": space, "lo": block * BLOCK + 1, "hi": (block + 1) * BLOCK}
    return execute_binary(connection, sql("blocks/gather"), where)


def _write_words(connection: Connection, scope: uuid.UUID, block: int, rows: Sequence[Any]) -> None:
    users = [row.speaker for row in rows if row.role == "user" and row.speaker is not None]
    episode_words = (
        EpisodeWords(row.position, row.received, row.occurred, row.session, row.role, row.words) for row in rows
    )
    columns = {
        **packed(episode_words, block),
        "first_user": min(users, default=None),
        "last_user": max(users, default=None),
    }
    execute_binary(connection, sql("blocks/write_words"), {"scope": scope, "block": block, **columns})


def _write_vectors(
    connection: Connection, scope: uuid.UUID, block: int, rows: Sequence[Any], space: int, dimensions: int
) -> None:
    vectors, there = np.zeros((BLOCK, dimensions), np.float32), np.zeros(BLOCK, np.bool_)
    for row in rows:
        if row.embedding is not None:
            place = row.position - block * BLOCK - 1
            vectors[place], there[place] = np.frombuffer(row.embedding, ">f4", offset=4), True
    execute_binary(
        connection,
        sql("blocks/write_vectors"),
        {"scope": scope, "block": block, "space": space, "codes": encode(vectors, there)},
    )
