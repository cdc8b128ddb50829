"""A cache of scopes: the stored blocks of each scope, and the newer episodes, which this module packs in memory."""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine

from slowwave.core.blocks import codes
from slowwave.core.blocks.codes import BLOCK, PACKED_FROM, Codes, unit_vectors
from slowwave.core.blocks.episode_rows import EpisodeRows
from slowwave.core.blocks.scope_view import JoinedBlocks, Line, Piece, Tail, joined_with
from slowwave.core.blocks.words import COLUMNS, Block, EpisodeWords, Words
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.store.blocks.binary_results import Asked, execute_binary
from slowwave.store.direct import PLAIN
from slowwave.store.statements import sql

CACHE_BYTES = 128 * 2**20
"""The size limit for all scopes together. The least recently used scopes are dropped first. A position takes about 240
bytes, and another 1 kB if its exact vector is cached.
"""
SIZED_EVERY = 50
"""The number of reads after which the sizes of all scopes are computed again, as reads also add rows to them."""
MOST_STALE = 2 * PACKED_FROM
"""The maximum number of positions that may follow the last block. If there are more, a worker still has to pack."""

Space = tuple[str, int]
"""The name of an embedding space and its number of dimensions."""
Edition = tuple[datetime, datetime | None]
"""The creation time of a scope, and the time of its last delta. If both are unchanged, the beliefs are unchanged."""


class Measured(Protocol):
    """A cached value with a size."""

    @property
    def nbytes(self) -> int:
        """The size in memory, in bytes."""


T = TypeVar("T", bound=Measured)


@dataclass(frozen=True, slots=True)
class _CachedScope:
    """The cached data of a scope: blocks from the database (*stored*), and blocks of the episodes after them (*tail*).

    *whole* is *stored* and *tail* joined. *episodes* has the rows of episodes that earlier questions returned.
    """

    stored: JoinedBlocks | None
    tail: Tail
    whole: JoinedBlocks | None
    episodes: EpisodeRows

    @property
    def nbytes(self) -> int:
        own = 0 if self.stored is None or self.stored is self.whole else self.stored.nbytes
        return own + (self.whole.nbytes if self.whole else 0) + self.episodes.nbytes

    def holds(self, now: Any) -> bool:
        """Return whether the cached data is current; *now* is the scope's row of the statement `blocks/state`."""
        if (self.stored.digest if self.stored else None) != now.digest:
            return False
        if now.newest is not None and now.newest > (self.stored.last if self.stored else -1):
            return False
        still = self.tail.still(now.head, (now.episodes, now.vectors), now.state)
        return now.head == self.tail.last and len(still) == len(self.tail.pieces)

    def then(self, stored: JoinedBlocks | None, tail: Tail, dimensions: int) -> "_CachedScope":
        """Return the scope with new blocks. Rows of episodes stay cached up to the first block that has changed."""
        same = 0
        if self.stored and stored and stored.editions.startswith(self.stored.editions):
            same = self.stored.last + 1
        if tail.after == self.tail.after == same * BLOCK:
            pairs = zip(self.tail.pieces, tail.pieces, strict=False)
            same += sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        return _CachedScope(stored, tail, joined_with(stored, tail.pieces, dimensions), self.episodes.first(same))


_EMPTY = _CachedScope(None, Tail(0, 0, "", ()), None, EpisodeRows())


@dataclass(frozen=True, slots=True)
class CachedScopes:
    """The cached scopes: their joined blocks (*laid*), the *editions* of their facts, and the read time *now*.

    An edition changes with every change of a scope's facts. Scopes in *hiding* have archived or expired conversations.
    *episodes* has the rows of the episodes that were returned for earlier questions.
    """

    laid: Mapping[uuid.UUID, JoinedBlocks]
    episodes: Mapping[uuid.UUID, EpisodeRows]
    editions: Mapping[uuid.UUID, Edition]
    hiding: Sequence[uuid.UUID]
    now: datetime


class ScopeCache(Generic[T]):
    """A cache by scope and embedding space. A cache above its size limit drops the least recently used scopes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scopes: OrderedDict[tuple[str, uuid.UUID, Space], T] = OrderedDict()
        self._sizes: dict[tuple[str, uuid.UUID, Space], int] = {}
        self._bytes = self._unsized = 0

    def forget(self) -> None:
        """Clear the cache."""
        with self._lock:
            self._scopes.clear()
            self._sizes.clear()
            self._bytes = 0

    def _cached(self, where: str, scopes: Iterable[uuid.UUID], space: Space) -> dict[uuid.UUID, T]:
        with self._lock:
            return {scope: one for scope in scopes if (one := self._scopes.get((where, scope, space)))}

    def _keep(self, scopes: Mapping[tuple[str, uuid.UUID, Space], T]) -> None:
        with self._lock:
            self._unsized = (self._unsized + 1) % SIZED_EVERY
            changed = {key: one for key, one in scopes.items() if self._scopes.get(key) is not one}
            self._scopes.update(changed)
            for key in scopes:
                self._scopes.move_to_end(key)
            for key, one in (changed if self._unsized else self._scopes).items():
                size = one.nbytes
                self._bytes += size - self._sizes.get(key, 0)
                self._sizes[key] = size
            while self._bytes > self._most_bytes():
                self._bytes -= self._sizes.pop(self._scopes.popitem(last=False)[0])

    def _most_bytes(self) -> int:
        return CACHE_BYTES


class BlockCache(ScopeCache[_CachedScope]):
    """A cache of the blocks of scopes, by scope and embedding space.

    Cached data is used only if the database has confirmed, in the caller's transaction, that the data is current. The
    cache never returns a block that was repacked or removed in the database.
    """

    def read(
        self, connection: Connection, scopes: Sequence[uuid.UUID], space: Space, now: datetime | None = None
    ) -> CachedScopes | None:
        """Return all episodes of *scopes* that the transaction sees, with codes (compressed vectors) in *space*.

        Empty scopes are omitted.

        Returns None if a scope has so many unpacked episodes that a statement must read the whole scope. *now* defaults
        to the database's time.
        """
        where = database_of(connection.engine)
        cached = self._cached(where, scopes, space)
        states = {row.scope: row for row in execute_binary(connection, *_asks(scopes, space, cached, now))}
        there = [scope for scope, row in states.items() if row.born is not None]
        changed = [scope for scope in there if scope not in cached or not cached[scope].holds(states[scope])]
        if changed:
            stored = self._stored(connection, changed, space, cached, states)
            tails = _tails(connection, changed, space, stored, cached)
            if tails is None:
                return None
            for scope, tail in tails.items():
                before = cached.get(scope, _EMPTY)
                cached[scope] = before.then(stored.get(scope), tail, space[1])
        self._keep({(where, scope, space): cached[scope] for scope in there if scope in cached})
        laid = {scope: whole for scope in there if scope in cached and (whole := cached[scope].whole) is not None}
        (first, *_) = states.values()
        editions = {scope: (states[scope].born, states[scope].believed) for scope in there}
        episodes = {scope: cached[scope].episodes for scope in laid}
        return CachedScopes(laid, episodes, editions, [scope for scope in laid if states[scope].hides], first.now)

    def asks(
        self, connection: Connection, scopes: Sequence[uuid.UUID], space: Space, now: datetime | None = None
    ) -> Asked:
        """Return the first statement that `read` runs, with its parameters."""
        return _asks(scopes, space, self._cached(database_of(connection.engine), scopes, space), now)

    @staticmethod
    def _stored(
        connection: Connection, scopes: Sequence[uuid.UUID], space: Space, cached: Mapping[uuid.UUID, _CachedScope],
        states: Mapping[uuid.UUID, Any],
    ) -> dict[uuid.UUID, JoinedBlocks]:  # fmt: skip
        """Return the stored blocks by scope: current blocks from the cache, all other blocks from the database."""
        current = {scope: one.stored for scope in scopes if (one := cached.get(scope)) and one.stored is not None}
        current = {scope: laid for scope, laid in current.items() if states[scope].digest == laid.digest}
        firsts = [current[scope].last + 1 if scope in current else 0 for scope in scopes]
        rows = execute_binary(
            connection, sql("blocks/read"), {"scopes": list(scopes), "firsts": firsts, **_named(space)}
        )
        for scope, blocks in groupby(rows, key=lambda row: row.scope):
            every = list(blocks)
            before = current.get(scope)
            positions = (every[-1].block + 1) * BLOCK
            exact = None
            if (before is None or before.codes.exact is not None) and positions * space[1] * 4 <= codes.EXACT_BYTES:
                exact = _exact(connection, scope, [row.block for row in every], space)
            more = _join(every, space[1], exact)
            current[scope] = more if before is None else before.then(more)
        return current


@lru_cache(maxsize=8)
def database_of(engine: Engine) -> str:
    """Return the address of an engine's database, the same for every driver."""
    return engine.url.set(drivername=PLAIN).render_as_string(hide_password=False)


def _asks(
    scopes: Sequence[uuid.UUID], space: Space, cached: Mapping[uuid.UUID, _CachedScope], now: datetime | None
) -> Asked:
    """Return the statement that reads the state of each scope's stored data, to compare with the cache."""
    own = [cached.get(scope) for scope in dict.fromkeys(scopes)]
    asked = {
        "scopes": list(dict.fromkeys(scopes)),
        "blocks": [one.stored.last if one and one.stored else -1 for one in own],
        "afters": [one.tail.after if one else 0 for one in own],
        "lasts": [one.tail.last if one else 0 for one in own],
        "now": now,
        "pack": pack_of(PREPARE),
        **_named(space),
    }
    return sql("blocks/state"), asked


def _tails(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    space: Space,
    stored: Mapping[uuid.UUID, JoinedBlocks],
    cached: Mapping[uuid.UUID, _CachedScope],
) -> dict[uuid.UUID, Tail] | None:
    """Return the episodes after each scope's blocks; None if there are too many episodes, or if blocks are missing.

    Current episodes come from the cache, all other episodes from the database.
    """
    afters = {scope: (stored[scope].last + 1) * BLOCK if scope in stored else 0 for scope in scopes}
    if any(len(laid.words.blocks) <= laid.last for laid in stored.values()):
        return None  # some blocks in the middle are missing
    before = {
        scope: cached[scope].tail for scope in scopes if scope in cached and cached[scope].tail.after == afters[scope]
    }
    lasts = [before[scope].last if scope in before else 0 for scope in scopes]
    asked = {"scopes": list(scopes), "afters": list(afters.values()), "lasts": lasts, **_named(space)}
    tails = {}
    for scope, head, episodes, vectors, state in execute_binary(connection, sql("blocks/tails"), asked):
        if head - afters[scope] > MOST_STALE:
            return None
        pieces: tuple[Piece, ...] = ()
        if scope in before:
            pieces = before[scope].still(head, (episodes, vectors), state)
            if head == before[scope].last and len(pieces) == len(before[scope].pieces):
                tails[scope] = before[scope]
                continue
        more = _pieces(connection, scope, afters[scope] // BLOCK + len(pieces), head, space)
        tails[scope] = Tail(afters[scope], head, state, (*pieces, *more))
    return tails


def _pieces(connection: Connection, scope: uuid.UUID, first: int, head: int, space: Space) -> Iterable[Piece]:
    """Read the episodes of a scope from block *first* up to the last position *head*, and pack them."""
    where = {"scope": scope, "lo": first * BLOCK + 1, "hi": head, **_named(space)}
    rows = execute_binary(connection, sql("blocks/tail"), where)
    blocks = {block: list(of) for block, of in groupby(rows, key=lambda row: (row.position - 1) // BLOCK)}
    for block in range(first, (head + BLOCK - 1) // BLOCK):
        yield Piece.packed(block, ((row.position, _line(row)) for row in blocks.get(block, ())), space[1])


def _line(row: Any) -> Line:
    vector = None if row.embedding is None else np.frombuffer(row.embedding, ">f4", offset=4)
    if row.given_up:
        return Line(None, None, vector)
    words = EpisodeWords(row.position, row.received, row.occurred, row.session, row.role, row.words)
    return Line(words, row.speaker, vector)


def _exact(connection: Connection, scope: uuid.UUID, blocks: Sequence[int], space: Space) -> NDArray[np.float32]:
    """Read the vectors of *blocks*, which are consecutive, and return them as unit vectors."""
    first = blocks[0] * BLOCK + 1
    where = {"scope": scope, "lo": first, "hi": (blocks[-1] + 1) * BLOCK, **_named(space)}
    vectors = np.zeros((len(blocks) * BLOCK, space[1]), np.float32)
    for position, embedding in execute_binary(connection, sql("blocks/vectors"), where):
        vectors[position - first] = np.frombuffer(embedding, ">f4", offset=4)
    return unit_vectors(vectors)


def _join(rows: Sequence[Any], dimensions: int, exact: NDArray[np.float32] | None) -> JoinedBlocks:
    blocks = [
        Block(row.block, {name: getattr(row, name) for name in COLUMNS}, (row.first_user, row.last_user))
        for row in rows
    ]
    editions = b"".join(row.edition.bytes + (row.code_edition.bytes if row.code_edition else b"") for row in rows)
    return JoinedBlocks(Words.laid(blocks), Codes.laid([row.codes for row in rows], dimensions, exact), editions)


def _named(space: Space) -> dict[str, Any]:
    return {"space": space[0], "dimensions": space[1]}


BLOCK_CACHE = BlockCache()
"""The cache of this process."""
