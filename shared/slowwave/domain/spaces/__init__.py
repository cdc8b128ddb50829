"""Embedding spaces as they are told of: who answers in each, and who is on the way there."""

from dataclasses import dataclass
from datetime import datetime

from slowwave.brief import brief


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """A model's space, by *name* and *dimensions*, and how many *scopes* of a tenant answer in it.

    So many more are *coming*; of the *episodes* they have to take along, the vectors of so many are *made*.
    The first of them set out at *since*, None where nobody knows.
    """

    name: str
    dimensions: int
    scopes: int
    coming: int
    episodes: int
    made: int
    since: datetime | None = None

    def __repr__(self) -> str:
        coming = f"{self.coming} on the way: {self.made} of {self.episodes} episodes" if self.coming else ""
        return brief(self, self.name, f"{self.scopes} scopes", coming)


@dataclass(frozen=True, slots=True)
class SpaceMove:
    """A move under way to a model's space, by *name* and *dimensions*, of so many *scopes*, the first since *since*.

    Of the *episodes* they have to take along, the vectors of so many are *made*. *since* is None where nobody knows.
    """

    name: str
    dimensions: int
    scopes: int
    episodes: int
    made: int
    since: datetime | None

    def __repr__(self) -> str:
        return brief(self, self.name, f"{self.scopes} scopes", f"{self.made} of {self.episodes} episodes")
