"""The counts of an export or import of memories."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class MovedCounts:
    """The number of written scopes, and the number of written rows of each table.

    *known* is the number of scopes that were imported before.
    """

    scopes: int
    rows: Mapping[str, int] = field(default_factory=dict)
    known: int = 0

    def __repr__(self) -> str:
        return brief(self, f"{self.scopes} scopes", f"{sum(self.rows.values())} rows", f"{self.known} known")
