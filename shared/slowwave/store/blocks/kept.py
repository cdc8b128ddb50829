"""Blocks that this process keeps between questions: of large scopes, those asked least recently let go first."""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from slowwave.core.blocks.codes import Codes
from slowwave.core.blocks.laid import Laid
from slowwave.core.blocks.sizes import BLOCK
from slowwave.core.blocks.words import COLUMNS, Block, Words
from slowwave.store.blocks.driver import execute
from slowwave.store.statements import sql

KEPT_FROM = 20_000
"""Positions of a scope: the blocks of a smaller one are read in a few milliseconds."""
KEPT_BYTES = 64 * 2**20

Space = tuple[str, int]
"""The name of an embedding space, and its dimensions."""


class Kept:
    """The blocks that a process keeps, by scope and space. A block that was packed anew is never taken for itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._laid: OrderedDict[tuple[uuid.UUID, Space], Laid] = OrderedDict()

    def read(self, connection: Connection, scopes: Sequence[uuid.UUID], space: Space) -> dict[uuid.UUID, Laid]:
        """Return the blocks of those of *scopes* that have any, as the transaction sees them, with codes in *space*."""
        kept = self._valid(connection, scopes, space)
        firsts = [kept[scope].last + 1 if scope in kept else 0 for scope in scopes]
        rows = execute(connection, sql("blocks/read"), {"scopes": list(scopes), "firsts": firsts, **_named(space)})
        for scope, blocks in groupby(rows.fetchall(), key=lambda row: row.scope):
            more = _laid(list(blocks), space[1])
            kept[scope] = kept[scope].then(more) if scope in kept else more
        self._keep(kept, space)
        return kept

    def forget(self) -> None:
        """Let everything go."""
        with self._lock:
            self._laid.clear()

    def _valid(self, connection: Connection, scopes: Sequence[uuid.UUID], space: Space) -> dict[uuid.UUID, Laid]:
        """Return what is kept and still stored as it is kept; let go of the rest."""
        with self._lock:
            kept = {scope: laid for scope in scopes if (laid := self._laid.get((scope, space)))}
        if not kept:
            return {}
        lasts = {"scopes": list(kept), "lasts": [laid.last for laid in kept.values()]}
        rows = execute(connection, sql("blocks/editions"), {**lasts, **_named(space)}).fetchall()
        stored = {row.scope: row.digest for row in rows}
        for scope in [scope for scope, laid in kept.items() if stored.get(scope) != laid.digest]:
            del kept[scope]
            with self._lock:
                self._laid.pop((scope, space), None)
        return kept

    def _keep(self, laid: Mapping[uuid.UUID, Laid], space: Space) -> None:
        with self._lock:
            for scope, one in laid.items():
                if len(one.words.blocks) * BLOCK >= KEPT_FROM:
                    self._laid[scope, space] = one
                    self._laid.move_to_end((scope, space))
            while sum(one.nbytes for one in self._laid.values()) > KEPT_BYTES:
                self._laid.popitem(last=False)


def _laid(rows: Sequence[Any], dimensions: int) -> Laid:
    blocks = [
        Block(row.block, {name: getattr(row, name) for name in COLUMNS}, (row.first_user, row.last_user))
        for row in rows
    ]
    editions = b"".join(row.edition.bytes + (row.code_edition.bytes if row.code_edition else b"") for row in rows)
    return Laid(Words.laid(blocks), Codes.laid([row.codes for row in rows], dimensions), editions)


def _named(space: Space) -> dict[str, Any]:
    return {"space": space[0], "dimensions": space[1]}


KEPT = Kept()
"""What this process keeps. Editions are unique everywhere, so that no two databases are taken for each other."""
