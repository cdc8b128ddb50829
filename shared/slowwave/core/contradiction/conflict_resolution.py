"""The ruling on a claim that conflicts with beliefs: whether the claim or the current belief is held.

Each policy chooses among all claims that began before or at a given time. `prefer_new` takes the claim that began last,
and `prefer_old` the claim that began first. `prefer_surer` takes the last explicit claim, or the last guess if no claim
is explicit. This choice is made for every time, and does not depend on the order in which claims arrive. Under
`flag_review`, the claim that arrives first holds, and a person decides about all other claims.
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
"""The confidence from which a claim counts as explicit. A claim with a lower confidence is a guess."""


def sure(confidence: float) -> bool:
    """Return whether a claim with this *confidence* was said, and not guessed.

    >>> sure(CONFIDENCE["implied"]), sure(CONFIDENCE["inferred"])
    (True, False)
    """
    return confidence >= SURE


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling on a claim.

    `hold`: the claim is believed *until* an instant, and replaces the versions in *closes*. `confirm`, `dismiss`: the
    version *against* stays, and the claim confirms or contradicts it. `review`: a person decides, and *closes* has the
    versions that the claim would replace. A confirmation that is not *firm* is a guess about an explicit belief. Such a
    confirmation counts as evidence, but does not limit other claims.
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

    *same* are the versions that say the same as the claim, and *others* are the versions that conflict with it. The
    versions do not overlap. *bounds* are the instants at which the claim is known to end. *last_of* gives the time up
    to which the claim may replace a version.
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
    """Return the end of a new belief: *end*, the start of the next known belief, or the time up to which the new
    belief may replace *covering*, whichever is first.
    """
    starts = [version.valid.start for version in known if version.valid.start > begins]
    return min([end, *starts, *([last_of(covering)] if covering is not None else [])])
