"""Embedding spaces, with the scopes that use each space and the scopes that are moving to it."""

from dataclasses import dataclass
from datetime import datetime

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """A model's embedding space, by *name* and *dimensions*, and how many *scopes* of a tenant use it.

    *coming* is the number of scopes that are moving to this space; of their *episodes*, *made* already have a vector in
    it. The first move began at *since*, None if unknown.
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
    """A current move to a model's space, by *name* and *dimensions*, of *scopes* scopes.

    Of their *episodes*, *made* already have a vector in that space. The first move began at *since*, None if unknown.
    """

    name: str
    dimensions: int
    scopes: int
    episodes: int
    made: int
    since: datetime | None

    def __repr__(self) -> str:
        return brief(self, self.name, f"{self.scopes} scopes", f"{self.made} of {self.episodes} episodes")
