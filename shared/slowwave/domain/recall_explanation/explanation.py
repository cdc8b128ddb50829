"""The explanation of a recall: the time of each stage, and what each measure added to each answer."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its time and how many *memories* remained after it; for a source, how many *answers* it named."""

    name: str
    milliseconds: float
    memories: int | None = None
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One measure of one memory: it *adds* this much to the match, from its *value* and *weight*.

    A factor adds the change that it makes, which may be negative.
    """

    name: str
    weight: float
    value: float
    adds: float


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure over all memories: for how many *memories* it has a value, and its *share* of the answers' match."""

    name: str
    memories: int
    share: float


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanation of one recall. *parts* list, by memory id, the terms that add up to an answer's match.

    *background* is the match that memories reach by chance; scores start above it.
    """

    stages: Sequence[Stage]
    measures: Sequence[Measure]
    parts: Mapping[uuid.UUID, Sequence[Part]]
    background: float | None = None
