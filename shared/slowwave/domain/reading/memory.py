"""Memories as they are handed out, in any form, and which type of memory each is."""

from typing import Literal

from slowwave.domain.fact import Fact
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.recollection import Recollection

Readable = Recollection | Fact | RememberedEpisode
"""The forms in which a memory is handed out."""


def type_of(one: Readable) -> Literal["semantic", "episodic"]:
    """Return the type of memory that *one* is."""
    fact = isinstance(one, Fact) or (isinstance(one, Recollection) and one.kind == "fact")
    return "semantic" if fact else "episodic"
