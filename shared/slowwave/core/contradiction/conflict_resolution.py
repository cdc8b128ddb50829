"""The ruling on a claim that conflicts with beliefs: which of them is held.

Each policy chooses among all claims about a time, whatever the order of their arrival: of those that began by then
`prefer_new` takes the last to begin, `prefer_old` the first, `prefer_surer` the last that was explicit, else the last
that was a guess. After each claim, the beliefs are this choice for every time, so claims may arrive in any order. Under
`flag_review` the first to arrive holds, and a person decides about all others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.core.beliefs.versions import Version
from slowwave.core.predicates import Policy
from slowwave.core.time_spans import END, Span
from slowwave.domain.claim import CONFIDENCE, INFERRED

SURE = min(number for certainty, number in CONFIDENCE.items() if certainty not in INFERRED)
"""The confidence from which a claim counts as explicit; below it is a guess."""


def sure(confidence: float) -> bool:
    """Return whether something was said rather than guessed.

    >>> sure(CONFIDENCE["implied"]), sure(CONFIDENCE["inferred"])
    (True, False)
    """
    return confidence >= SURE


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling on a claim: it holds *until* an instant and replaces *closes*, or the current belief stays.

    Under review *closes* are the beliefs that it would replace. *against* is the version that is confirmed, or
    conflicts. A confirmation that is not *firm* is a guess about an explicit belief: it counts as evidence, but does
    not limit other claims.
    """

    verdict: Literal["hold", "confirm", "dismiss", "review"]
    against: Version | None = None
    until: datetime = END
    closes: tuple[Version, ...] = ()
    firm: bool = True


def rule(
    policy: Policy,
    *,
    begins: datetime,
    confidence: float,
    same: Sequence[Version],
    others: Sequence[Version],
    bounds: Iterable[datetime],
    last_of: Callable[[Version], datetime],
) -> Ruling:
    """Return the ruling on a claim about the time since *begins*.

    *same* are the versions that say the same as the claim, *others* those in conflict with it; none of them overlap.
    *bounds* are instants at which it is known to end; *last_of* gives how far it may reach into a version.
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
            firm = [version for version in known if version.confidence >= SURE]
            into = covering if covering is not None and sure(covering.confidence) else None
            until = _until(begins, end, firm, into, last_of)
            guesses = [v for v in known if v.confidence < SURE and v.valid.overlaps(Span(begins, until))]
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
    begins: datetime,
    end: datetime,
    known: Iterable[Version],
    covering: Version | None,
    last_of: Callable[[Version], datetime],
) -> datetime:
    """The end of a new belief: the start of the next known one, or as far as it may reach into the one covering its
    start.
    """
    starts = [version.valid.start for version in known if version.valid.start > begins]
    return min([end, *starts, *([last_of(covering)] if covering is not None else [])])
