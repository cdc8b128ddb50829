"""The lines between a sandbox process and its parent: one JSON value each."""

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line to the process: the kind of *work*, the texts, and the limits.

    *seconds* limits the processor time of the start and of each window, *megabytes* the address space.
    """

    work: str
    given: dict[str, str]
    seconds: int
    megabytes: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A line from the process: the *claims* of a window, *problems* of the texts, or the error of code that *broke*."""

    claims: list[Claim] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    broke: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """A later line to the process: the *episodes* of a window, and the turns *before* them in their sessions."""

    episodes: list[StoredEpisode]
    before: list[StoredEpisode] = field(default_factory=list)


OPENING = TypeAdapter(Opening)
REPLY = TypeAdapter(Reply)
WINDOW = TypeAdapter(Window)

LONGEST_REPLY = 16 * 1024 * 1024
"""The most bytes of a reply; claims about a window need fewer."""
