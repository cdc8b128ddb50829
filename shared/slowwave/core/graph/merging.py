"""The merging of entities by what their names mean: vectors propose, and how a name is written may have to agree."""

import re
from dataclasses import dataclass
from typing import Literal

from slowwave.core.beliefs.identity import normal
from slowwave.core.beliefs.number import singles

_BEFORE = re.compile(r"^(?:an?|the|my|our|his|her|their) ")
_STROKES = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Merging:
    """The rule by which a new entity is an older one under another name.

    Their vectors must be as near as *concept*, and as near as *entity* where it is somebody's or something's own name;
    *by* `agreement` their names must agree besides, by `cosine` nearness alone decides.
    """

    concept: float = 0.85
    entity: float = 0.90
    by: Literal["agreement", "cosine"] = "agreement"

    def near_enough(self, name: str) -> float:
        """Return the cosine from which *name* may be another's."""
        return self.entity if any(letter.isupper() for letter in name) else self.concept


def spelled(name: str) -> str:
    """Return what names share that agree: case, articles, number, strokes and whose it is make no difference.

    >>> spelled("the Oslo offices") == spelled("Oslo-Office")
    True
    """
    plain = " ".join(_STROKES.sub(" ", normal(name)).split())
    return singles(_BEFORE.sub("", plain))
