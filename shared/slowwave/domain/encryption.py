"""Data keys of tenants, and the rows that are encrypted with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class DataKey:
    """A data key of a tenant, without the key itself."""

    key: int
    master: str
    made: datetime
    used_from: datetime
    in_use: bool

    def __repr__(self) -> str:
        return brief(self, "in use" if self.in_use else "not in use", id=self.key)


@dataclass(frozen=True, slots=True)
class Reencrypted:
    """The numbers of encrypted rows by table and of *wrapped* data keys, and the numbers of the *deleted* old keys.

    *rewritten* is True if tables and indexes were rewritten without the earlier rows.
    """

    rows: Mapping[str, int]
    wrapped: int
    deleted: Sequence[int]
    rewritten: bool = False

    def __repr__(self) -> str:
        return f"<Reencrypted {sum(self.rows.values())} rows, {len(self.deleted)} old keys deleted>"


@dataclass(frozen=True, slots=True)
class StaleRows:
    """The rows of one *table* that are to be encrypted: with *readable* words, and with words under an *older* key."""

    table: str
    readable: int
    older: int

    def __repr__(self) -> str:
        return brief(self, self.table, f"{self.readable} readable", f"{self.older} under an older key")
