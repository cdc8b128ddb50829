"""The explanation of a recall: stages with their time, and measures with what each added to each answer."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: how long it took, how many *memories* there were then; of a source, how many *answers* it named."""

    name: str
    milliseconds: float
    memories: int | None = None
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One measure of one memory: it *adds* so much to the match, by its *value* and *weight*.

    What multiplies adds what it changes, which may be less than nothing.
    """

    name: str
    weight: float
    value: float
    adds: float


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure over all: of how many *memories* it says anything, and its *share* of what the answers match."""

    name: str
    memories: int
    share: float


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanation of one recall. *parts* say by id what makes up an answer's match; they add up to it.

    *background* is how well memories match the question by chance, above which a score begins.
    """

    stages: Sequence[Stage]
    measures: Sequence[Measure]
    parts: Mapping[uuid.UUID, Sequence[Part]]
    background: float | None = None
