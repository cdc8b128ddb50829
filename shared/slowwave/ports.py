"""What jobs and retrieval need from the world."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Text to vectors of one embedding space."""

    @property
    def space(self) -> str:
        """The name of the space: model and version. Vectors of two spaces are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text; a row of zeros where the text says nothing to the model."""


class Extractor(Protocol):
    """Episodes to claims. A rule pack is one; a model behind a prompt is another."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version; a journalled reply belongs to one version."""

    @property
    def journalled(self) -> bool:
        """Whether a reply costs money or may differ next time, and is written down before it is used."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and ordinal.

        Raises `Incorrect` for an input that can never be read and `Unavailable` when asking later may help.
        """
