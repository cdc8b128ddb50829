"""The forms of memories in results, and the memory type of each form."""

from typing import Literal

from slowwave.domain.fact import Fact
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.recollection import Recollection

Readable = Recollection | Fact | RememberedEpisode
"""The forms of a memory in results."""


def type_of(one: Readable) -> Literal["semantic", "episodic"]:
    """Return the memory type of *one*."""
    fact = isinstance(one, Fact) or (isinstance(one, Recollection) and one.kind == "fact")
    return "semantic" if fact else "episodic"
