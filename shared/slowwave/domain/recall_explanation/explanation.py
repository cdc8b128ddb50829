"""The explanation of a recall: the time of each stage, and what each measure added to each answer."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its time, and the number of *memories* left after it, or of *answers* from a source."""

    name: str
    milliseconds: float
    memories: int | None = None
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One measure of one memory: its *value*, its *weight*, and what it *adds* to the match.

    A factor *adds* the difference that it makes, which may be negative.
    """

    name: str
    weight: float
    value: float
    adds: float


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure over all memories: the number of *memories* with a value, and its *share* of the answers' match."""

    name: str
    memories: int
    share: float


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanation of one recall. *parts* has, by memory id, the terms whose sum is an answer's match.

    *background* is the match that memories reach by chance; a score above 0 needs a higher match.
    """

    stages: Sequence[Stage]
    measures: Sequence[Measure]
    parts: Mapping[uuid.UUID, Sequence[Part]]
    background: float | None = None
