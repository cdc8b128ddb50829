"""The merging of entities with similar names: vectors propose pairs, and a rule may require similar spelling."""

import re
from dataclasses import dataclass
from typing import Literal

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates.plurals import singles

_BEFORE = re.compile(r"^(?:an?|the|my|our|his|her|their) ")
_STROKES = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Merging:
    """The rule by which a new entity is merged into an older one.

    Their cosine must be at least *concept*, or *entity* for a proper name; with *by* `agreement` their spellings must
    agree too, with `cosine` the cosine decides alone.
    """

    concept: float = 0.85
    entity: float = 0.90
    by: Literal["agreement", "cosine"] = "agreement"

    def near_enough(self, name: str) -> float:
        """Return the least cosine for merging *name* with another."""
        return self.entity if any(letter.isupper() for letter in name) else self.concept


def spelled(name: str) -> str:
    """Return the form that agreeing names share: without case, articles, number, hyphens and possessors.

    >>> spelled("the Oslo offices") == spelled("Oslo-Office")
    True
    """
    plain = " ".join(_STROKES.sub(" ", normal(name)).split())
    return singles(_BEFORE.sub("", plain))
