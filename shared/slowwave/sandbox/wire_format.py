"""The lines in which a confined process and who started it talk: one JSON value each."""

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line to the process: what kind of *work* it does, with which texts, and what it may take.

    *seconds* are of processor time, for getting ready and for each window; *megabytes* of address space.
    """

    work: str
    given: dict[str, str]
    seconds: int
    megabytes: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A line back: the *claims* of a window, *problems* with the texts it was given, or how the code *broke*."""

    claims: list[Claim] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    broke: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """A later line to the process: the *episodes* of a window, and turns of their sessions *before* it."""

    episodes: list[StoredEpisode]
    before: list[StoredEpisode] = field(default_factory=list)


OPENING = TypeAdapter(Opening)
REPLY = TypeAdapter(Reply)
WINDOW = TypeAdapter(Window)

LONGEST_REPLY = 16 * 1024 * 1024
"""Bytes; more is no reading of what people said."""
