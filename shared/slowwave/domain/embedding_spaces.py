"""Embedding spaces, with the scopes that use each space and the scopes that are moving to the space."""

from dataclasses import dataclass
from datetime import datetime

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """A model's embedding space, by *name* and *dimensions*, and the number of a tenant's *scopes* that use the space.

    *coming* is the number of scopes that are moving to this space. *episodes* is the number of episodes of these
    scopes, and *made* is the number of these episodes that already have a vector in this space. *since* is the time at
    which the first move began, or None if it is unknown.
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
    """A current move of scopes to a model's space, which has a *name* and *dimensions*.

    *scopes* is the number of scopes. *episodes* is the number of episodes of these scopes, and *made* is the number of
    these episodes that already have a vector in the space. *since* is the time at which the first move began, or None
    if it is unknown.
    """

    name: str
    dimensions: int
    scopes: int
    episodes: int
    made: int
    since: datetime | None

    def __repr__(self) -> str:
        return brief(self, self.name, f"{self.scopes} scopes", f"{self.made} of {self.episodes} episodes")
