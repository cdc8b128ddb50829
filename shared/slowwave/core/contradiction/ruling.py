"""The ruling on a claim that meets beliefs with which it cannot be so at once.

Each policy is a choice among all claims about a time, whatever the order in which they came: of those that began by
then `prefer_new` takes the last to begin, `prefer_old` the first, `prefer_surer` the last that was said, else the last
that was guessed. What is held after each claim is that choice for every time, so claims may come in any order. Under
`flag_review` the first that came holds, and a person decides about all others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, Protocol, TypeVar

from slowwave.core.predicates import Policy
from slowwave.core.timeline import END, Span
from slowwave.domain.claim import CONFIDENCE, INFERRED

SURE = min(number for certainty, number in CONFIDENCE.items() if certainty not in INFERRED)
"""Confidence from which a claim counts as said; below it is a guess."""


def sure(confidence: float) -> bool:
    """Return whether something was said, rather than guessed.

    >>> sure(CONFIDENCE["implied"]), sure(CONFIDENCE["inferred"])
    (True, False)
    """
    return confidence >= SURE


class Held(Protocol):
    """A version of a belief."""

    @property
    def valid(self) -> Span:
        """The time of which it is held."""

    @property
    def confidence(self) -> float:
        """P(true)."""


_H = TypeVar("_H", bound=Held)


@dataclass(frozen=True, slots=True)
class Ruling(Generic[_H]):
    """The ruling on a claim: it holds *until* an instant in place of what it *closes*, or what is held stands.

    Under review *closes* is what would give way. *against* is the version that is confirmed, or stands in the way. A
    confirmation that is not *firm* is a guess about what was said: it is evidence, and no bound to what others claim.
    """

    verdict: Literal["hold", "confirm", "dismiss", "review"]
    against: _H | None = None
    until: datetime = END
    closes: tuple[_H, ...] = ()
    firm: bool = True


def rule(
    policy: Policy,
    *,
    begins: datetime,
    confidence: float,
    same: Sequence[_H],
    others: Sequence[_H],
    bounds: Iterable[datetime],
    last_of: Callable[[_H], datetime],
) -> Ruling[_H]:
    """Return the ruling on a claim about the time since *begins*.

    *same* are the versions that say what it says, *others* those that cannot be so at once with it; none of them
    overlap. *bounds* are instants at which it is known to end; *last_of* says how far it may reach into a version.
    """
    end = min((instant for instant in bounds if instant > begins), default=END)
    if not same and not others:
        return Ruling("hold", until=end)
    known = [*same, *others]
    covering = next((one for one in known if one.valid.start <= begins < one.valid.end), None)
    repeats = covering is not None and any(version is covering for version in same)
    match policy:
        case "prefer_surer" if sure(confidence):
            if covering is not None and repeats and sure(covering.confidence):
                return Ruling("confirm", covering)
            firm = [version for version in known if sure(version.confidence)]
            into = covering if covering is not None and sure(covering.confidence) else None
            until = _until(begins, end, firm, into, last_of)
            guesses = [v for v in known if not sure(v.confidence) and v.valid.overlaps(Span(begins, until))]
            return Ruling("hold", covering, until, tuple(guesses if into is None else [into, *guesses]))
        case "prefer_surer" if covering is not None and sure(covering.confidence):
            return Ruling("confirm", covering, firm=False) if repeats else Ruling("dismiss", covering)
        case "prefer_old":
            if covering is not None:
                return Ruling("confirm" if repeats else "dismiss", covering)
            later = tuple(version for version in known if version.valid.overlaps(Span(begins, end)))
            return Ruling("hold", None, end, later)
        case "flag_review":
            contrary = [version for version in others if version.valid.overlaps(Span(begins, end))]
            if contrary:
                return Ruling("review", closes=tuple(contrary))
    if covering is not None and repeats:
        return Ruling("confirm", covering)
    until = _until(begins, end, known, covering, last_of)
    return Ruling("hold", covering, until, () if covering is None else (covering,))


def _until(
    begins: datetime, end: datetime, known: Iterable[_H], covering: _H | None, last_of: Callable[[_H], datetime]
) -> datetime:
    """Until when a new belief holds: the next thing known, or as far as it may reach into what covers its beginning."""
    starts = [version.valid.start for version in known if version.valid.start > begins]
    return min([end, *starts, *([last_of(covering)] if covering is not None else [])])
